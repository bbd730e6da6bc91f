type Version = readonly [major: number, minor: number, patch: number];

/** `v20.11.1`, `3.12`, `20`; null for names such as `lts/iron`, and for pre-releases. */
export function parseVersion(text: string): Version | null {
  const found = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?$/.exec(text.trim());
  return found === null ? null : [Number(found[1]), Number(found[2] ?? 0), Number(found[3] ?? 0)];
}

export function compareVersions(left: string, right: string): number {
  return order(parseVersion(left) ?? [0, 0, 0], parseVersion(right) ?? [0, 0, 0]);
}

/** Whether an exact version satisfies a version file or `engines`; null if the requested text is not understood. */
export function satisfies(version: string, wanted: string): boolean | null {
  const exact = parseVersion(version);
  if (exact === null) return null;
  const ranges = wanted.split("||").map((range) => intervals(range.trim()));
  if (ranges.some((range) => range === null)) return null;
  return ranges.some((range) => range?.every(([from, to]) => order(exact, from) >= 0 && order(exact, to) < 0) === true);
}

/** `from` is inclusive, `to` exclusive. */
type Interval = readonly [from: Version, to: Version];

const LOWEST: Version = [0, 0, 0];
const HIGHEST: Version = [Number.MAX_SAFE_INTEGER, 0, 0];

/** A version must be in all of them. */
function intervals(range: string): Interval[] | null {
  const hyphen = /^(\S+)\s+-\s+(\S+)$/.exec(range);
  const parts = hyphen === null ? range.replaceAll(/([<>=^~]+)\s+/g, "$1").split(/\s+/) : [`>=${hyphen[1]}`, `<=${hyphen[2]}`];
  const found = parts.map(intervalOf);
  return found.every((interval) => interval !== null) ? found : null;
}

function intervalOf(comparator: string): Interval | null {
  const found = /^(>=|<=|>|<|=|\^|~|~>)?v?(\d+|[xX*])?(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?$/.exec(comparator);
  if (found === null) return null;
  const [, operator = "=", ...written] = found;
  const numbers = written.map((part) => (part === undefined || !/^\d+$/.test(part) ? null : Number(part)));
  const [major = null, minor = null, patch = null] = numbers;
  if (major === null) return operator === "=" || operator === ">=" ? [LOWEST, HIGHEST] : null;
  const from: Version = [major, minor ?? 0, patch ?? 0];
  // A missing part matches every number.
  const after: Version = minor === null ? [major + 1, 0, 0] : patch === null ? [major, minor + 1, 0] : [major, minor, patch + 1];
  switch (operator) {
    case ">=":
      return [from, HIGHEST];
    case ">":
      return [after, HIGHEST];
    case "<":
      return [LOWEST, from];
    case "<=":
      return [LOWEST, after];
    case "^":
      return [from, major > 0 || minor === null ? [major + 1, 0, 0] : minor > 0 || patch === null ? [0, minor + 1, 0] : after];
    case "~":
    case "~>":
      return [from, minor === null ? [major + 1, 0, 0] : [major, minor + 1, 0]];
    default:
      return [from, after];
  }
}

function order(left: Version, right: Version): number {
  for (const index of [0, 1, 2] as const) if (left[index] !== right[index]) return left[index] - right[index];
  return 0;
}
