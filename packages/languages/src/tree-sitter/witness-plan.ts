import type { GeneratedWitness, WitnessDefinition } from "../witnesses/definition.ts";
import { defaultLevel, degrade, weakestLevel } from "../witnesses/levels.ts";
import { expressionCheck } from "./expression.ts";
import type { Grammar } from "./grammar.ts";

/** What of a witness the language can check. */
export interface WitnessPlan extends Pick<GeneratedWitness, "level" | "invariants"> {
  readonly checks: readonly { readonly formal: string; readonly description: string }[];
  readonly constructors: WitnessDefinition["constructors"];
  /** Lines about the invariants: each is there, checked or not. */
  readonly documentation: readonly string[];
}

/**
 * An invariant whose formal text is an expression over `value` gets the level of the language; any other is documentation. The witness is
 * as strong as its weakest invariant.
 */
export function readWitness({ invariants, constructors }: WitnessDefinition, grammar: Grammar): WitnessPlan {
  const own = defaultLevel(grammar.id);
  const check = expressionCheck(grammar, (name) => name === "value");
  const read = invariants.map((invariant) => {
    const isChecked = invariant.testable && /\bvalue\b/.test(invariant.formal) && check(invariant.formal) === null;
    return { ...invariant, isChecked, level: degrade(own, () => isChecked) };
  });
  return {
    level: weakestLevel(
      read.map(({ level }) => level),
      own,
    ),
    invariants: read.map(({ id, level }) => ({ id, level })),
    checks: read.filter(({ isChecked }) => isChecked).map(({ formal, description }) => ({ formal, description: oneSentence(description) })),
    constructors: constructors.length === 0 ? [{ name: "new", trust_level: "safe" }] : constructors,
    documentation: read.map(({ id, description, isChecked }) => `${id}: ${oneSentence(description)}${isChecked ? "" : " (not checked)"}`),
  };
}

function oneSentence(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll("*/", "* /").replaceAll('"""', "'''").trim();
}

/** `SortedVec` is `sorted_vec`. */
export function snakeCase(name: string): string {
  return name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, "_")
    .replaceAll(/[-\s]+/g, "_")
    .toLowerCase();
}

/** `from_unsorted` is `FromUnsorted`. */
export function pascalCase(name: string): string {
  return name
    .split(/[_\-\s]+/)
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join("");
}

export function camelCase(name: string): string {
  const pascal = pascalCase(name);
  return pascal.slice(0, 1).toLowerCase() + pascal.slice(1);
}
