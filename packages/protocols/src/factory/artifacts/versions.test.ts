import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nextVersion } from "@slipway/languages/contracts/version";
import { assertHigher, compareVersions, highestVersion, VERSION } from "./versions.ts";

const part = fc.nat({ max: 30 });
const version = fc.tuple(part, part, part);

test("[FAC-103] versions compare numerically, and a lineage only grows", () => {
  fc.assert(
    fc.property(version, version, (left, right) => {
      const index = left.findIndex((number, at) => number !== right[at]);
      const expected = index < 0 ? 0 : Math.sign(left[index]! - right[index]!);
      expect(compareVersions(left.join("."), right.join("."))).toBe(expected);
      const higher = () => assertHigher(left.join("."), ["0.0.0", right.join(".")]);
      if (compareVersions(left.join("."), "0.0.0") > 0 && expected > 0) higher();
      else expect(higher).toThrow(expect.objectContaining({ code: "version_conflict" }));
    }),
  );
  assertHigher("0.0.1", []);
  expect(highestVersion(["1.9.0", "1.10.0", "1.2.30"])).toBe("1.10.0");
  expect(highestVersion([])).toBeNull();
});

test.each(["1.0", "1.0.0-rc", "v1.0.0", "1.0.0.0", "", "1.x.0"])("[FAC-103] %j is no version", (text) => {
  expect(VERSION.test(text)).toBe(false);
  expect(() => compareVersions(text, "1.0.0")).toThrow(/is not a version/);
});

describe("the next version of a module", () => {
  const before = { version: "1.4.2", fingerprint: "f" };

  test("[FAC-093] is a patch exactly if the fingerprint is the same", () => {
    expect(nextVersion(before, "f", null)).toBe("1.4.3");
    expect(() => nextVersion(before, "g", null)).toThrow(/interface change exception/);
  });

  test.each([
    ["BACKWARD_COMPATIBLE", "1.5.0"],
    ["BREAKING", "2.0.0"],
    ["UNKNOWN", "2.0.0"],
  ] as const)("[FAC-094] after a change that is %s is %s", (expectation, expected) => {
    expect(nextVersion(before, "g", expectation)).toBe(expected);
  });

  test("[FAC-092] of a new module is 1.0.0", () => {
    expect(nextVersion(null, "f", null)).toBe("1.0.0");
  });
});
