import fc from "fast-check";
import { stripTypeScriptTypes } from "node:module";
import { describe, expect, test } from "vitest";
import { SCALING_SUPPORT } from "../typescript/scaling-support-text.ts";
import { GROWTH_BOUNDS, readBound, type GrowthBound } from "./scaling.ts";
import { KNOWN, type KnownFunction } from "./testing/known-growth.ts";

interface Batch {
  readonly n: number;
  readonly instances: number;
  readonly parts: number;
  readonly calls: number;
}
type Sample = { readonly n: number; readonly times: readonly number[] };
type Judgement = { readonly result: "passed" | "failed" | "inconclusive"; readonly deviation: number; readonly times: string };
type Measure = (batch: Batch) => Promise<{ readonly setup: number; readonly times: readonly number[] }>;
interface Support {
  $judge(bound: string, samples: readonly Sample[]): Judgement;
  $verdictOf(bound: string, measure: Measure, now?: () => number): Promise<Judgement>;
  $measureHere(prepared: KnownFunction["prepared"], names: Readonly<Record<string, string>>): Measure;
}

/** What generated tests use, as their text has it. */
const { $judge, $verdictOf, $measureHere } = new Function(
  `${stripTypeScriptTypes(SCALING_SUPPORT).replaceAll(/^export /gm, "")}\nreturn { $judge, $verdictOf, $measureHere };`,
)() as Support;

const SIZES = [10, 100, 1000, 10_000];
const CURVES: Readonly<Record<GrowthBound, (n: number) => number>> = {
  "O(1)": () => 1,
  "O(log n)": (n) => Math.log2(n),
  "O(n)": (n) => n,
  "O(n log n)": (n) => n * Math.log2(n),
  "O(n^2)": (n) => n * n,
};
/** Times that follow a curve, each at most `noise` above it. */
const samples = (curve: (n: number) => number, noise: (at: number) => number = () => 0): Sample[] =>
  SIZES.map((n, size) => ({ n, times: Array.from({ length: 9 }, (_, at) => curve(n) * (1 + noise(size * 9 + at))) }));

describe("[CRI-127] measured growth", () => {
  test("passes for its own curve and every slower one, and fails for every faster one", () => {
    for (const [at, bound] of GROWTH_BOUNDS.entries()) {
      for (const [real, actual] of GROWTH_BOUNDS.entries()) {
        const { result } = $judge(
          bound,
          samples((n) => 5 + 7 * CURVES[actual](n)),
        );
        expect([bound, actual, result]).toEqual([bound, actual, real <= at ? "passed" : "failed"]);
      }
    }
    expect(
      $judge(
        "O(n^2)",
        samples((n) => n ** 3),
      ).result,
    ).toBe("failed");
  });

  test("fails exactly when it exceeds the bound by more than 20 % for each factor of ten, 5 % of noise apart", () => {
    fc.assert(
      fc.property(
        fc.constantFrom<GrowthBound>("O(1)", "O(n)", "O(n^2)"),
        fc.double({ min: -0.1, max: 0.6, noNaN: true }),
        (bound, excess) => {
          const grown = (n: number) => CURVES[bound](n) * (1 + excess) ** Math.log10(n);
          const { result, deviation } = $judge(bound, samples(grown));
          if (excess > 0.01) expect(deviation).toBeCloseTo(excess, 1);
          if (excess > 0.27) expect(result).toBe("failed");
          else if (excess < 0.13) expect(result).toBe("passed");
          else if (excess > 0.16 && excess < 0.24) expect(result).toBe("inconclusive");
        },
      ),
    );
  });

  test("does not depend on the unit of time or on slow outliers", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...GROWTH_BOUNDS),
        fc.constantFrom(...GROWTH_BOUNDS),
        fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
        fc.array(fc.nat(5), { minLength: 36, maxLength: 36 }),
        (bound, actual, unit, outliers) => {
          // A third of the times are slow, each by another factor.
          const noisy = samples(
            (n) => unit * CURVES[actual](n),
            (at) => (at % 3 === 0 ? (outliers[at] ?? 0) : 0),
          );
          expect($judge(bound, noisy).result).toBe($judge(bound, samples(CURVES[actual])).result);
        },
      ),
    );
  });

  test("is inconclusive if the noise is larger than the distance to the limit, or if there are no times", () => {
    const wide = samples(
      (n) => n * 1.15 ** Math.log10(n),
      (at) => (at % 9) * 0.1,
    );
    const useless = [wide, samples(() => 0), samples(() => Number.NaN), samples((n) => n).slice(0, 2), []];
    for (const one of useless) expect($judge("O(n)", one).result).toBe("inconclusive");
  });
});

test.each([
  ["O(1)", "O(1)", null],
  ["O(log n) where n = items.length", "O(log n)", "items.length"],
  ["O(N log(N)) where N = text.length", "O(n log n)", "text.length"],
  ["O(m * m)", "O(n^2)", null],
  ["O(n²)", "O(n^2)", null],
  ["O(items)", "O(n)", null],
])("%s is read as %s of %s", (text, bound, size) => {
  expect(readBound(text)).toEqual({ bound, size });
});

test.each(["O(2^n)", "O(n + m)", "O(n!)", "linear", "O(n^3)"])("%s cannot be measured", (text) => {
  expect(readBound(text)).toBeNull();
});

