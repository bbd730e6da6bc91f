import type { ValueBounds } from "./value-bounds.ts";

const RANGE = 1_000_000;

/** `named` are numbers to try besides. */
export function numbersWithin(bounds: ValueBounds = {}, named: readonly number[] = []): string {
  const { min = lowest(bounds.max), max = highest(bounds.min), integer = false } = bounds;
  const range = stepsWithin({ ...bounds, min, max }, integer ? 1 : 4);
  if (range === null) return `fc.double({ min: ${min}, max: ${max}, noNaN: true })`;
  const options = [`min: ${range.first}`, `max: ${range.last}`, ...(integer ? ["whole: true"] : [])];
  return `$numbers({ ${[...options, ...(named.length === 0 ? [] : [`named: [${named.join(", ")}]`])].join(", ")} })`;
}

/** The first and the last of the numbers that are whole times one part of `parts` and within the bounds. */
function stepsWithin({ min = 0, minExcluded = false, max = 0, maxExcluded = false }: ValueBounds, parts: number) {
  const [low, high] = [min * parts, max * parts];
  const first = Math.ceil(low) + (minExcluded && Number.isInteger(low) ? 1 : 0);
  const last = Math.floor(high) - (maxExcluded && Number.isInteger(high) ? 1 : 0);
  const isRange = first <= last && Number.isSafeInteger(first) && Number.isSafeInteger(last);
  return isRange ? { first: first / parts, last: last / parts } : null;
}

const lowest = (max: number | undefined) => (max === undefined ? -RANGE : Math.min(-RANGE, max - RANGE));
const highest = (min: number | undefined) => (min === undefined ? RANGE : Math.max(RANGE, min + RANGE));

/** As members of an object in the text of a test. */
export function sizeWithin(bounds: ValueBounds = {}, usual: number): string {
  const { min = 0, minExcluded = false, max, maxExcluded = false } = bounds;
  const least = Math.max(0, Math.ceil(min) + (minExcluded ? 1 : 0));
  const most = max === undefined ? least + usual : Math.max(least, Math.floor(max) - (maxExcluded ? 1 : 0));
  return `minLength: ${least}, maxLength: ${most}`;
}
