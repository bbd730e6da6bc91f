import { deltaOf, deltaText } from "../../contracts/delta.ts";
import { fingerprintOf } from "../../contracts/fingerprint.ts";
import type { Contract } from "../../contracts/schema.ts";
import { PARSE_DURATION } from "../../contracts/testing/samples.ts";
import type { ModuleReading } from "../../language.ts";
import type { TypeScriptReader } from "../reader.ts";

export const ERROR = `export class DurationError extends Error {}\n`;
export const GOOD = `${ERROR}
export function parseDuration(text: string): number {
  if (text === "") throw new DurationError("empty");
  return text.length;
}
`;

export function contract(change: Partial<Contract>): Contract {
  return { ...PARSE_DURATION, ...change };
}
export const input = (type: string, name = "text") => ({ name, type, constraints: ["not empty"] });
export const output = (type: string, name = "minutes") => ({ name, type, invariants: ["never negative"] });

export function reading(typescript: TypeScriptReader, code: string, agreed: Contract = PARSE_DURATION): ModuleReading {
  return typescript.readModule({ files: { "implementation/index.ts": code } }, agreed);
}

/** Differences from the contract, and problems. There is a difference exactly if the fingerprints differ. */
export function differences(typescript: TypeScriptReader, code: string, agreed: Contract = PARSE_DURATION): string[] {
  const { delivered, problems } = reading(typescript, code, agreed);
  const found = deltaOf(agreed, delivered);
  if ((found.length === 0) !== (fingerprintOf(delivered) === fingerprintOf(agreed))) throw new Error("delta and fingerprint disagree");
  return [...deltaText(found), ...problems];
}
