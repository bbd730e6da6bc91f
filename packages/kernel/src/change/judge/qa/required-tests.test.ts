import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gatesSchema } from "../../../config/gates.ts";
import { requiredTests } from "./required-tests.ts";

const config = gatesSchema.parse({
  version: 1,
  profiles: {
    default: {
      modes: {
        fast: [
          { name: "lint", cmd: ["lint"] },
          { name: "web", cmd: ["test"], cwd: "packages/web" },
        ],
        full: [
          { name: "api", cmd: ["test"], cwd: "./packages/api/" },
          { name: "all", cmd: ["test"], cwd: "." },
        ],
        merge: [{ name: "end-to-end", cmd: ["test"] }],
      },
    },
    other: { modes: { fast: [{ name: "one", cmd: ["x"] }], full: [{ name: "two", cmd: ["x"] }] } },
  },
});

describe("[FEA-059] the tests a change requires", () => {
  test.each([
    ["README.md", ["fast:lint", "full:all", "merge:end-to-end"]],
    ["packages/web/a.ts", ["fast:lint", "fast:web", "full:all", "merge:end-to-end"]],
    ["packages/api/a.ts", ["fast:lint", "full:api", "full:all", "merge:end-to-end"]],
    ["packages/api2/a.ts", ["fast:lint", "full:all", "merge:end-to-end"]],
  ])("for %s are the steps that check it, in the order of the file", (path, wanted) => {
    expect(requiredTests(config, "default", path)).toEqual(wanted);
  });

  test("come from the feature's own profile; an unknown profile has none", () => {
    expect(requiredTests(config, "other", "a")).toEqual(["fast:one", "full:two"]);
    for (const profile of ["nothing", "constructor", "__proto__"]) expect(requiredTests(config, profile, "a")).toEqual([]);
  });

  test("are deterministic for configuration and path, without duplicates", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "b", "packages", "api", "web"), { minLength: 1, maxLength: 4 }), (segments) => {
        const path = segments.join("/");
        const list = requiredTests(config, "default", path);
        expect(requiredTests(structuredClone(config), "default", path)).toEqual(list);
        expect(new Set(list).size).toBe(list.length);
      }),
    );
  });
});
