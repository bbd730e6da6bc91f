import { deltaOf, deltaText } from "@slipway/kernel/factory/contracts/delta";
import { fingerprintOf } from "@slipway/kernel/factory/contracts/fingerprint";
import type { Contract } from "@slipway/kernel/factory/contracts/schema";
import { PARSE_DURATION } from "@slipway/kernel/factory/contracts/testing/samples";
import type { LanguageReader, ModuleReading } from "../../language.ts";

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

export function reading(typescript: LanguageReader, code: string, agreed: Contract = PARSE_DURATION): ModuleReading {
  return typescript.readModule({ files: { "implementation/index.ts": code } }, agreed);
}

/** What differs from the contract, and what cannot be said in TypeScript. There is a difference exactly when the fingerprint is another. */
export function differences(typescript: LanguageReader, code: string, agreed: Contract = PARSE_DURATION): string[] {
  const { delivered, problems } = reading(typescript, code, agreed);
  const found = deltaOf(agreed, delivered);
  if ((found.length === 0) !== (fingerprintOf(delivered) === fingerprintOf(agreed))) throw new Error("delta and fingerprint disagree");
  return [...deltaText(found), ...problems];
}
