import { guarded, transformed } from "../cassette.ts";

const PARTITION = `export function partition<T>(items: readonly T[], wanted: (item: T) => boolean): Parted<T> {
  return { chosen: items.filter((item) => wanted(item)), others: items.filter((item) => !wanted(item)) };
}`;

const FORMAT = `export function formatSku(parts: SkuParts): Sku {
  const largest = 9999;
  const digits = 4;
  if (!/^[A-Z]{3}$/.test(parts.family)) throw new RangeError("The family must be three capital letters.");
  if (!Number.isInteger(parts.serial) || parts.serial < 0 || parts.serial > largest) throw new RangeError("The serial number must have up to four digits.");
  return sku(\`\${parts.family}-\${String(parts.serial).padStart(digits, "0")}\`);
}`;

/** Answers to the patterns that the catalog proposes. */
export const TRANSFORMS = [
  guarded("domain.collections.chunk", "loop-to-map.1.1", "The loop advances by more than one element."),
  transformed("domain.collections.partition", "loop-to-map.1.1", PARTITION),
  transformed("domain.sku.formatSku", "extract-magic-value.1.1", FORMAT),
];
