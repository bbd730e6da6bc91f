import { expect, test } from "vitest";
import { compareVersions, parseVersion, satisfies } from "./version-range.ts";

test.each([
  ["20.11.1", "20", true],
  ["20.11.1", "v20.11", true],
  ["20.11.1", "20.11.1", true],
  ["20.11.1", "20.11.2", false],
  ["20.11.1", ">=18", true],
  ["20.11.1", ">= 22", false],
  ["20.11.1", ">18.0.0 <21", true],
  ["20.11.1", ">20", false],
  ["20.11.1", "<=20", true],
  ["20.11.1", "<20", false],
  ["20.11.1", "^20.9.0 || >=22", true],
  ["21.0.0", "^20.9.0 || >=22", false],
  ["20.11.1", "^20.12.0", false],
  ["0.4.2", "^0.4.1", true],
  ["0.5.0", "^0.4.1", false],
  ["0.0.3", "^0.0.3", true],
  ["0.0.4", "^0.0.3", false],
  ["0.9.0", "^0", true],
  ["3.12.1", "~3.12", true],
  ["3.13.0", "~3.12.0", false],
  ["3.13.0", "~3", true],
  ["20.11.1", "18 - 20", true],
  ["21.0.0", "18 - 20", false],
  ["20.11.1", "20.x", true],
  ["20.11.1", "*", true],
  ["20.11.1", "", true],
  ["20.11.1", "lts/iron", null],
  ["20.11.1", "<x", null],
  ["system", "20", null],
])("%s satisfies %j: %s", (version, wanted, expected) => expect(satisfies(version, wanted)).toBe(expected));

test("versions are ordered by their numbers", () => {
  expect(["v9.1.0", "v10.0.0", "v9.11.0"].toSorted(compareVersions)).toEqual(["v9.1.0", "v9.11.0", "v10.0.0"]);
  expect(parseVersion("22.0.0-rc.1")).toBeNull();
});
