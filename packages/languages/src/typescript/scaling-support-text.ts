/**
 * Measures a function at several sizes and compares the growth with a bound. It decides as `judgeScaling` does,
 * which a test checks. In the harness the other process is measured from outside; elsewhere the function runs here.
 */
export const SCALING_SUPPORT = `/** Measures how the time of a function grows with the size of its input. It is the same in every program. */
type $Prepared = (n: number) => readonly [(...given: never[]) => unknown, readonly unknown[]];
type $TimeOf = (target: object, given: readonly unknown[], times: number, calls: boolean) => number;
const $sizes = [10, 100, 1000, 10000];
const $curves: Readonly<Record<string, (n: number) => number>> = {
  "O(1)": () => 1,
  "O(log n)": (n) => Math.log2(n),
  "O(n)": (n) => n,
  "O(n log n)": (n) => n * Math.log2(n),
  "O(n^2)": (n) => n * n,
};

function $localTimer(): $TimeOf {
  let copies: (readonly unknown[])[] = [];
  const copy = (value: unknown): unknown => {
    const prototype: unknown = typeof value === "object" && value !== null ? Object.getPrototypeOf(value) : null;
    return Array.isArray(value) || prototype === Object.prototype || value instanceof Map || value instanceof Set ? structuredClone(value) : value;
  };
  return (target, given, times, calls) => {
    if (!calls) copies = Array.from({ length: times }, () => given.map(copy));
    const started = performance.now();
    if (calls) for (let round = 0; round < times; round++) for (const [self, ...rest] of copies) Reflect.apply(target as () => unknown, self, rest);
    return performance.now() - started;
  };
}

function $measure(prepared: $Prepared): { n: number; times: number[] }[] {
  const timeOf = (Reflect.get(globalThis, Symbol.for("slipway.timeOf")) as $TimeOf | undefined) ?? $localTimer();
  const plans = $sizes.map((n) => {
    const count = Math.max(1, Math.min(20000, Math.floor(1e6 / n)));
    return { n, made: prepared(n), count, rounds: 1, repeats: 9, runs: [] as number[], idle: [] as number[] };
  });
  const run = ({ made: [target, given] }: (typeof plans)[number], times: number, calls: boolean) => timeOf(target, calls ? [] : given, times, calls);
  const least = (plan: (typeof plans)[number], rounds: number): number => {
    const first = Math.min(run(plan, rounds, true), run(plan, rounds, true));
    return first > 30 ? first : Math.min(first, run(plan, rounds, true));
  };
  for (const plan of plans) {
    run(plan, 1, false);
    const once = least(plan, 1);
    if (once > 30) plan.repeats = 3;
    if (once * plan.count > 32) plan.count = Math.max(1, Math.floor(32 / once));
    for (; plan.rounds < 4096; plan.rounds *= 2) {
      run(plan, plan.count, false);
      if (least(plan, plan.rounds) - least(plan, 0) >= 4) break;
    }
  }
  for (let repeat = 0; repeat < 9; repeat++) {
    for (const plan of plans.filter(({ repeats }) => repeat < repeats)) {
      run(plan, plan.count, false);
      plan.idle.push(run(plan, 0, true), run(plan, 0, true));
      plan.runs.push(run(plan, plan.rounds, true));
    }
  }
  return plans.map(({ n, count, rounds, runs, idle }) => ({ n, times: runs.map((time) => (time - Math.min(...idle)) / (count * rounds)) }));
}

/** Measures up to three times until the bound holds: on a busy machine, one measurement may be slow at one size. */
export function $verdict(bound: string, prepared: $Prepared): ReturnType<typeof $judge> {
  let samples = $measure(prepared);
  for (let more = 0; more < 2 && $judge(bound, samples).result !== "passed"; more++) {
    const again = $measure(prepared);
    samples = samples.map(({ n, times }, at) => ({ n, times: [...times, ...(again[at]?.times ?? [])] }));
  }
  return $judge(bound, samples);
}

export function $judge(bound: string, samples: readonly { readonly n: number; readonly times: readonly number[] }[]): { result: string; deviation: number; times: string } {
  const curve = $curves[bound] ?? (() => 1);
  const sizes = samples.map(({ n, times }) => {
    const sorted = [...times].sort((a, b) => a - b);
    const time = sorted[0] ?? 0;
    return { n, time, spread: ((sorted[Math.min(2, sorted.length - 1)] ?? time) - time) / time };
  });
  const times = sizes.map(({ n, time }) => \`\${n}: \${(time * 1e6).toPrecision(3)} ns\`).join(", ");
  if (sizes.length < 3 || sizes.some(({ time }) => !Number.isFinite(time) || time <= 0)) return { result: "inconclusive", deviation: Number.NaN, times };
  const rows = sizes.map(({ n, time }) => [1 / time, curve(n) / time] as const);
  const sum = (value: (row: readonly [number, number]) => number) => rows.reduce((total, row) => total + value(row), 0);
  const [a, b, aa, ab, bb] = [sum(([x]) => x), sum(([, y]) => y), sum(([x]) => x * x), sum(([x, y]) => x * y), sum(([, y]) => y * y)];
  const determinant = aa * bb - ab * ab;
  let [constant, factor] = [(a * bb - b * ab) / determinant, (b * aa - a * ab) / determinant];
  if (!(factor > 0) || determinant <= aa * bb * 1e-12) [constant, factor] = [a / aa, 0];
  else if (constant < 0) [constant, factor] = [0, b / bb];
  const [from, to] = [sizes[1]!, sizes.at(-1)!];
  const rest = ({ n, time }: (typeof sizes)[number]) => time / (constant + factor * curve(n));
  const decades = Math.log10(to.n / from.n);
  const deviation = (rest(to) / rest(from)) ** (1 / decades) - 1;
  const noise = ((1 + from.spread) * (1 + to.spread)) ** (1 / decades);
  const [least, most] = [(1 + deviation) / noise - 1, (1 + deviation) * noise - 1];
  return { result: least > 0.2 ? "failed" : most <= 0.2 ? "passed" : "inconclusive", deviation, times: times + ", noise " + noise.toFixed(2) };
}
`;
