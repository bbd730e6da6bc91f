import { SlipwayError } from "@slipway/agents/errors";
import type { LanguageAdapter, SourceTree } from "@slipway/languages/adapter";
import type { StructuredClaim } from "@slipway/languages/property-tests/claim";
import type { TestRun } from "@slipway/languages/typescript/test-run";
import { describe, expect, test } from "vitest";
import type { CriticalityRun } from "../criticality-run.ts";
import type { LatticeFunction } from "../lattice/lattice.ts";
import { typescript } from "../mass-defect/testing/adapters.ts";
import { playPhase, type AskedModel } from "../mass-defect/testing/phase-scene.ts";
import { sampleSpec } from "../spec/testing/specs.ts";
import { deriveClusters } from "./clusters.ts";
import { recordViolation } from "./reinject.ts";
import { runCluster } from "./run-clusters.ts";
import { renderTest, synthesizeTests } from "./synthesize-tests.ts";

const SPEC = sampleSpec({
  interfaces: {
    Accounts: { methods: [{ name: "deposit", params: [], returns: "void" }] },
    Clock: { methods: [{ name: "tick", params: [], returns: "void" }] },
  },
  data_models: {},
  claims: {
    balance_001: { text: "The balance is never negative", type: "invariant", testable: true },
    balance_002: { text: "A deposit raises the balance", type: "behavioral", testable: true },
    style_001: { text: "The code is elegant", type: "behavioral", testable: false },
    time_001: { text: "After a tick the time is later", type: "temporal", testable: true },
  },
});
const CODE = "export function deposit(amount: number): number {\n  return amount; // SECRET_BODY\n}\n";
const TREE: SourceTree = { "src/account.ts": CODE, "src/clock.ts": "export function tick(): void {\n  return;\n}\n" };
const lattice = (path: string, name: string, claims: readonly string[]): LatticeFunction => ({
  id: `${path}#${name}`,
  path,
  name,
  signature: `export function ${name}(): number`,
  contract: { clauses: claims.map((claim, index) => ({ kind: "CLAIM_REF", claim, line: index + 1 })) },
  calls: [],
});
const FUNCTIONS = [
  lattice("src/account.ts", "deposit", ["balance_001", "balance_002", "style_001"]),
  lattice("src/clock.ts", "tick", ["time_001"]),
];
const { clusters: CLUSTERS } = deriveClusters(SPEC, FUNCTIONS);
const [ACCOUNTS, CLOCK] = CLUSTERS;
if (ACCOUNTS === undefined || CLOCK === undefined) throw new Error("two clusters");

const structured = (id: string, type: string, changes: object = {}) => ({
  id,
  type,
  subject: "balance",
  predicate: ">= 0",
  scope: "always",
  testable: true,
  requires_mocking: [],
  suggested_generators: [],
  ...changes,
});
const GOOD = { claims: [structured("balance_001", "invariant"), structured("balance_002", "behavioral")] };

/** Templates without a model: one test for each claim. */
const language = {
  ...typescript,
  claimTest: (_tree: SourceTree, claim: StructuredClaim) => ({
    path: `tests/${claim.id}.test.ts`,
    text: `// ${claim.predicate}`,
    tests: claim.predicate === "no template" ? [] : [`${claim.id} holds`],
    untested: claim.predicate === "no template" ? [{ subject: claim.id, reason: "the predicate is prose" }] : [],
  }),
} as unknown as LanguageAdapter;

type Script = (asked: AskedModel, count: number) => unknown;
function synthesize(script: Script, cluster = ACCOUNTS) {
  const counts = new Map<string, number>();
  const answers = (asked: AskedModel) => {
    const count = counts.get(asked.skill) ?? 0;
    counts.set(asked.skill, count + 1);
    return script(asked, count);
  };
  const input = { spec: SPEC, lattice: { tree: TREE, functions: FUNCTIONS }, cluster: cluster as NonNullable<typeof cluster>, round: 1 };
  return playPhase(answers, (run) => synthesizeTests(run, input), language);
}
const accepting: Script = ({ skill }) => (skill === "parse_claims" ? GOOD : { verdicts: [] });

