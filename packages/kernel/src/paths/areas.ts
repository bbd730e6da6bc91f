import { SlipwayError } from "../schema/errors.ts";
import picomatch from "picomatch";
import { canonicalPath, foldedPath, visible, type CanonicalPath } from "./paths.ts";

export type Matching = "repo_prefix" | "glob";

/** Says which of the areas covers a path, or null. */
export type AreaMatcher = (path: string) => string | null;

const MAX_GLOB = 256;
const MAX_STARS_PER_SEGMENT = 3;
const WHOLE_REPOSITORY = ".";

/** Areas are paths too, except that "." may mean the whole repository. */
export function canonicalArea(raw: string): CanonicalPath {
  return raw === "." || raw === "./" ? { ok: true, path: WHOLE_REPOSITORY } : canonicalPath(raw);
}

/** Why a glob is refused: patterns come from agents, and what they cost must be bounded. */
export function globProblem(glob: string): string | null {
  if (glob.length > MAX_GLOB) return `is longer than ${MAX_GLOB} characters`;
  if (/[!@+?*]\(/.test(glob)) return "uses an extended glob such as +(a|b)";
  for (const segment of glob.split("/")) {
    if (segment === "**") continue;
    if ((segment.match(/\*/g) ?? []).length > MAX_STARS_PER_SEGMENT) {
      return `has more than ${MAX_STARS_PER_SEGMENT} stars in one segment`;
    }
    if (segment.includes("**")) return 'uses "**" as part of a name; it stands alone between slashes';
    const braces = segment.match(/[{}]/g) ?? [];
    if (braces.length > 0 && !/^[^{}]*\{[^{}]*\}[^{}]*$/.test(segment)) return "has braces that are nested, repeated or cross a slash";
    if (/\[[^\]]*$/.test(segment)) return "has an unclosed bracket";
  }
  return null;
}

/** Whole segments: "src/api" covers "src/api/x.ts" and not "src/api2/x.ts"; as globs, exactly what the pattern matches. */
export function areaMatcher(areas: readonly string[], matching: Matching): AreaMatcher {
  const rules = areas.map((area) => ({ area, covers: coverage(area, matching) }));
  return (path) => rules.find(({ covers }) => covers(path))?.area ?? null;
}

/** For rules that forbid: also covers what a case-insensitive file system would take for the same path. */
export function strictAreaMatcher(areas: readonly string[], matching: Matching): AreaMatcher {
  const rules = areas.map((area) => ({ area, covers: coverage(foldedPath(area), matching) }));
  return (path) => rules.find(({ covers }) => covers(foldedPath(path)))?.area ?? null;
}

function coverage(area: string, matching: Matching): (path: string) => boolean {
  if (area === WHOLE_REPOSITORY) return () => true;
  if (matching === "repo_prefix") return (path) => path === area || path.startsWith(`${area}/`);
  const problem = globProblem(area);
  if (problem !== null) throw new SlipwayError("policy_violation", `The area ${visible(area)} ${problem}.`, { area });
  const pattern = area.split("/").map((segment) => (segment === "**" ? ANY_DEPTH : segmentMatcher(segment)));
  return (path) => matchesSegments(pattern, path.split("/"));
}

const ANY_DEPTH = Symbol("**");

/** Parentheses and bars are letters of a name here; picomatch would take them for a regular expression. */
function segmentMatcher(segment: string): (text: string) => boolean {
  return picomatch(segment.replaceAll(/[()|]/g, "\\$&"), { dot: true, noextglob: true, noglobstar: true, nonegate: true });
}

/**
 * "**" by hand, one row per pattern segment, so that the cost is pattern × path whatever an agent writes;
 * a regular expression with several "**" in it backtracks.
 */
function matchesSegments(pattern: readonly (typeof ANY_DEPTH | ((segment: string) => boolean))[], segments: readonly string[]): boolean {
  let reachable = [true, ...segments.map(() => false)];
  for (const step of pattern) {
    const next = reachable.map(() => false);
    if (step === ANY_DEPTH) {
      let open = false;
      reachable.forEach((here, index) => (next[index] = open ||= here));
    } else {
      segments.forEach((segment, index) => (next[index + 1] = reachable[index] === true && step(segment)));
    }
    reachable = next;
  }
  return reachable.at(-1) === true;
}
