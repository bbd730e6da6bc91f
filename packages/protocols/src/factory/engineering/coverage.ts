import type { Contract } from "@slipway/languages/contracts/schema";
import { z } from "zod";

export const COVERAGE_CATEGORIES = ["input constraint", "output invariant", "error surface", "purpose"] as const;

export const coverageSchema = z
  .array(z.strictObject({ category: z.enum(COVERAGE_CATEGORIES), item: z.string().min(1), test: z.string().min(1) }))
  .describe('Which test shows what. Items: "text: not empty" for a constraint or invariant, the name of an error surface, "purpose".');
export type Coverage = z.infer<typeof coverageSchema>;

export interface Coverable {
  readonly category: (typeof COVERAGE_CATEGORIES)[number];
  readonly item: string;
  readonly shown: string;
}

/** The parts of a contract that each need a test. */
export function coverableIn({ inputs, outputs, error_surfaces }: Contract): Coverable[] {
  const each = (category: Coverable["category"], item: string, shown = item): Coverable => ({ category, item, shown });
  return [
    ...inputs.flatMap(({ name, constraints }) => constraints.map((constraint) => each("input constraint", `${name}: ${constraint}`))),
    ...outputs.flatMap(({ name, invariants }) => invariants.map((invariant) => each("output invariant", `${name}: ${invariant}`))),
    ...error_surfaces.map(({ name, when }) => each("error surface", name, `${name} (${when})`)),
    each("purpose", "purpose", "the purpose, from input to output"),
  ];
}

/** The parts that no executed test covers. Claims about tests that did not run are ignored. */
export function uncovered(contract: Contract, claimed: Coverage, ran: readonly string[]): Coverable[] {
  const shown = claimed.filter(({ test }) => ran.some((name) => name === test || name.endsWith(` > ${test}`)));
  return coverableIn(contract).filter(({ category, item }) => !shown.some((one) => one.category === category && sameText(one.item, item)));
}

/** The criteria of the task that no check of the proposal quotes word for word beside the name of an executed test. */
export function unshownCriteria(criteria: readonly string[], checks: readonly string[], ran: readonly string[]): string[] {
  const names = ran.map((name) => normal(name.split(" > ").at(-1) ?? ""));
  const isShown = (criterion: string, check: string) => {
    // What a criterion has in common with the name of a test does not name the test.
    const [before, ...after] = normal(check).split(normal(criterion));
    return after.length > 0 && names.some((name) => [before, ...after].some((rest) => hasWords(rest ?? "", name)));
  };
  return criteria.filter((criterion) => !checks.some((check) => isShown(criterion, check)));
}

function hasWords(text: string, words: string): boolean {
  return words !== "" && new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(words)}(?![\\p{L}\\p{N}])`, "u").test(text);
}

function sameText(left: string, right: string): boolean {
  return normal(left) === normal(right);
}

function normal(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().toLowerCase();
}
