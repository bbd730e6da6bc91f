/**
 * Measures a function at several sizes and compares the growth with a bound. In the harness, calls run and are timed in the module's
 * process (`bridge/measured-calls.ts`); elsewhere they run here. Times are those of short parts: the shortest of many was not interrupted.
 */
export const SCALING_SUPPORT = `/** Measures how the time of a function grows with the size of its input. It is the same in every program. */
type $Prepared = (n: number) => readonly [(...given: never[]) => unknown, readonly unknown[]];
/** New instances of size n, each with its own set-up. A part calls each of them; parts are timed one by one. */
export type $Batch = { readonly n: number; readonly instances: number; readonly parts: number; readonly calls: number };
type $Measure = (batch: $Batch) => $Times | Promise<$Times>;
type $Times = { readonly setup: number; readonly times: readonly number[] };
type $Names = Readonly<Record<string, string>>;
type $Remote = (prepared: $Prepared, names?: $Names) => $Measure;
type $Plan = { readonly n: number; setup: number; call: number; readonly times: number[] };

const $sizes = [10, 100, 1000, 10000];
const $curves: Readonly<Record<string, (n: number) => number>> = {
  "O(1)": () => 1,
  "O(log n)": (n) => Math.log2(n),
  "O(n)": (n) => n,
  "O(n log n)": (n) => n * Math.log2(n),
  "O(n^2)": (n) => n * n,
};
/** How much more than the bound allows a time may grow for each factor of ten. */
const $tolerance = 0.2;
/** Caches and the compiler change times by this much, however often they are measured. */
const $leastNoise = 1.05;
const $budgetMs = 20000;
const $rounds = 30;
/** Elements of all instances of a batch: the same at every size, so that each uses as much memory. */
const $elements = 20000;
const $batchMs = 0.5;
const $partMs = 0.05;
const $slowMs = 10;

function $copy(value: unknown): unknown {
  const prototype: unknown = typeof value === "object" && value !== null ? Object.getPrototypeOf(value) : null;
  return Array.isArray(value) || prototype === Object.prototype || value instanceof Map || value instanceof Set ? structuredClone(value) : value;
}

/** Measures in this process. Without names, the arguments were generated: they are made once for each size, and copied. */
function $measureHere(prepared: $Prepared, names?: $Names): $Measure {
  const made = new Map<number, ReturnType<$Prepared>>();
  const prepare = (n: number): ReturnType<$Prepared> => {
    if (names !== undefined) return prepared(n);
    const [target, given] = made.get(n) ?? prepared(n);
    made.set(n, [target, given]);
    return [target, given.map($copy)];
  };
  return async ({ n, instances, parts, calls }) => {
    const started = performance.now();
    const all = Array.from({ length: instances }, () => {
      const [target, [self, ...given]] = prepare(n);
      return { target: target as () => unknown, self, given };
    });
    const setup = performance.now() - started;
    const times: number[] = [];
    for (let part = 0; part < parts; part++) {
      const from = performance.now();
      for (const { target, self, given } of all) {
        for (let call = 0; call < calls; call++) {
          const result = Reflect.apply(target, self, given);
          if (result instanceof Promise) await result;
        }
      }
      times.push(performance.now() - from);
    }
    return { setup, times };
  };
}

/** An instance gets few calls compared with its size, because calls may change it; or one, if a second one fails. */
function $batchOf({ n, setup, call }: $Plan, single: boolean): $Batch {
  const mostCalls = single ? 1 : Math.max(1, Math.floor(n / 10));
  const mostInstances = Math.max(1, Math.min(Math.floor(((single ? 10 : 1) * $elements) / n), Math.floor($budgetMs / 50 / setup)));
  const wanted = Math.max(1, Math.min(mostInstances * mostCalls, Math.ceil($batchMs / call)));
  const instances = Math.min(mostInstances, wanted);
  const each = Math.max(1, Math.min(mostCalls, Math.ceil(wanted / instances)));
  const parts = Math.max(Math.min(3, mostCalls), Math.min(8, each, Math.floor((wanted * call) / $partMs)));
  return { n, instances, parts, calls: Math.max(1, Math.floor(each / parts)) };
}

/** Sizes take turns, so that a slow phase of the machine meets all of them. A size that would take too long is left out. */
export async function $verdictOf(bound: string, measure: $Measure, now: () => number = () => performance.now()): Promise<$Judgement> {
  const started = now();
  const left = () => $budgetMs - (now() - started);
  const plans: $Plan[] = [];
  let single = false;
  const run = async (plan: $Plan, batch: $Batch): Promise<void> => {
    let measured: $Times;
    try {
      measured = await measure(batch);
    } catch (error) {
      if (single || batch.parts * batch.calls === 1) throw error;
      single = true;
      return run(plan, { ...batch, parts: 1, calls: 1 });
    }
    const { instances, calls } = batch;
    plan.setup = Math.min(plan.setup, measured.setup / instances);
    plan.times.push(...measured.times.map((time) => time / (instances * calls)));
    plan.call = Math.max(1e-6, Math.min(...plan.times));
  };
  for (const n of $sizes) {
    const [last, before] = plans.toReversed().map(({ setup, call }) => setup + call);
    const next = last === undefined ? 0 : last * Math.max(10, last / (before ?? last));
    if (next > left() / 4) break;
    const plan = { n, setup: Infinity, call: Infinity, times: [] };
    await run(plan, { n, instances: 1, parts: single || n < 100 ? 1 : 3, calls: 1 });
    plans.push(plan);
  }
  const enough = ({ call, times }: $Plan) => times.length >= (call > $slowMs ? 3 : 12);
  for (let round = 0; round < $rounds; round++) {
    for (const plan of plans) {
      const batch = $batchOf(plan, single);
      const cost = batch.instances * (plan.setup + batch.parts * batch.calls * plan.call);
      const isDue = !enough(plan) || cost < 2 * $slowMs || (round % 3 === 2 && cost < left() / 8);
      if (isDue && cost < left()) await run(plan, batch);
    }
    if (left() <= 0) break;
    if (!plans.every(enough)) continue;
    const { result, deviation } = $judge(bound, plans);
    // A bound that is just missed is measured to the end: at first one size may have been slow.
    if (result === "passed" || (result === "failed" && deviation > 1)) break;
  }
  return $judge(bound, plans.every(({ times }) => times.length >= 3) ? plans : []);
}

/** With names (exports by their files), calls are prepared where the module runs; otherwise prepared here, once for each size. */
export function $verdict(bound: string, prepared: $Prepared, names?: $Names): Promise<$Judgement> {
  const remote = Reflect.get(globalThis, Symbol.for("slipway.measureCalls")) as $Remote | undefined;
  return $verdictOf(bound, (remote ?? $measureHere)(prepared, names));
}

export type $Judgement = { readonly result: "passed" | "failed" | "inconclusive"; readonly deviation: number; readonly times: string };

/**
 * Compares the growth of the shortest times with the bound, from the second size to the last; a constant part of the times is left out. A
 * bound is an upper one: times that grow more slowly pass. Where the limit is within the noise, or sizes are missing, nothing is decided.
 */
export function $judge(bound: string, samples: readonly { readonly n: number; readonly times: readonly number[] }[]): $Judgement {
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
  // The least squares of relative errors of constant + factor * curve(n), neither part negative.
  let [constant, factor] = [(a * bb - b * ab) / determinant, (b * aa - a * ab) / determinant];
  if (!(factor > 0) || determinant <= aa * bb * 1e-12) [constant, factor] = [a / aa, 0];
  else if (constant < 0) [constant, factor] = [0, b / bb];
  const [from, to] = [sizes[1]!, sizes.at(-1)!];
  const rest = ({ n, time }: (typeof sizes)[number]) => time / (constant + factor * curve(n));
  const decades = Math.log10(to.n / from.n);
  const deviation = (rest(to) / rest(from)) ** (1 / decades) - 1;
  // How far the third fastest time is from the fastest.
  const noise = $leastNoise * ((1 + from.spread) * (1 + to.spread)) ** (1 / decades);
  const [least, most] = [(1 + deviation) / noise - 1, (1 + deviation) * noise - 1];
  return { result: least > $tolerance ? "failed" : most <= $tolerance ? "passed" : "inconclusive", deviation, times: times + ", noise " + noise.toFixed(2) };
}
`;
