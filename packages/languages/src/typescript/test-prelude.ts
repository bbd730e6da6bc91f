/**
 * Text at the start of generated tests. An instance is generated as a recipe and built anew for every run, because a run may change it.
 * The names begin with `$`, because parameters of a function may have any other.
 */
export const VALUE_PRELUDE = `
class $Recipe {
  readonly label: string;
  readonly given: unknown;
  readonly build: (given: unknown) => unknown;
  constructor(label: string, given: unknown, build: (given: unknown) => unknown) {
    this.label = label;
    this.given = given;
    this.build = build;
  }
  [fc.toStringMethod](): string {
    return this.label + "(" + (Array.isArray(this.given) ? this.given.map((one) => fc.stringify(one)).join(", ") : fc.stringify(this.given)) + ")";
  }
}
const $built = (label: string, arbitrary: fc.Arbitrary<unknown>, build: (given: unknown) => unknown): fc.Arbitrary<$Recipe> =>
  arbitrary.map((given) => new $Recipe(label, given, build));

/** Fresh values, with every recipe carried out. */
function $make(value: unknown): unknown {
  if (value instanceof $Recipe) return value.build($make(value.given));
  if (Array.isArray(value)) return value.map($make);
  if (value instanceof Map) return new Map([...value].map(([key, one]) => [$make(key), $make(one)]));
  if (value instanceof Set) return new Set([...value].map($make));
  if (value instanceof Date) return new Date(value);
  if (typeof value === "function") return (...given: unknown[]) => $make((value as (...given: unknown[]) => unknown)(...given));
  if (typeof value !== "object" || value === null || ![Object.prototype, null].includes(Object.getPrototypeOf(value))) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, $make(one)]));
}

const $fail: (message: string) => never = (message) => assert.fail(message);
const $line = (value: unknown): string =>
  (value instanceof Error ? value.name + ": " + value.message : fc.stringify(value)).replace(/\\s+/g, " ").slice(0, 160);
const $copy = <T>(value: T): T => (typeof value === "function" ? value : structuredClone(value));
const $holds = (test: () => boolean): boolean => {
  try {
    return test();
  } catch {
    return false;
  }
};`;

/** Needs `$Given`, `$given`, `$names`, `$requires` and `$seed`. */
export const CHECK_PRELUDE = `
const $shown = (all: readonly unknown[]): string =>
  all.map((value, at) => $names[Math.min(at, $names.length - 1)] + " = " + $line(value)).join(", ");
const $isAllowed = (all: $Given, except = -1): boolean => $requires.every((test, at) => at === except || $holds(() => test(all)));

/** The values of a run, or why a constructor refused its arguments. */
function $attempt(raw: readonly unknown[]): { readonly all: $Given } | { readonly refused: unknown } {
  try {
    return { all: $make(raw) as $Given };
  } catch (refused) {
    return { refused };
  }
}

/** How many of up to 1,000 inputs are meant, counted up to 10. */
function $countMeant(inputs: fc.Arbitrary<unknown[]>, isMeant: (all: $Given) => boolean): { readonly found: number; readonly refused: string } {
  let found = 0;
  let refused = "";
  for (let round = 0; round < 100 && found < 10; round++) {
    for (const raw of fc.sample(inputs, { numRuns: 10, seed: $seed + round })) {
      const made = $attempt(raw);
      if ("refused" in made) refused = ", and the last refusal was " + $line(made.refused);
      else if (isMeant(made.all)) found++;
    }
  }
  return { found, refused };
}

async function $check(run: (all: $Given, shown: string) => Promise<void>, isMeant = (all: $Given): boolean => $isAllowed(all)): Promise<void> {
  const { found, refused } = $countMeant($given, isMeant);
  if (found < 10) $fail(\`expected at least 10 of 1000 generated inputs to satisfy the preconditions, got \${found}\${refused}\`);
  await $report($given, isMeant, run);
}

async function $report(inputs: fc.Arbitrary<unknown[]>, isMeant: (all: $Given) => boolean, run: (all: $Given, shown: string) => Promise<void>): Promise<void> {
  const property = fc.asyncProperty(inputs, async (raw) => {
    const made = $attempt(raw);
    fc.pre("all" in made && isMeant(made.all));
    if ("all" in made) await run(made.all, $shown(raw));
  });
  const { failed, errorInstance, numRuns } = await fc.check(property, { seed: $seed, numRuns: 100, maxSkipsPerRun: 1000 });
  if (failed) throw errorInstance ?? new assert.AssertionError({ message: \`expected 100 inputs that satisfy the preconditions, got \${numRuns}\` });
}
`;
