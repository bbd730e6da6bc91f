/** Bounds that can be measured, slowest growth first. */
export const GROWTH_BOUNDS = ["O(1)", "O(log n)", "O(n)", "O(n log n)", "O(n^2)"] as const;
export type GrowthBound = (typeof GROWTH_BOUNDS)[number];

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
  const bound = same[plain] ?? GROWTH_BOUNDS.find((one) => one === plain) ?? null;
  return bound === null ? null : { bound, size: size ?? null };
}
