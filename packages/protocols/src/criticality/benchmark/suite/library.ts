import type { BenchmarkCase } from "./case.ts";

const VERSIONS = String.raw`/** A version with three numbers. */
export interface PlainVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/**
 * Reads MAJOR.MINOR.PATCH: whole numbers of one to nine digits, without leading zeros. Null for anything else.
 * ENSURES: text.split(".").length !== 3 implies result === null
 * ENSURES: result === null || result.major + "." + result.minor + "." + result.patch === text
 * PURITY: pure
 */
export function parseVersion(text: string): PlainVersion | null {
  throw new Error("hole");
}

/**
 * Negative if left is older than right, positive if it is newer, otherwise 0.
 * ENSURES: left.major < right.major implies result < 0
 * ENSURES: left.major === right.major && left.minor === right.minor && left.patch === right.patch implies result === 0
 * ENSURES: left.major === right.major && left.minor === right.minor && left.patch > right.patch implies result > 0
 * PURITY: pure
 */
export function compareVersions(left: PlainVersion, right: PlainVersion): number {
  throw new Error("hole");
}
`;

const RANGES = String.raw`import { compareVersions, parseVersion, type PlainVersion } from "./versions.ts";

/** Versions from the least, which is included, to the limit, which is not. */
export interface VersionRange {
  readonly least: PlainVersion;
  readonly limit: PlainVersion;
}

/**
 * The first version that is not compatible with this one: the next major version; for 0.MINOR.PATCH the next minor version; for 0.0.PATCH
 * the next patch.
 * ENSURES: version.major > 0 implies result.major === version.major + 1 && result.minor === 0 && result.patch === 0
 * ENSURES: version.major === 0 && version.minor > 0 implies result.major === 0 && result.minor === version.minor + 1 && result.patch === 0
 * PURITY: pure
 */
export function nextBreaking(version: PlainVersion): PlainVersion {
  throw new Error("hole");
}

/**
 * Reads a range. ^1.2.3 are compatible versions from 1.2.3 on; ~1.2.3 are versions from 1.2.3 on with the same major and minor number;
 * 1.2.3 is this version alone. Null for anything else.
 * ENSURES: text === "" implies result === null
 * PURITY: pure
 */
export function parseVersionRange(text: string): VersionRange | null {
  throw new Error("hole");
}

/**
 * ENSURES: version.major < range.least.major implies result === false
 * ENSURES: version.major > range.limit.major implies result === false
 * PURITY: pure
 */
export function isInRange(version: PlainVersion, range: VersionRange): boolean {
  throw new Error("hole");
}
`;

const RESOLVE = String.raw`import { isInRange, parseVersionRange } from "../domain/ranges.ts";
import { compareVersions, parseVersion } from "../domain/versions.ts";

/**
 * The newest of the versions that is in the range, as it is written. Texts that are no versions are ignored. Null if none is in the range,
 * or the range is none.
 * ENSURES: versions.length === 0 implies result === null
 * ENSURES: result === null || versions.includes(result)
 * PURITY: pure
 */
export function newestInRange(versions: readonly string[], range: string): string | null {
  throw new Error("hole");
}
`;

/** A library that resolves versions. */
export const LIBRARY: BenchmarkCase = {
  id: "integration/library",
  level: "integration",
  title: "a library for versions and ranges",
  files: { "src/domain/versions.ts": VERSIONS, "src/domain/ranges.ts": RANGES, "src/services/resolve.ts": RESOLVE },
  calls: {
    "src/domain/ranges.ts#parseVersionRange": ["src/domain/versions.ts#parseVersion", "src/domain/ranges.ts#nextBreaking"],
    "src/domain/ranges.ts#isInRange": ["src/domain/versions.ts#compareVersions"],
    "src/services/resolve.ts#newestInRange": [
      "src/domain/versions.ts#parseVersion",
      "src/domain/versions.ts#compareVersions",
      "src/domain/ranges.ts#parseVersionRange",
      "src/domain/ranges.ts#isInRange",
    ],
  },
  hidden: String.raw`import assert from "node:assert/strict";
import { test } from "node:test";
import { parseVersionRange } from "../../src/domain/ranges.ts";
import { compareVersions, parseVersion } from "../../src/domain/versions.ts";
import { newestInRange } from "../../src/services/resolve.ts";

const VERSIONS = ["1.2.3", "1.10.0", "0.2.9", "nothing", "1.2.30", "2.0.0", "0.0.4", "0.2.0"];

test("reads versions", () => {
  assert.deepEqual(parseVersion("1.20.3"), { major: 1, minor: 20, patch: 3 });
  for (const text of ["1.2", "01.2.3", "1.2.3.4", "v1.2.3", "1.2.x", "", " 1.2.3"]) assert.equal(parseVersion(text), null);
});

test("compares numbers, not texts", () => {
  assert.ok(compareVersions({ major: 1, minor: 9, patch: 0 }, { major: 1, minor: 10, patch: 0 }) < 0);
});

test("finds the newest compatible version", () => {
  assert.equal(newestInRange(VERSIONS, "^1.2.3"), "1.10.0");
  assert.equal(newestInRange(VERSIONS, "~1.2.3"), "1.2.30");
  assert.equal(newestInRange(VERSIONS, "1.2.3"), "1.2.3");
  assert.equal(newestInRange(VERSIONS, "^0.2.0"), "0.2.9");
  assert.equal(newestInRange(VERSIONS, "^0.0.4"), "0.0.4");
});

test("finds nothing", () => {
  assert.equal(newestInRange(VERSIONS, "^3.0.0"), null);
  assert.equal(newestInRange(VERSIONS, ">=1.0.0"), null);
  assert.equal(parseVersionRange("^1.2"), null);
});
`,
};
