import { rulingsOf } from "@slipway/kernel/host/file-views/rules";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DispatchedRole } from "../agents.ts";
import { DISPATCHED_ROLES } from "../contract/names.ts";
import { packRulesOf } from "../../firewall/pack-rules.ts";
import { grantOf } from "../grants/write-grants.ts";
import { CREW_STATES } from "../states/states.ts";
import { creatableFiles, creatableFolders, unlistedShare } from "./pack-rules.ts";

const FOLDER = "2026-11-18_change-letters";
const OWN = `.slipway/runs/${FOLDER}`;
const FILES = [
  "src/a.ts",
  "src/deep/a.test.ts",
  "lib/b.ts",
  "test/a.test.ts",
  "package.json",
  "README.md",
  "docs/guide.md",
  "scripts/ci.sh",
];

function mayChange(role: DispatchedRole, state: (typeof CREW_STATES)[number], path: string): boolean {
  const grant = grantOf(role, { session: FOLDER, state, mode: "full" });
  const session = ["spec.md", "tasks.yaml", "status.json"].map((name) => `${OWN}/${name}`);
  const files = [...FILES, ...session, ...creatableFiles(grant, FOLDER)];
  const ruling = rulingsOf([...packRulesOf(grant, files, unlistedShare(grant)), ...creatableFolders(grant, FOLDER)])(path);
  return ruling.kind === "shown" && ruling.writable;
}

describe("the rules of an agent's files", () => {
  test("[CRW-080][CRW-081] never open an existing file that the grant does not name, in any state", () => {
    const paths = [
      ...FILES,
      `${OWN}/spec.md`,
      `${OWN}/tasks.yaml`,
      `${OWN}/status.json`,
      "slipway/policy.yaml",
      ".slipway/runs/2026-01-01_other-run/spec.md",
    ];
    fc.assert(
      fc.property(fc.constantFrom(...DISPATCHED_ROLES), fc.constantFrom(...CREW_STATES), fc.constantFrom(...paths), (role, state, path) => {
        const { mayWrite } = grantOf(role, { session: FOLDER, state, mode: "full" });
        expect(mayChange(role, state, path)).toBe(mayWrite(path));
      }),
      { numRuns: 400 },
    );
  });

  test("let each role create what is its own", () => {
    expect(mayChange("Architect", "DESIGN", `${OWN}/architecture.md`)).toBe(true);
    expect(mayChange("Architect", "DESIGN", `${OWN}/adr/ADR-007.md`)).toBe(true);
    expect(mayChange("Designer", "DESIGN", `${OWN}/design-specs/design-spec-list.md`)).toBe(true);
    expect(mayChange("QA", "IMPLEMENT_LOOP", "test/new.test.ts")).toBe(true);
    expect(mayChange("QA", "IMPLEMENT_LOOP", "lib/new.test.ts")).toBe(false);
    expect(mayChange("Docs", "RELEASE", "CHANGELOG.md")).toBe(true);
    expect(mayChange("Coder", "IMPLEMENT_LOOP", "src/new.ts")).toBe(true);
    for (const role of ["Reviewer", "Security"] as const) expect(mayChange(role, "IMPLEMENT_LOOP", "src/new.ts")).toBe(false);
  });
});
