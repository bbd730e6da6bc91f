/**
 * The file that all generated tests of a program share. A value that the program itself makes is generated as a recipe and built anew for
 * every run, because a run may change it. What tests import begins with `$`, because parameters of a function may have any other name.
 */
export const CONTRACT_SUPPORT = String.raw`/** What the tests of contracts and claims share. It is the same in every program. */
import assert from "node:assert/strict";
import fc from "fast-check";

type Build = (...given: never[]) => unknown;

class Recipe {
  readonly label: string;
  readonly given: readonly unknown[];
  readonly build: Build;
  constructor(label: string, given: readonly unknown[], build: Build) {
    this.label = label;
    this.given = given;
    this.build = build;
  }
  make(): unknown {
    return (this.build as (...given: unknown[]) => unknown)(...this.given.map($fresh));
  }
  [fc.toStringMethod](): string {
    return this.label + "(" + this.given.map((one) => fc.stringify(one)).join(", ") + ")";
  }
}

/** Values that a function or a constructor of the program makes of generated arguments. */
export function $built(label: string, build: Build, ...given: fc.Arbitrary<unknown>[]): fc.Arbitrary<unknown> {
  return fc.tuple(...given).map((all) => new Recipe(label, all, build));
}

/** New values, with every recipe carried out. */
export function $fresh(value: unknown): unknown {
  if (value instanceof Recipe) return value.make();
  if (Array.isArray(value)) return value.map($fresh);
  if (value instanceof Map) return new Map([...value].map(([key, one]) => [$fresh(key), $fresh(one)]));
  if (value instanceof Set) return new Set([...value].map($fresh));
  if (value instanceof Date) return new Date(value);
  if (typeof value === "function") return (...given: unknown[]) => $fresh((value as (...given: unknown[]) => unknown)(...given));
  if (typeof value !== "object" || value === null || ![Object.prototype, null].includes(Object.getPrototypeOf(value))) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, $fresh(one)]));
}

/** Usually what the arbitrary gives, sometimes one of the values of each list. */
export function $sometimes<T>(usual: fc.Arbitrary<T>, ...lists: (readonly T[])[]): fc.Arbitrary<T> {
  const others = lists.filter((list) => list.length > 0).map((list) => ({ arbitrary: fc.constantFrom(...list), weight: 1 }));
  return fc.oneof({ withCrossShrink: true }, { arbitrary: usual, weight: 2 }, ...others);
}

/**
 * Finite numbers: whole ones, small ones more often, and quarters, with which sums and products are exact. Sometimes numbers around those
 * that the contract names, and a few small ones, so that equal numbers occur. NaN and the infinities are left out.
 */
export function $numbers(of: { readonly min: number; readonly max: number; readonly whole?: boolean; readonly named?: readonly number[] }): fc.Arbitrary<number> {
  const [first, last] = [Math.ceil(of.min), Math.floor(of.max)];
  const [low, high] = first > 0 ? [first, first + 40] : last < 0 ? [last - 40, last] : [Math.max(first, -20), Math.min(last, 20)];
  const all: fc.Arbitrary<number>[] = [];
  if (last - first > 100) all.push(fc.integer({ min: low, max: high }));
  if (first <= last) all.push(fc.integer({ min: first, max: last }));
  if (of.whole !== true) all.push(fc.integer({ min: of.min * 4, max: of.max * 4 }).map((n) => n / 4));
  const again = [0, 1, 2].map((n) => (first > 0 ? first + n : last < 0 ? last - n : n)).filter((n) => n >= first && n <= last);
  return $sometimes(fc.oneof(...all), of.named ?? [], again);
}

/** Texts, sometimes one that the contract names or describes, and sometimes one of a few, so that equal texts occur. */
export function $texts(of: {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: RegExp;
  readonly named?: readonly string[];
  readonly like?: readonly RegExp[];
}): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = minLength + 20, pattern, named = [], like = [] } = of;
  const usual = pattern === undefined ? fc.string({ minLength, maxLength }) : fc.stringMatching(pattern);
  const again =
    pattern === undefined
      ? ["a", "b", "c"].map((one) => one.padEnd(minLength, one)).filter(({ length }) => length <= maxLength)
      : fc.sample(usual, { numRuns: 3, seed: 1 });
  // A pattern is that of a key: half of the keys occur again, because contracts ask for those that are known.
  const mixed = $sometimes(usual, named, again, pattern === undefined ? [] : again);
  return like.length === 0 ? mixed : fc.oneof({ withCrossShrink: true }, { arbitrary: mixed, weight: 2 }, ...like.map((one) => fc.stringMatching(one)));
}

/** Sometimes all values that may be equal are: those with the same number in the list. */
export function $alike(values: fc.Arbitrary<unknown[]>, first: readonly number[]): fc.Arbitrary<unknown[]> {
  return fc.tuple(values, fc.nat(3)).map(([all, chance]) => (chance === 3 ? all.map((_, at) => all[first[at] ?? at]) : all));
}

/** One line, cut off. */
export const $line = (value: unknown): string =>
  (value instanceof Error ? value.name + ": " + value.message : fc.stringify(value)).replace(/\s+/g, " ").slice(0, 160);

export const $copy = <T>(value: T): T => (typeof value === "function" ? value : structuredClone(value));

type Outcome<T> = { readonly threw: true } | { readonly threw: false; readonly result: T };

/** What a call returns, or that it throws. */
export async function $outcome<T>(call: () => T): Promise<Outcome<Awaited<T>>> {
  try {
    return { threw: false, result: await call() };
  } catch {
    return { threw: true };
  }
}

const holds = (test: () => unknown): boolean => {
  try {
    return Boolean(test());
  } catch {
    return false;
  }
};

/** The same inputs every time. A failure is one line: what was expected, what came, and the smallest input for which it did. */
export function $settingsOf(of: { readonly seed: number; readonly numRuns: number }) {
  return {
    ...of,
    maxSkipsPerRun: 1000,
    reporter({ failed, errorInstance, numRuns }: { readonly failed: boolean; readonly errorInstance: unknown; readonly numRuns: number }): void {
      if (failed) throw errorInstance ?? new assert.AssertionError({ message: "expected " + of.numRuns + " inputs that satisfy the conditions, got " + numRuns });
    },
  };
}

async function explained(expected: string, inputs: () => string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (fc.PreconditionFailure.isFailure(error)) throw error;
    const got = error instanceof assert.AssertionError ? error.message : $line(error);
    const message = got.startsWith("expected ") ? got : "expected " + expected + ", got " + got;
    throw new assert.AssertionError({ message: message + " with " + inputs() });
  }
}

/** A value, or why a constructor refused its arguments. */
function attempt(raw: unknown): { readonly value: unknown } | { readonly refused: unknown } {
  try {
    return { value: $fresh(raw) };
  } catch (refused) {
    return { refused };
  }
}

/** A function under test: how its arguments are generated, and its preconditions. */
export function $contractOf<Given extends readonly unknown[]>(of: {
  readonly names: readonly string[];
  /** Arguments that are likely to satisfy the preconditions. */
  readonly given: fc.Arbitrary<unknown[]>;
  /** Preconditions, each with arguments that are likely to satisfy only the others; as above if left out. */
  readonly requires: readonly { readonly holds: (given: Given) => unknown; readonly breaking?: fc.Arbitrary<unknown[]> }[];
  readonly seed: number;
}) {
  const { names, given, requires, seed } = of;
  const shown = (all: readonly unknown[]): string => all.map((value, at) => names[Math.min(at, names.length - 1)] + " = " + $line(value)).join(", ");
  const isAllowed = (all: Given, except = -1): boolean => requires.every((one, at) => at === except || holds(() => one.holds(all)));
  const isBreaking = (at: number) => (all: Given): boolean => isAllowed(all, at) && !holds(() => requires[at]?.holds(all));
  const breaking = (at: number) => requires[at]?.breaking ?? given;

  /** How many of up to 1,000 inputs are meant, counted up to 10. */
  const count = (inputs: fc.Arbitrary<unknown[]>, isMeant: (all: Given) => boolean) => {
    let found = 0;
    let refused = "";
    for (let round = 0; round < 100 && found < 10; round++) {
      for (const raw of fc.sample(inputs, { numRuns: 10, seed: seed + round })) {
        const made = attempt(raw);
        if ("refused" in made) refused = ", and the last refusal was " + $line(made.refused);
        else if (isMeant(made.value as Given)) found++;
      }
    }
    return { found, refused };
  };
  const propertyOf = (inputs: fc.Arbitrary<unknown[]>, isMeant: (all: Given) => boolean, expected: string, run: (all: Given) => Promise<void>) =>
    fc.asyncProperty(inputs, async (raw) => {
      const made = attempt(raw);
      fc.pre("value" in made && isMeant(made.value as Given));
      if ("value" in made) await explained(expected, () => shown(raw), () => run(made.value as Given));
    });
  return {
    shown,
    /** For every input that satisfies the preconditions, and the other condition if there is one. */
    property(expected: string, run: (all: Given) => Promise<void>, also: (all: Given) => unknown = () => true) {
      const isMeant = (all: Given): boolean => isAllowed(all) && holds(() => also(all));
      const { found, refused } = count(given, isMeant);
      if (found < 10) assert.fail("expected at least 10 of 1000 generated inputs to satisfy the preconditions, got " + found + refused);
      return propertyOf(given, isMeant, expected, run);
    },
    canBreak: (at: number): boolean => count(breaking(at), isBreaking(at)).found > 0,
    /** For every input that breaks this precondition and no other. */
    breaking: (at: number, expected: string, run: (all: Given) => Promise<void>) => propertyOf(breaking(at), isBreaking(at), expected, run),
  };
}

/** Leaves out a run whose inputs are not meant. */
export function $pre(isMeant: unknown): void {
  fc.pre(Boolean(isMeant));
}

/** An arbitrary with the type that its values have once they are made. */
export const $typed = <T>(arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<T> => arbitrary as fc.Arbitrary<T>;

interface Step<Operation, Given> {
  readonly operation: Operation;
  readonly given: Given;
  readonly shown: string;
}

/** A call of an operation in a sequence, with the arguments of this call. */
export function $step<const Operation extends number, Given>(operation: Operation, call: string, given: fc.Arbitrary<Given>): fc.Arbitrary<Step<Operation, Given>> {
  return given.map((one) => ({ operation, given: one, shown: call + " with " + $line(one) }));
}

/** A step of the clock in a sequence. */
export function $clockStep(...milliseconds: number[]): fc.Arbitrary<Step<-1, number>> {
  return fc.constantFrom(...milliseconds).map((one) => ({ operation: -1, given: one, shown: one + " ms" }));
}

/** For every input and every sequence of calls. */
export function $property<Inputs, Calls>(
  expected: string,
  inputs: fc.Arbitrary<Inputs>,
  calls: fc.Arbitrary<Calls>,
  run: (inputs: Inputs, calls: Calls) => Promise<void>,
) {
  return fc.asyncProperty(inputs, calls, async (rawInputs, rawCalls) => {
    const made = attempt([rawInputs, rawCalls]);
    fc.pre("value" in made);
    const [madeInputs, madeCalls] = ("value" in made ? made.value : []) as [Inputs, Calls];
    await explained(expected, () => $line(rawInputs), () => run(madeInputs, madeCalls));
  });
}

/** An input of one size that satisfies the preconditions; lists are also tried in order. */
export function $inputOfSize<Given>(n: number, inputs: fc.Arbitrary<unknown[]>, seed: number, isAllowed: (given: Given) => unknown): Given {
  for (let at = 0; at < 50; at++) {
    const [raw = []] = fc.sample(inputs, { numRuns: 1, seed: seed + at });
    const ordered = raw.map((one) => (Array.isArray(one) ? [...one].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)) : one));
    for (const one of [raw, ordered]) {
      const made = $fresh(one) as Given;
      if (holds(() => isAllowed(made))) return made;
    }
  }
  return assert.fail("expected an input of size " + n + " that satisfies the preconditions, got none");
}
`;
