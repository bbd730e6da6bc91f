import type { StepName } from "@slipway/durable/step-name";

/** One value for each star of the pattern. */
export type StepParts<Pattern extends string> = Pattern extends `${string}*${infer Rest}` ? [string | number, ...StepParts<Rest>] : [];

/** A kind of step: the pattern of its names, and what such a step records. A flow names its steps by it, a narration finds them by it. */
export interface StepKind<Result, Pattern extends string = string> {
  readonly pattern: Pattern;
  named(...parts: StepParts<Pattern>): StepName<Result>;
  /** What a name has in the place of each star; null if the name is of another kind. */
  partsOf(name: string): string[] | null;
}

/** `stepKind("gates:*:*").records<GateSummary>()`: each star stands for one part of the name. */
export function stepKind<const Pattern extends string>(pattern: Pattern) {
  const literals = pattern.split("*");
  const expression = new RegExp(`^${literals.map((text) => RegExp.escape(text)).join("(.+?)")}$`);
  return {
    records<Result>(): StepKind<Result, Pattern> {
      return {
        pattern,
        named: (...parts) => literals.reduce((name, text, index) => `${name}${String(parts[index - 1])}${text}`),
        partsOf: (name) => expression.exec(firstName(name))?.slice(1) ?? null,
      };
    },
  };
}

/** A step that is done again after a pause or a repair gets a number at its end: `patch:1~2`, `plan:1^2`. */
function firstName(name: string): string {
  return name.replace(/(?:[~^]\d+)+$/, "");
}
