import type { Contract } from "@slipway/languages/contracts/schema";
import type { ModuleReport } from "../../reuse/schema.ts";
import type { PlanDraft, PlannedModule } from "../micro-plan.ts";

/** A small correct module: doubles a number that is not negative. */
export function contractOf(id = "MM-twice", name = "twice", change: Partial<Contract> = {}): Contract {
  return {
    module_id: id,
    module_version: "1.0.0",
    name,
    purpose: `Doubles a number (${name}).`,
    tags: ["number"],
    inputs: [{ name: "n", type: "number", constraints: ["not negative"] }],
    outputs: [{ name: "double", type: "number", invariants: ["even for whole numbers"] }],
    error_surfaces: [{ name: "NegativeError", when: "n is negative", surface: "exception" }],
    effects: [],
    modes: { sync: true, async: false, notes: "" },
    error_cases: ["n is negative"],
    dependencies: [],
    compatibility: { backward_compatible_with: [], breaking_change_policy: "a new major version" },
    runtime_budgets: {},
    ...change,
  };
}

export const CRITERIA = ["A number is doubled.", "A negative number is refused."];

export function codeOf(name = "twice"): string {
  return `export class NegativeError extends Error {}\n\nexport function ${name}(n: number): number {\n  if (n < 0) throw new NegativeError("n is negative");\n  return n * 2;\n}\n`;
}

export function testsOf(name = "twice"): string {
  return `import { test } from "node:test";
import assert from "node:assert/strict";
import { ${name}, NegativeError } from "../implementation/index.ts";

test("doubles", () => assert.equal(${name}(21), 42));
test("whole numbers become even", () => assert.equal(${name}(3) % 2, 0));
test("refuses a negative number", () => assert.throws(() => ${name}(-1), NegativeError));
`;
}

export function examplesOf(name = "twice"): string {
  return `# Examples

## Doubling a number
Twenty-one doubled is forty-two.

\`\`\`ts
${name}(21)
\`\`\`
\`\`\`ts
42
\`\`\`

## NegativeError
\`\`\`ts
${name}(-1)
\`\`\`
\`\`\`ts
NegativeError: n is negative
\`\`\`
`;
}

export const COVERAGE = [
  { category: "input constraint", item: "n: not negative", test: "refuses a negative number" },
  { category: "output invariant", item: "double: even for whole numbers", test: "whole numbers become even" },
  { category: "error surface", item: "NegativeError", test: "refuses a negative number" },
  { category: "purpose", item: "purpose", test: "doubles" },
];

export const CHECKS = ["A number is doubled. Test: doubles", "A negative number is refused. Test: refuses a negative number"];

type Files = Record<string, string | null>;

/** A Proposer's answer; a file that is null is left out. */
export function proposalOf(contract: Contract = contractOf(), files: Files = {}, change: object = {}) {
  return {
    type: "PROPOSAL",
    claim: "It doubles.",
    acceptance_checks: CHECKS,
    coverage: COVERAGE,
    files: fileList(contract, files),
    ...change,
  };
}

export function amendedOf(contract: Contract, files: Files, applied: readonly object[]) {
  return { type: "AMENDED", applied, files: fileList(contract, files) };
}

function fileList(contract: Contract, files: Files) {
  const all: Files = {
    "contract.json": JSON.stringify(contract, null, 2),
    "examples.md": examplesOf(contract.name),
    "implementation/index.ts": codeOf(contract.name),
    "tests/module.test.ts": testsOf(contract.name),
    ...files,
  };
  return Object.entries(all).flatMap(([path, content]) => (content === null ? [] : [{ path, content }]));
}

export const MET = {
  R1: "inputs (n), outputs (double), error surfaces (NegativeError), effects (none) and modes (sync) all agree with the contract",
  R2: 'the test summary has "doubles" and "refuses a negative number" for each item',
  R3: "NegativeError is the only declared error surface and a test triggers it",
  R4: "dependencies: the contract declares none, and none are used",
  R5: 'acceptance_checks trace both criteria to "doubles" and "refuses a negative number"',
  R6: "one behaviour, one function, its own tests and no dependency",
};

type Criterion = keyof typeof MET;

export function challengeOf(notMet: Partial<Record<Criterion, string>> = {}, failures: readonly object[] = []) {
  return {
    verdict: Object.keys(notMet).length === 0 && failures.length === 0 ? "PASS" : "FAIL",
    failures,
    rubric_assessments: (Object.keys(MET) as Criterion[]).map((criterion) => ({
      criterion,
      assessment: notMet[criterion] === undefined ? "MET" : "NOT_MET",
      evidence: notMet[criterion] ?? MET[criterion],
    })),
  };
}

export const APPROVE = { decision: "APPROVE", amendments: [], rationale: "The contract is met.", ship_directive: "SHIP" };
export const REJECT = { decision: "REJECT", amendments: [], rationale: "The objections stand.", ship_directive: "NO_SHIP" };

export function amendments(...list: readonly object[]) {
  return { decision: "APPROVE_WITH_AMENDMENTS", amendments: list, rationale: "With these changes it holds.", ship_directive: "SHIP" };
}

export function plannedModule(id: string, depends_on: readonly string[] = [], change: Partial<PlannedModule> = {}): PlannedModule {
  return {
    module_id: id,
    name: id,
    purpose: "Doubles a number.",
    io_contract: {
      inputs: ["n: number, not negative"],
      outputs: ["double: number"],
      error_surfaces: ["NegativeError when n is negative"],
      effects: ["none: it is pure"],
      modes: ["sync"],
    },
    error_cases: ["n is negative"],
    depends_on: [...depends_on],
    reuse_candidate_refs: [],
    reuse_decision: "CREATE_NEW",
    reuse_justification: "Nothing in the index doubles numbers.",
    ...change,
  };
}

export function reportOf(module_id: string, considered: readonly string[] = [], change: Partial<ModuleReport> = {}): ModuleReport {
  return {
    module_id,
    query: "double a number",
    candidates_considered: considered.map((module_ref) => ({ module_ref, why_rejected: "It does not do what this one is for." })),
    conclusion: "CREATE_NEW",
    justification: "Nothing in the index doubles numbers this way.",
    ...change,
  };
}

/** The same plan, with these candidates considered and rejected for each of its modules. */
export function considering(plan: PlanDraft, ...refs: readonly string[]): PlanDraft {
  return { ...plan, reuse_reports: plan.reuse_reports.map(({ module_id }) => reportOf(module_id, refs)) };
}

/** A plan of modules that all double; each name is its id without the prefix. Dependencies outside the plan are considered too. */
export function planOf(...modules: readonly (readonly [id: string, depends_on?: readonly string[]])[]): PlanDraft {
  return {
    modules: modules.map(([id, depends_on = []]) => plannedModule(id, depends_on)),
    contracts: modules.map(([id, depends_on = []]) => {
      const dependencies = depends_on.map((ref) => ({ ref, why: "it doubles" }));
      const { module_version: _, ...contract } = contractOf(id, id.slice("MM-".length), { dependencies });
      return contract;
    }),
    reuse_reports: modules.map(([id, depends_on = []]) => {
      const outside = depends_on.filter((ref) => ref.includes("@^") && !modules.some(([other]) => ref.startsWith(`${other}@`)));
      return reportOf(
        id,
        outside.map((ref) => ref.replace("^", "")),
      );
    }),
  };
}
