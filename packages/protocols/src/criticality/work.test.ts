import { describe, expect, test } from "vitest";
import { parseContract } from "@slipway/languages/micro-contracts/parse";
import { runArtifactsSchema } from "./run-artifacts.ts";
import { sampleSpec } from "./spec/testing/specs.ts";
import { artifactsOf, nextRound, NO_WORK, type Work } from "./work.ts";

const ids = ["src/a.ts#f", "src/a.ts#g", "src/a.ts#h"];
const functions = ids.map((id) => ({
  id,
  path: "src/a.ts",
  name: id.split("#")[1] ?? "",
  signature: "",
  contract: parseContract("CLAIM_REF: balance_001", 1, new Set(["balance_001"])),
  calls: [],
}));
const record = (id: string, failed = false) => ({ id, module: "src/a", escalated: false, failed, failureTypes: [] });
const attempt = (currentTier: "worker" | "fallback1", totalAttempts: number) =>
  ({ functionId: ids[0] ?? "", currentTier, attemptInTier: 1, totalAttempts, digest: "d", failure: null, action: null }) as const;

const WORK: Work = {
  ...NO_WORK,
  specification: { spec: sampleSpec(), specText: "text", claimsText: "", delegated: false },
  lattice: { tree: { "src/a.ts": "secret source" }, functions, witnesses: [] },
  progress: { tree: {}, bodies: { "src/a.ts#f": "secret body" }, records: [record("src/a.ts#f"), record("src/a.ts#g", true)], visit: 1 },
  attempts: { "src/a.ts#f": [attempt("worker", 1), attempt("fallback1", 2)] },
};

describe("what readers see of a run", () => {
  test("functions are accepted, failed or holes, with attempts, tier and claims", () => {
    expect(artifactsOf(WORK).functions).toEqual([
      { id: "src/a.ts#f", status: "accepted", attempts: 2, tier: "fallback1", claims: ["balance_001"] },
      { id: "src/a.ts#g", status: "failed", attempts: 0, tier: null, claims: ["balance_001"] },
      { id: "src/a.ts#h", status: "hole", attempts: 0, tier: null, claims: ["balance_001"] },
    ]);
  });

  test("it holds no body and no source", () => {
    expect(JSON.stringify(artifactsOf(WORK))).not.toContain("secret");
  });

  test("a claim is open, passed, violated or untested with the reason", () => {
    const status = (change: Partial<Work>) => artifactsOf({ ...WORK, ...change }).claims.find(({ id }) => id === "balance_001");
    const untested = [{ untested: [{ claim: "balance_001", reason: "no function" }], tests: [] }] as unknown as Work["clusters"];
    expect([
      status({}),
      status({ passed: ["balance_001"] }),
      status({ violated: ["balance_001"] }),
      status({ clusters: untested }),
    ]).toMatchObject([
      { status: "open", reason: null },
      { status: "pass" },
      { status: "violated" },
      { status: "untested", reason: "no function" },
    ]);
  });

  test("a claim that the specification marks as not testable is untested, also if nothing refers to it", () => {
    const claims = artifactsOf(WORK).claims.filter(({ id }) => id === "elegance_001");
    expect(claims).toMatchObject([{ status: "untested", reason: "the specification says that it is not testable" }]);
  });

  test("transforms, smells and targets come from the reduction", () => {
    const change = { function: "src/a.ts#f", pattern: "guard-clause", smell: "deep-nesting", risk: 1 };
    const unmet = [
      { function: null, target: "min_test_coverage", measured: null, limit: 0.8 },
      { function: "src/a.ts#f", target: "max_nesting_depth", measured: 5, limit: 4 },
    ];
    const reduction = {
      tree: {},
      accepted: [change],
      reverted: [{ ...change, reason: "tests" }],
      smells: ["x"],
      unmet,
    } as unknown as Work["reduction"];
    const shown = artifactsOf({ ...WORK, reduction });
    expect(shown.unmet).toEqual([
      "the program: min_test_coverage is not measured, target 0.8",
      "src/a.ts#f: max_nesting_depth is 5, target 4",
    ]);
    const python = { functions: [{ path: "src/a.py", contract: { clauses: [] } }], witnesses: [] } as unknown as Work["lattice"];
    expect(artifactsOf({ ...WORK, lattice: python, reduction }).unmet[0]).toBe(
      "the program: min_test_coverage is not measured (only tests of TypeScript tell it), target 0.8",
    );
    expect([shown.accepted[0]?.reason, shown.reverted[0]?.reason]).toEqual([null, "tests"]);
    expect(runArtifactsSchema.safeParse(shown).success).toBe(true);
  });

  test("before anything is produced it is empty, and valid", () => {
    expect(runArtifactsSchema.parse(artifactsOf(NO_WORK))).toMatchObject({ spec: null, functions: [], claims: [] });
  });

  test("a phase that is entered again has another round", () => {
    expect(nextRound(nextRound(NO_WORK, "lattice"), "lattice").rounds).toEqual({ ...NO_WORK.rounds, lattice: 2 });
  });
});
