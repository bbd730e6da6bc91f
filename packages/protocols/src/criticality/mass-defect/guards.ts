import type { LanguageId } from "@slipway/languages/adapter";
import type { PatternDefinition } from "../catalog/catalog.ts";
import type { GuardCheck } from "../catalog/schema.ts";
import { plainCode } from "./plain-code.ts";

/** Conditions under which a pattern is not tried. They look at the body without comments and texts. */
const HOLDS: Readonly<Record<GuardCheck, RegExp>> = {
  /** Something is released by a call, which an earlier exit could skip. */
  releases_resource: /\.\s*(?:close|release|unlock|dispose|rollback|free|shutdown|disconnect|Close|Unlock|Release)\s*\(/,
  yields: /\byield\b/,
  awaits: /\bawait\b/,
  breaks_loop: /\bbreak\b|\bgoto\b/,
  /** Names are looked up at run time. */
  reflects: /\b(?:eval|arguments|locals|globals|vars|exec)\b/,
};

/** The first guard that applies to a body; null if none does. */
export function guardAgainst({ checks }: Pick<PatternDefinition, "checks">, body: string, language: LanguageId): GuardCheck | null {
  const code = plainCode(body, language);
  return checks.find((check) => HOLDS[check].test(code)) ?? null;
}
