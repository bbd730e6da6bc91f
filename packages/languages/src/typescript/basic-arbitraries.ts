import type { ValueBounds } from "./value-bounds.ts";

const RANGE = 1_000_000;

/**
 * Finite numbers: whole ones, small ones more often, and quarters, with which sums and products are exact. NaN, the infinities and other
 * fractions are left out, because predicates state nothing about them and about rounding unless they say so.
 */
export function numbersWithin(bounds: ValueBounds = {}): string {
  const { min = lowest(bounds.max), max = highest(bounds.min), integer = false } = bounds;
  const whole = wholeWithin({ ...bounds, min, max }, 1);
  const quarters = integer ? null : wholeWithin({ ...bounds, min, max }, 4);
  const all: string[] = [];
  if (whole !== null && whole.last - whole.first > 100) all.push(`fc.integer(${nearZero(whole.first, whole.last)})`);
  if (whole !== null) all.push(`fc.integer({ min: ${whole.first}, max: ${whole.last} })`);
  if (quarters !== null) all.push(`fc.integer({ min: ${quarters.first}, max: ${quarters.last} }).map((n) => n / 4)`);
  if (all.length === 0) all.push(`fc.double({ min: ${min}, max: ${max}, noNaN: true })`);
  return all.length === 1 ? (all[0] ?? "") : `fc.oneof(${all.join(", ")})`;
}

interface WholeRange {
  readonly first: number;
  readonly last: number;
}

/** The whole numbers which, divided by `parts`, are within the bounds. */
function wholeWithin({ min = 0, minExcluded = false, max = 0, maxExcluded = false }: ValueBounds, parts: number): WholeRange | null {
  const [low, high] = [min * parts, max * parts];
  const first = Math.ceil(low) + (minExcluded && Number.isInteger(low) ? 1 : 0);
  const last = Math.floor(high) - (maxExcluded && Number.isInteger(high) ? 1 : 0);
  return first <= last && Number.isSafeInteger(first) && Number.isSafeInteger(last) ? { first, last } : null;
}

const lowest = (max: number | undefined) => (max === undefined ? -RANGE : Math.min(-RANGE, max - RANGE));
const highest = (min: number | undefined) => (min === undefined ? RANGE : Math.max(RANGE, min + RANGE));

function nearZero(first: number, last: number): string {
  const [low, high] = first > 0 ? [first, first + 40] : last < 0 ? [last - 40, last] : [Math.max(first, -20), Math.min(last, 20)];
  return `{ min: ${low}, max: ${high} }`;
}

export function sizeWithin(bounds: ValueBounds = {}, usual: number): string {
  const { min = 0, minExcluded = false, max, maxExcluded = false } = bounds;
  const least = Math.max(0, Math.ceil(min) + (minExcluded ? 1 : 0));
  const most = max === undefined ? least + usual : Math.max(least, Math.floor(max) - (maxExcluded ? 1 : 0));
  return `{ minLength: ${least}, maxLength: ${most} }`;
}
