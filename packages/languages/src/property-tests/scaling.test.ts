import fc from "fast-check";
import { stripTypeScriptTypes } from "node:module";
import { describe, expect, test } from "vitest";
import { SCALING_SUPPORT } from "../typescript/scaling-support-text.ts";
import { measureScaling } from "./measure-scaling.ts";
import { GROWTH_CURVES, judgeScaling, MAX_DEVIATION, readBound, SCALING_SIZES, type GrowthBound, type ScalingSample } from "./scaling.ts";

const BOUNDS = Object.keys(GROWTH_CURVES) as GrowthBound[];
/** Times that follow a curve, each at most `noise` above it. */
const samples = (curve: (n: number) => number, noise: (at: number) => number = () => 0): ScalingSample[] =>
  SCALING_SIZES.map((n, size) => ({ n, times: Array.from({ length: 9 }, (_, at) => curve(n) * (1 + noise(size * 9 + at))) }));

describe("[CRI-127] a complexity claim", () => {
  test("is measured at 10, 100, 1000 and 10000 and may deviate by 20 %", () => {
    expect(SCALING_SIZES).toEqual([10, 100, 1000, 10_000]);
    expect(MAX_DEVIATION).toBe(0.2);
  });

  test("passes for its own curve and every slower one, and fails for every faster one", () => {
    for (const [at, bound] of BOUNDS.entries()) {
      for (const [real, actual] of BOUNDS.entries()) {
        const { result, measured } = judgeScaling(
          bound,
          samples((n) => 50 + 7 * GROWTH_CURVES[actual](n)),
        );
        expect([bound, actual, result]).toEqual([bound, actual, real <= at ? "passed" : "failed"]);
        if (real > at) expect(BOUNDS.indexOf(measured ?? "O(1)")).toBeGreaterThan(at);
      }
    }
    expect(
      judgeScaling(
        "O(n^2)",
        samples((n) => n ** 3),
      ),
    ).toMatchObject({ result: "failed", measured: null });
  });

  test("fails exactly when the growth exceeds the bound by more than 20 % for each factor of ten", () => {
    fc.assert(
      fc.property(
        fc.constantFrom<GrowthBound>("O(1)", "O(n)", "O(n^2)"),
        fc.double({ min: -0.1, max: 0.6, noNaN: true }),
        (bound, excess) => {
          fc.pre(Math.abs(excess - MAX_DEVIATION) > 0.02);
          const grown = (n: number) => GROWTH_CURVES[bound](n) * (1 + excess) ** Math.log10(n);
          const { result, deviation } = judgeScaling(bound, samples(grown));
          expect(result).toBe(excess > MAX_DEVIATION ? "failed" : "passed");
          if (excess > 0.01) expect(deviation).toBeCloseTo(excess, 1);
        },
      ),
    );
  });

  test("does not depend on the unit of time or on slow outliers", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...BOUNDS),
        fc.constantFrom(...BOUNDS),
        fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
        fc.array(fc.nat(5), { minLength: 36, maxLength: 36 }),
        (bound, actual, unit, outliers) => {
          const clean = judgeScaling(bound, samples(GROWTH_CURVES[actual]));
          // A third of the times are slow, each by another factor.
          const noisy = judgeScaling(
            bound,
            samples(
              (n) => unit * GROWTH_CURVES[actual](n),
              (at) => (at % 3 === 0 ? (outliers[at] ?? 0) : 0),
            ),
          );
          expect(noisy.result).toBe(clean.result);
        },
      ),
    );
  });

  test("is inconclusive if the noise is larger than the distance to the limit, or if there are no times", () => {
    const wide = samples(
      (n) => n * 1.15 ** Math.log10(n),
      (at) => (at % 9) * 0.1,
    );
    expect(judgeScaling("O(n)", wide).result).toBe("inconclusive");
    expect(
      judgeScaling(
        "O(n)",
        samples(() => 0),
      ).result,
    ).toBe("inconclusive");
    expect(
      judgeScaling(
        "O(n)",
        samples(() => Number.NaN),
      ).result,
    ).toBe("inconclusive");
    expect(judgeScaling("O(n)", samples((n) => n).slice(0, 2)).result).toBe("inconclusive");
  });

  test("is decided in the text of generated tests as here", () => {
    const judge = new Function(`${stripTypeScriptTypes(SCALING_SUPPORT).replaceAll(/^export /gm, "")}\nreturn $judge;`)() as (
      bound: string,
      given: readonly ScalingSample[],
    ) => { result: string };
    const times = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(fc.constantFrom(...BOUNDS), fc.tuple(times, times, times, times), (bound, all) => {
        const given = SCALING_SIZES.map((n, at) => ({ n, times: all[at] ?? [] }));
        expect(judge(bound, given).result).toBe(judgeScaling(bound, given).result);
      }),
      { numRuns: 500 },
    );
    for (const bound of BOUNDS)
      for (const actual of BOUNDS)
        expect(judge(bound, samples(GROWTH_CURVES[actual])).result).toBe(judgeScaling(bound, samples(GROWTH_CURVES[actual])).result);
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

/** Calls cost scripted time: no clock is read. */
function scripted(cost: (n: number) => number) {
  let [size, count] = [0, 0];
  return {
    prepare: (n: number, calls: number) => void ([size, count] = [n, calls]),
    run: (rounds: number) => 0.1 + rounds * count * cost(size),
  };
}

describe("measuring", () => {
  test("takes away what the measuring costs, at every size", () => {
    const measured = measureScaling(
      scripted((n) => n * 1e-5),
      { repeats: 3 },
    );
    expect(measured.map(({ n }) => n)).toEqual([...SCALING_SIZES]);
    for (const { n, times } of measured) for (const time of times) expect(time / n).toBeCloseTo(1e-5, 8);
  });

  test("makes few calls of a slow function and many rounds of a fast one", () => {
    for (const cost of [1e-9, 50]) {
      let longest = 0;
      const inner = scripted(() => cost);
      measureScaling({ ...inner, run: (rounds) => ((longest = Math.max(longest, inner.run(rounds))), inner.run(rounds)) }, { repeats: 1 });
      expect(longest).toBeLessThan(200);
    }
  });
});

/** Functions of known growth, with the slowest bound that holds. */
const KNOWN: [string, GrowthBound, (items: number[]) => unknown][] = [
  ["first", "O(1)", (items) => items[0]],
  ["middle", "O(1)", (items) => (items[items.length >> 1] ?? 0) + (items.at(-1) ?? 0)],
  [
    "binary search",
    "O(log n)",
    (items) => {
      let [low, high, steps] = [0, items.length - 1, 0];
      while (low <= high) {
        const middle = (low + high) >> 1;
        if ((items[middle] ?? 0) < items.length * 0.7) low = middle + 1;
        else high = middle - 1;
        steps++;
      }
      return steps;
    },
  ],
  [
    "sum",
    "O(n)",
    (items) => {
      let sum = 0;
      for (const item of items) sum += item;
      return sum;
    },
  ],
  ["largest", "O(n)", (items) => items.reduce((most, item) => (item > most ? item : most), 0)],
  ["merge sort", "O(n log n)", mergeSort],
  [
    "pairs",
    "O(n^2)",
    (items) => {
      let count = 0;
      for (const a of items) for (const b of items) if (a < b) count++;
      return count;
    },
  ],
];

function mergeSort(items: number[]): number[] {
  if (items.length < 2) return items;
  const middle = items.length >> 1;
  const [left, right] = [mergeSort(items.slice(0, middle)), mergeSort(items.slice(middle))];
  const merged: number[] = [];
  for (let [a, b] = [0, 0]; a < left.length || b < right.length;) {
    const takeLeft = b >= right.length || (a < left.length && (left[a] ?? 0) <= (right[b] ?? 0));
    merged.push(takeLeft ? (left[a++] ?? 0) : (right[b++] ?? 0));
  }
  return merged;
}

/** Prints rates of this machine; asserts only what noise cannot change. */
test("rates of false alarms and misses over functions of known growth are printed", { timeout: 120_000 }, () => {
  let kept: unknown;
  const counts = { right: 0, falseAlarms: 0, misses: 0, inconclusive: 0 };
  for (const [name, actual, work] of KNOWN) {
    let lists: number[][] = [];
    const measured = measureScaling(
      {
        prepare: (n, calls) => void (lists = Array.from({ length: calls }, () => Array.from({ length: n }, (_, at) => (at * 7919) % n))),
        run(rounds) {
          const started = performance.now();
          for (let round = 0; round < rounds; round++) for (const list of lists) kept = work(list);
          return performance.now() - started;
        },
      },
      { repeats: 5, minimumMs: 2 },
    );
    for (const bound of BOUNDS) {
      const { result } = judgeScaling(bound, measured);
      const holds = BOUNDS.indexOf(actual) <= BOUNDS.indexOf(bound);
      if (result === "inconclusive") counts.inconclusive++;
      else if ((result === "passed") === holds) counts.right++;
      else if (holds) counts.falseAlarms++;
      else counts.misses++;
      // A quadratic function is never taken for a constant one, however noisy the machine.
      if (name === "pairs" && bound === "O(1)") expect(result).toBe("failed");
    }
  }
  void kept;
  console.log(`scaling of ${KNOWN.length} functions against ${BOUNDS.length} bounds: ${JSON.stringify(counts)}`);
  expect(counts.right + counts.falseAlarms + counts.misses + counts.inconclusive).toBe(KNOWN.length * BOUNDS.length);
});
