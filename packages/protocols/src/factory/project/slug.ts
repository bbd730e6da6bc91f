import { sha256 } from "@slipway/durable/canonical";

const MAX_SLUG = 64;
const KEPT = 56;
const HASH = 7;

/** The same at every level of the spec. Empty when nothing of the name is a letter or a digit of ASCII. */
export function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, "-")
    .replaceAll(/-+/g, "-")
    .replaceAll(/^-|-$/g, "");
  return slug.length <= MAX_SLUG ? slug : `${slug.slice(0, KEPT)}-${sha256(slug).slice(0, HASH)}`;
}

/**
 * One slug for each sibling, in their order: the first of several equal ones keeps it, the others count from 2. A number that
 * gives another sibling's own slug, or one that is taken, is passed over.
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