/** Calls and set-ups cost scripted time: no clock is read. */
function scripted(call: (n: number, batch: Batch) => number, setup: (n: number) => number = (n) => n * 1e-4) {
  let clock = 0;
  const batches: Batch[] = [];
  const measure: Measure = async (batch) => {
    const { n, instances, parts, calls } = batch;
    batches.push(batch);
    const made = setup(n) * instances;
    const time = call(n, batch) * instances * calls;
    clock += made + time * parts;
    return { setup: made, times: Array.from({ length: parts }, () => time) };
  };
  const verdict = async (bound: GrowthBound) => ({ ...(await $verdictOf(bound, measure, () => clock)), batches, elapsed: () => clock });
  return { verdict };
}
const sizesOf = (batches: readonly Batch[]) => [...new Set(batches.map(({ n }) => n))];

describe("measuring", () => {
  test("[CRI-127] is done at 10, 100, 1000 and 10000", async () => {
    const { result, batches } = await scripted((n) => n * 1e-5).verdict("O(n)");
    expect([result, sizesOf(batches)]).toEqual(["passed", SIZES]);
  });

  test("does not count the set-up", async () => {
    const { result } = await scripted(
      () => 1e-4,
      (n) => n * n * 1e-6,
    ).verdict("O(1)");
    expect(result).toBe("passed");
  });

  test("changes an instance by few calls compared with its size, and uses the same memory at every size", async () => {
    const { batches } = await scripted(() => 1e-5).verdict("O(1)");
    for (const { n, parts, calls, instances } of batches) {
      expect(parts * calls).toBeLessThanOrEqual(Math.max(3, n / 10));
      expect(n * instances).toBeLessThanOrEqual(20_000);
    }
  });

  test("makes one call per instance if a second one fails, and fails if the first does", async () => {
    const once = (_: number, { parts, calls }: Batch) => {
      if (parts * calls > 1) throw new Error("there already");
      return 1e-4;
    };
    expect((await scripted(once).verdict("O(1)")).result).toBe("passed");
    const never = () => {
      throw new Error("always");
    };
    await expect(scripted(never).verdict("O(1)")).rejects.toThrow("always");
  });

  test.each<[string, (n: number) => number, (n: number) => number, string, number]>([
    ["calls are slow", (n) => n * n * 1e-5, () => 0, "failed", 4],
    ["calls are so slow that the largest size is left out", (n) => n ** 3 * 1e-8, () => 0, "failed", 3],
    ["the set-up is slow", () => 1e-4, (n) => n * 0.3, "passed", 4],
    ["the set-up is so slow that the largest size is left out", () => 1e-4, (n) => n * n * 1e-3, "passed", 3],
    ["the set-up is so slow that sizes are missing", () => 1e-4, (n) => n * n, "inconclusive", 2],
    ["the first calls use up the budget", (n) => n * 1000, () => 0, "inconclusive", 1],
  ])("takes at most 20 s if %s", async (_, call, setup, result, sizes) => {
    const { result: got, batches, elapsed } = await scripted(call, setup).verdict("O(1)");
    expect([got, sizesOf(batches)]).toEqual([result, SIZES.slice(0, sizes)]);
    expect(elapsed()).toBeLessThan(20_000);
  });
});

test.each<[string, GrowthBound, "passed" | "failed"]>([
  ["first", "O(n)", "failed"],
  ["Store.get", "O(n)", "failed"],
  ["Store.push", "O(n)", "failed"],
  ["sum", "O(1)", "passed"],
  ["Store.names", "O(1)", "passed"],
  ["pairs", "O(n)", "passed"],
])("[CRI-127] %s against %s is never %s, however busy the machine", { timeout: 60_000 }, async (wanted, bound, never) => {
  const known = KNOWN.find(({ name }) => name === wanted);
  if (known === undefined) throw new TypeError(wanted);
  expect((await $verdictOf(bound, $measureHere(known.prepared, {}))).result).not.toBe(never);
});

const REPEATS = Number(process.env["SCALING_REPEATS"] ?? 0);

/** Every function against its bound and the next smaller one: `SCALING_REPEATS=10 npx vitest run src/property-tests`. */
test.skipIf(REPEATS === 0)("rates of false alarms and misses over functions of known growth", { timeout: 0 }, async () => {
  const rates: Record<string, Record<string, number>> = {};
  for (const { name, setup, bound: actual, prepared } of KNOWN) {
    const at = GROWTH_BOUNDS.indexOf(actual);
    for (const bound of GROWTH_BOUNDS.slice(Math.max(0, at - 1), at + 1)) {
      for (let repeat = 0; repeat < REPEATS; repeat++) {
        const { result, times } = await $verdictOf(bound, $measureHere(prepared, {}));
        const wrong = bound === actual ? "false alarm" : "miss";
        const kind = result === "inconclusive" ? result : (result === "passed") === (bound === actual) ? "right" : wrong;
        const rate = (rates[`${setup} set-up, ${bound === actual ? "holds" : "broken"}`] ??= {});
        rate[kind] = (rate[kind] ?? 0) + 1;
        if (kind !== "right") console.log(`${name} against ${bound}: ${kind} (${times})`);
      }
    }
  }
  console.log(rates);
});
