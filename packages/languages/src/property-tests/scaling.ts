/** Sizes at which a bound is measured. */
export const SCALING_SIZES = [10, 100, 1000, 10_000] as const;
/** How much more than the bound allows a time may grow from one size to the next. */
export const MAX_DEVIATION = 0.2;

/** Bounds that can be measured, slowest growth first. */
export const GROWTH_CURVES = {
  "O(1)": () => 1,
  "O(log n)": (n: number) => Math.log2(n),
  "O(n)": (n: number) => n,
  "O(n log n)": (n: number) => n * Math.log2(n),
  "O(n^2)": (n: number) => n * n,
} as const satisfies Record<string, (n: number) => number>;

export type GrowthBound = keyof typeof GROWTH_CURVES;

/** Times of one call at one size, in any unit. */
export interface ScalingSample {
  readonly n: number;
  readonly times: readonly number[];
}

export interface ScalingVerdict {
  readonly result: "passed" | "failed" | "inconclusive";
  readonly expected: GrowthBound;
  /** The slowest growth that the times stay within; null if they grow faster than all. */
  readonly measured: GrowthBound | null;
  /** Growth above the bound for each factor of ten in size: 0.25 is 25 % too much; negative is less than allowed. */
  readonly deviation: number;
  /** The factor by which the growth is uncertain, at least 1. */
  readonly noise: number;
}

/** `O(n log n) where n = items.length` as its bound and the size; null if it cannot be measured. */
export function readBound(text: string): { readonly bound: GrowthBound; readonly size: string | null } | null {
  const [, written = "", , variable, size] = /^\s*(O\(.*?\))(\s+where\s+([A-Za-z]\w*)\s*=\s*(.+?))?\s*$/.exec(text) ?? [];
  const name = variable ?? /\b(?!log\b)([A-Za-z]\w*)\b/.exec(written.slice(1))?.[1] ?? "n";
  const plain = written
    .replaceAll(new RegExp(`\\b${name}\\b`, "g"), "n")
    .replaceAll(/\s*\*\s*/g, " ")
    .replaceAll("²", "^2")
    .replaceAll(/\s+/g, " ");
  const same: Readonly<Record<string, GrowthBound>> = { "O(log(n))": "O(log n)", "O(n log(n))": "O(n log n)", "O(n n)": "O(n^2)" };
  const bound = same[plain] ?? (Object.hasOwn(GROWTH_CURVES, plain) ? (plain as GrowthBound) : null);
  return bound === null ? null : { bound, size: size ?? null };
}

/**
 * Compares the growth of the smallest times with the bound, from the second size to the last; a constant part of the times is left out.
 * A bound is an upper one: times that grow more slowly pass. Where the limit is within the noise, the verdict is inconclusive.
 */
export function judgeScaling(expected: GrowthBound, samples: readonly ScalingSample[]): ScalingVerdict {
  const sizes = samples.map(({ n, times }) => ({ n, time: Math.min(...times), spread: spreadOf(times) }));
  const usable = sizes.length >= 3 && sizes.every(({ time }) => Number.isFinite(time) && time > 0);
  if (!usable) return { result: "inconclusive", expected, measured: null, deviation: Number.NaN, noise: Infinity };
  const deviation = deviationFrom(GROWTH_CURVES[expected], sizes);
  const noise = uncertainty(sizes);
  const [least, most] = [(1 + deviation) / noise - 1, (1 + deviation) * noise - 1];
  const bounds = Object.keys(GROWTH_CURVES) as GrowthBound[];
  const measured = bounds.find((bound) => deviationFrom(GROWTH_CURVES[bound], sizes) <= MAX_DEVIATION) ?? null;
  const result = least > MAX_DEVIATION ? "failed" : most <= MAX_DEVIATION ? "passed" : "inconclusive";
  return { result, expected, measured, deviation, noise };
}

interface SizeTime {
  readonly n: number;
  readonly time: number;
  readonly spread: number;
}

/** How far the third fastest time is from the fastest: 0.1 is 10 %. More measurements make it smaller. */
function spreadOf(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  const [least = 1] = sorted;
  return ((sorted[Math.min(2, sorted.length - 1)] ?? least) - least) / least;
}

function compared(sizes: readonly SizeTime[]): { readonly from: SizeTime; readonly to: SizeTime; readonly decades: number } {
  const [from, to] = [sizes[1] as SizeTime, sizes.at(-1) as SizeTime];
  return { from, to, decades: Math.log10(to.n / from.n) };
}

function uncertainty(sizes: readonly SizeTime[]): number {
  const { from, to, decades } = compared(sizes);
  return ((1 + from.spread) * (1 + to.spread)) ** (1 / decades);
}

/** Times divided by the fitted curve would be the same at all sizes. */
function deviationFrom(curve: (n: number) => number, sizes: readonly SizeTime[]): number {
  const { constant, factor } = fit(curve, sizes);
  const rest = ({ n, time }: SizeTime) => time / (constant + factor * curve(n));
  const { from, to, decades } = compared(sizes);
  return (rest(to) / rest(from)) ** (1 / decades) - 1;
}

/** The least squares of relative errors of `constant + factor * curve(n)`, neither part negative. */
function fit(curve: (n: number) => number, sizes: readonly SizeTime[]): { readonly constant: number; readonly factor: number } {
  const rows = sizes.map(({ n, time }) => [1 / time, curve(n) / time] as const);
  const sum = (value: (row: readonly [number, number]) => number) => rows.reduce((total, row) => total + value(row), 0);
  const [a, b, aa, ab, bb] = [sum(([x]) => x), sum(([, y]) => y), sum(([x]) => x * x), sum(([x, y]) => x * y), sum(([, y]) => y * y)];
  const determinant = aa * bb - ab * ab;
  const [constant, factor] = [(a * bb - b * ab) / determinant, (b * aa - a * ab) / determinant];
  if (!(factor > 0) || determinant <= aa * bb * 1e-12) return { constant: a / aa, factor: 0 };
  return constant >= 0 ? { constant, factor } : { constant: 0, factor: b / bb };
}
