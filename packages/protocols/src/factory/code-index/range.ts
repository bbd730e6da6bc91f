type Version = readonly [major: number, minor: number, patch: number];

/**
 * Whether a version is in a range of a dependency: `1.2.3`, `=1.2.3`, `^1.2.3`, `~1.2`, `>=1.0.0 <2.0.0`, `1.x`, `*`, and alternatives with
 * `||`. A range that cannot be parsed contains no version.
 */
export function inRange(version: string, range: string): boolean {
  const wanted = versionOf(version);
  if (wanted === null) return false;
  return range.split("||").some((alternative) => {
    const parts = alternative
      .trim()
      .replace(/([<>=^~])\s+/g, "$1")
      .split(/\s+/);
    return parts.every((part) => inPart(wanted, part));
  });
}

function inPart(version: Version, part: string): boolean {
  const match = /^(\^|~|>=|<=|>|<|=)?v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?$/.exec(part);
  if (match === null) return false;
  const [, operator = "=", ...written] = match;
  const numbers = written.filter((number): number is string & {} => number !== undefined && /^\d+$/.test(number)).map(Number);
  const [major = 0, minor = 0, patch = 0] = numbers;
  const from: Version = [major, minor, patch];
  const after = numbers.length === 0 ? null : ceiling(operator, from, numbers.length);
  switch (operator) {
    case ">=":
      return compare(version, from) >= 0;
    case ">":
      return numbers.length === 3 ? compare(version, from) > 0 : after !== null && compare(version, after) >= 0;
    case "<":
      return compare(version, from) < 0;
    case "<=":
      return numbers.length === 3 ? compare(version, from) <= 0 : after === null || compare(version, after) < 0;
    default:
      return compare(version, from) >= 0 && (after === null || compare(version, after) < 0);
  }
}

/** The first version above the range of this part. */
function ceiling(operator: string, [major, minor, patch]: Version, written: number): Version {
  if (operator === "^") {
    if (major > 0 || written === 1) return [major + 1, 0, 0];
    return minor > 0 || written === 2 ? [0, minor + 1, 0] : [0, 0, patch + 1];
  }
  if (written === 1) return [major + 1, 0, 0];
  return written === 2 || operator === "~" ? [major, minor + 1, 0] : [major, minor, patch + 1];
}

function versionOf(text: string): Version | null {
  const match = /^(\d+)\.(\d+)\.(\d+)$/.exec(text);
  return match === null ? null : [Number(match[1]), Number(match[2]), Number(match[3])];
}

function compare(left: Version, right: Version): number {
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
}