describe("the synthesis of tests", () => {
  test("[CRI-140] the structurer parses claims; [CRI-144] the auditor checks their form", async () => {
    const { asked, value } = await synthesize(accepting);
    expect(asked.map(({ skill, alias }) => [skill, alias])).toEqual([
      ["parse_claims", "structurer_model"],
      ["audit_claims", "auditor_model"],
    ]);
    expect(value.tests.map(({ claim, test: { path } }) => [claim, path])).toEqual([
      ["balance_001", "tests/balance_001.test.ts"],
      ["balance_002", "tests/balance_002.test.ts"],
    ]);
  });

  test("[CRI-069] models see claims and public interfaces, and no body", async () => {
    const { asked } = await synthesize(accepting);
    for (const { artifacts } of asked) {
      const whole = artifacts.map(({ text }) => text).join("\n");
      expect(whole).toContain("The balance is never negative");
      expect(whole).toContain("src/account.ts#deposit\n  export function deposit(): number");
      expect(whole).not.toMatch(/SECRET_BODY|return amount/);
    }
  });

  test.each([
    ["a missing field", [{ ...structured("balance_001", "invariant"), scope: undefined }, structured("balance_002", "behavioral")]],
    ["an additional field", [structured("balance_001", "invariant", { code: "x" }), structured("balance_002", "behavioral")]],
    ["an unknown type", [structured("balance_001", "eternal"), structured("balance_002", "behavioral")]],
    ["another type than the specification's", [structured("balance_001", "negative"), structured("balance_002", "behavioral")]],
    ["a missing claim", [structured("balance_001", "invariant")]],
    ["a claim twice", [structured("balance_001", "invariant"), ...GOOD.claims]],
    ["a claim that was not asked for", [...GOOD.claims, structured("other_001", "invariant")]],
  ])("[CRI-140] %s is rejected", async (_what, claims) => {
    await expect(synthesize(({ skill }) => (skill === "parse_claims" ? { claims } : { verdicts: [] }))).rejects.toThrow();
  });

  test("[CRI-141] a claim that is not testable gets no test, is shown to no model, and is listed as untested", async () => {
    const { value, asked } = await synthesize(accepting);
    expect(value.untested).toEqual([{ claim: "style_001", reason: "the specification says that it is not testable" }]);
    expect(asked[0]?.artifacts[0]?.text).not.toContain("elegant");
  });

  test("[CRI-141] a claim that the structurer cannot structure, or that no template fits, is listed with the reason", async () => {
    const claims = [
      structured("balance_001", "invariant", { testable: false }),
      structured("balance_002", "behavioral", { predicate: "no template" }),
    ];
    const { value } = await synthesize(({ skill }) => (skill === "parse_claims" ? { claims } : { verdicts: [] }));
    expect(value.tests).toEqual([]);
    expect(Object.fromEntries(value.untested.map(({ claim, reason }) => [claim, reason]))).toEqual({
      style_001: "the specification says that it is not testable",
      balance_001: "the structurer found no test for it",
      balance_002: "the predicate is prose",
    });
  });

  test("[CRI-141] templates render tests without a model call", async () => {
    const { asked, value } = await synthesize(accepting);
    expect(value.tests[0]?.test.text).toBe("// >= 0");
    expect(asked.every(({ skill }) => skill === "parse_claims" || skill === "audit_claims")).toBe(true);
  });

  test("a form that the auditor rejects is done once more with the objection, for that claim only", async () => {
    const { asked, value } = await synthesize(({ skill }, count) => {
      if (skill === "parse_claims") return count === 0 ? GOOD : { claims: [structured("balance_001", "invariant", { predicate: "> 0" })] };
      return { verdicts: count === 0 ? [{ id: "balance_001", faithful: false, reason: "zero is allowed" }] : [] };
    });
    expect(asked[2]?.artifacts.map(({ kind }) => kind)).toContain("objections");
    expect(asked[2]?.artifacts.find(({ kind }) => kind === "objections")?.text).toContain("zero is allowed");
    expect(value.tests.map(({ test: { text } }) => text)).toEqual(["// > 0", "// >= 0"]);
  });

  test("a form that the auditor rejects twice leaves the claim untested", async () => {
    const { value } = await synthesize(({ skill, artifacts }) => {
      if (skill !== "parse_claims") return { verdicts: [{ id: "balance_001", faithful: false, reason: "wrong" }] };
      return artifacts.some(({ kind }) => kind === "objections") ? { claims: [structured("balance_001", "invariant")] } : GOOD;
    });
    expect(value.tests.map(({ claim }) => claim)).toEqual(["balance_002"]);
    expect(value.untested).toContainEqual({ claim: "balance_001", reason: "the auditor does not accept its structured form: wrong" });
  });

  test("an adapter that refuses a claim leaves it untested; another error is not hidden", () => {
    const claim = { ...structured("a_1", "invariant"), text: "t" } as StructuredClaim;
    const failing = (error: Error) =>
      ({
        ...language,
        claimTest: () => {
          throw error;
        },
      }) as unknown as LanguageAdapter;
    expect(renderTest(failing(new SlipwayError("schema_validation_failed", "no generator")), TREE, claim)).toEqual({
      claim: "a_1",
      reason: "no generator",
    });
    expect(() => renderTest(failing(new TypeError("bug")), TREE, claim)).toThrow("bug");
    expect(renderTest(language, TREE, { ...claim, testable: false })).toEqual({ claim: "a_1", reason: "it is not testable" });
  });
});

