import { expect, test } from "vitest";
import { recheck, type BuiltModule } from "./recheck-rules.ts";
import { supersededBy } from "./supersede.ts";

const built = (now: { ref: string; fingerprint: string } | null, asks = "MM-b@^1.0.0", moved = false): BuiltModule => ({
  module_ref: "MM-a@1.0.0",
  asks: [asks],
  uses: [{ ref: "MM-b@1.0.0", fingerprint: "f", now, moved }],
});

test.each([
  ["nothing changed", built({ ref: "MM-b@1.0.0", fingerprint: "f" }), { kept: true, retest: [] }],
  ["an indirect new version", built({ ref: "MM-b@1.0.0", fingerprint: "f" }, "MM-b@^1.0.0", true), { kept: true, retest: ["MM-a@1.0.0"] }],
  ["a new version, the same interface", built({ ref: "MM-b@1.0.1", fingerprint: "f" }), { kept: true, retest: ["MM-a@1.0.0"] }],
  [
    "another interface",
    built({ ref: "MM-b@2.0.0", fingerprint: "g" }),
    { kept: false, because: "the interface of MM-b changed (MM-b@1.0.0 to MM-b@2.0.0)" },
  ],
  ["no task makes it any more", built(null), { kept: false, because: "MM-b, which MM-a@1.0.0 calls, is no longer made" }],
  [
    "a version outside the contract's range",
    built({ ref: "MM-b@1.0.1", fingerprint: "f" }, "MM-b@1.0.0"),
    { kept: false, because: "MM-a@1.0.0 needs MM-b@1.0.0, but the current version is MM-b@1.0.1" },
  ],
])("%s", (_, module, verdict) => expect(recheck([module])).toEqual(verdict));

test("only a new version of the same module supersedes it", () => {
  const now = ["MM-a@1.0.1", "MM-b@1.0.0", "MM-d@1.0.0"];
  expect(supersededBy(["MM-a@1.0.0", "MM-b@1.0.0", "MM-c@1.0.0"], now)).toEqual([
    { module_ref: "MM-a@1.0.0", superseded_by: "MM-a@1.0.1" },
  ]);
});
