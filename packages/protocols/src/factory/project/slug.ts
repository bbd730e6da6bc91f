import { sha256 } from "@slipway/durable/canonical";

const MAX_SLUG = 64;
const KEPT = 56;
const HASH = 7;

/** The same rule at every level of the spec. Empty if the name has no ASCII letter or digit. */
export function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, "-")
    .replaceAll(/-+/g, "-")
    .replaceAll(/^-|-$/g, "");
  return slug.length <= MAX_SLUG ? slug : `${slug.slice(0, KEPT)}-${sha256(slug).slice(0, HASH)}`;
}

/**
 * One slug per sibling, in order: the first of several equal ones keeps it, the others get a number from 2 on. Numbers that would give a
 * sibling's own slug or a taken one are skipped.
 */
export function siblingSlugs(slugs: readonly string[], taken: ReadonlySet<string> = new Set()): string[] {
  const own = new Set(slugs);
  const used = new Set(taken);
  const counts = new Map<string, number>();
  return slugs.map((slug) => {
    let result = slug;
    for (let count = counts.get(slug) ?? 1; used.has(result) || (count > 1 && own.has(result)); counts.set(slug, count)) {
      result = `${slug}-${++count}`;
    }
    used.add(result);
    return result;
  });
}