describe("the run of a cluster", () => {
  const claimTest = (claim: string) => ({
    claim,
    test: { path: `tests/${claim}.test.ts`, text: `// ${claim}`, tests: [`${claim} holds`], untested: [] },
  });
  const tests = { cluster: ACCOUNTS, tests: ["balance_001", "balance_002"].map(claimTest), untested: [] };
  const result = (claim: string, passed: boolean): TestRun => ({
    tests: [{ name: `${claim} holds`, result: passed ? "PASS" : "FAIL", duration_ms: 1, error: null }],
    skipped: [],
    broken: null,
  });

  function play(violated: readonly string[]) {
    const ran: { readonly tree: SourceTree; readonly files: readonly string[] }[] = [];
    const runTests = async (tree: SourceTree, files: readonly string[]) => {
      ran.push({ tree, files });
      const claim = files[0]?.slice("tests/".length, -".test.ts".length) ?? "";
      return result(claim, !violated.includes(claim));
    };
    const phase = (run: CriticalityRun) => runCluster(run, tests, { tree: TREE, runTests, round: 1 });
    return playPhase(() => null, phase, language).then((outcome) => ({ ...outcome, ran }));
  }

  test("runs the tests of each claim alone, on the implemented code", async () => {
    const { value, ran, asked } = await play([]);
    expect(value).toEqual({ type: "pass" });
    expect(ran).toEqual([
      { tree: { ...TREE, "tests/balance_001.test.ts": "// balance_001" }, files: ["tests/balance_001.test.ts"] },
      { tree: { ...TREE, "tests/balance_002.test.ts": "// balance_002" }, files: ["tests/balance_002.test.ts"] },
    ]);
    expect(asked).toEqual([]);
  });

  test("[CRI-009] one violated claim is enough to fail it, and the other claims still run", async () => {
    const { value, ran } = await play(["balance_001"]);
    expect(value).toEqual({ type: "fail", violatedClaims: ["balance_001"] });
    expect(ran).toHaveLength(2);
  });

  test("[CRI-072] violated claims are noted in the ledger by their ids", async () => {
    const { decisions } = await playPhase(
      () => null,
      (run) => recordViolation(run, "violation", ACCOUNTS, ["balance_001", "balance_002"]),
    );
    expect(decisions.map(({ constraint, source, phase }) => [constraint, source, phase])).toEqual([
      ["Claim balance_001 was violated in cluster accounts and must hold", "mesoscopic_failure", "mesoscopic"],
      ["Claim balance_002 was violated in cluster accounts and must hold", "mesoscopic_failure", "mesoscopic"],
    ]);
  });
});
