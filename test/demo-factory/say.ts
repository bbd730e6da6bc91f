import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Contract } from "@slipway/languages/contracts/schema";
import type { PlanDraft } from "@slipway/protocols/factory/engineering/micro-plan";
import type { Adjudication, Amendment, ChallengeAnswer, Objection } from "@slipway/protocols/factory/engineering/debate/schemas";
import type { Drafted } from "./contracts.ts";

const MODULES = join(import.meta.dirname, "..", "..", "packages", "protocols", "demos", "factory", "modules");

export type Files = Readonly<Record<string, string>>;

/** The files of a module; for a variant, those that differ from the module's own. */
export function filesOf(name: string, variant?: string): Files {
  const own = read(join(MODULES, name));
  return variant === undefined ? own : { ...own, ...read(join(MODULES, `${name}.${variant}`)) };
}

function read(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [join(parentPath, name).slice(folder.length + 1), readFileSync(join(parentPath, name), "utf8")]),
  );
}

export interface Report {
  readonly query: string;
  /** Results of the index that are not reused, with the reason. */
  readonly rejected?: Readonly<Record<string, string>>;
}

/** A plan that creates one module, and may reuse others. */
export function plan(contract: Drafted, report: Report, reused: readonly Reused[] = []): PlanDraft {
  const { module_id, name, purpose, inputs, outputs, error_surfaces, error_cases, dependencies } = contract;
  const created: PlanDraft["modules"][number] = {
    module_id,
    name,
    purpose,
    io_contract: ioOf(inputs, outputs, error_surfaces),
    error_cases,
    depends_on: dependencies.map(({ ref }) => ref),
    reuse_candidate_refs: Object.keys(report.rejected ?? {}),
    reuse_decision: "CREATE_NEW",
    reuse_justification: "Nothing in the code index does this.",
  };
  return {
    modules: [...reused.map(plannedReuse), created],
    contracts: [contract],
    reuse_reports: [
      ...reused.map(({ contract: other, query, why }) => ({
        module_id: other.module_id,
        query,
        candidates_considered: [],
        conclusion: "REUSE_EXISTING" as const,
        justification: why,
      })),
      {
        module_id,
        query: report.query,
        candidates_considered: Object.entries(report.rejected ?? {}).map(([module_ref, why_rejected]) => ({ module_ref, why_rejected })),
        conclusion: "CREATE_NEW",
        justification: "Nothing in the code index does this.",
      },
    ],
  };
}

export interface Reused {
  readonly contract: Drafted;
  readonly ref: string;
  readonly query: string;
  readonly why: string;
}

function plannedReuse({ contract, ref, why }: Reused): PlanDraft["modules"][number] {
  const { module_id, name, purpose, inputs, outputs, error_surfaces, error_cases } = contract;
  return {
    module_id,
    name,
    purpose,
    io_contract: ioOf(inputs, outputs, error_surfaces),
    error_cases,
    depends_on: [],
    reuse_candidate_refs: [ref],
    reuse_decision: "REUSE",
    reuse_justification: why,
  };
}

function ioOf(inputs: Contract["inputs"], outputs: Contract["outputs"], errors: Contract["error_surfaces"]) {
  return {
    inputs: inputs.map(({ name, type }) => `${name}: ${type}`),
    outputs: outputs.map(({ name, type }) => `${name}: ${type}`),
    error_surfaces: errors.map(({ name, when }) => `${name} when ${when}`),
    effects: ["none: it is pure"],
    modes: ["sync"],
  };
}

export interface Delivery {
  readonly contract: Drafted;
  readonly version?: string;
  readonly files: Files;
  readonly claim: string;
  /** For each criterion of the task, the test that shows it. */
  readonly checks: Readonly<Record<string, string>>;
  /** For each item of the contract, its test. */
  readonly covers: Readonly<Record<string, string>>;
}

export function proposal({ contract, version = "1.0.0", files, claim, checks, covers }: Delivery) {
  return {
    type: "PROPOSAL",
    claim,
    acceptance_checks: Object.entries(checks).map(([criterion, test]) => `${criterion}. Test: ${test}`),
    coverage: coverage(contract, covers),
    files: fileList(contract, version, files),
  };
}

export function amended(contract: Drafted, files: Files, notes: readonly string[]) {
  const applied = notes.map((note, amendment_index) => ({ amendment_index, applied: true, note }));
  return { type: "AMENDED", applied, files: fileList(contract, "1.0.0", files) };
}

function fileList(drafted: Drafted, module_version: string, files: Files) {
  const contract: Contract = { ...drafted, module_version };
  const all = { "contract.json": `${JSON.stringify(contract, null, 2)}\n`, ...files };
  return Object.entries(all).map(([path, content]) => ({ path, content }));
}

function coverage({ inputs, outputs, error_surfaces }: Drafted, covers: Delivery["covers"]) {
  const each = (category: string, item: string, text = item) => ({ category, item, test: covers[text] ?? `nothing shows: ${text}` });
  return [
    ...inputs.flatMap(({ name, constraints }) => constraints.map((text) => each("input constraint", `${name}: ${text}`, text))),
    ...outputs.flatMap(({ name, invariants }) => invariants.map((text) => each("output invariant", `${name}: ${text}`, text))),
    ...error_surfaces.map(({ name }) => each("error surface", name)),
    each("purpose", "purpose"),
  ];
}

type Criterion = ChallengeAnswer["rubric_assessments"][number]["criterion"];

/** All criteria, met by default; a FAIL if there is an objection. */
export function challenge(
  contract: Drafted,
  tests: readonly string[],
  missed: Partial<Record<Criterion, string>> = {},
  failures: Objection[] = [],
): ChallengeAnswer {
  const { inputs, outputs, error_surfaces, dependencies } = contract;
  const [first = "", ...others] = tests.map((test) => `"${test}"`);
  const calls = dependencies.map(({ ref }) => ref.slice(0, ref.indexOf("@"))).join(", ");
  const met: Record<Criterion, string> = {
    R1: `inputs (${names(inputs)}), outputs (${names(outputs)}), error surfaces (${names(error_surfaces)}), effects (none) and modes (sync) agree with the contract; examples.md shows the call and its error`,
    R2: `the test summary has ${[first, ...others].join(", ")}: every constraint, invariant and error surface is shown`,
    R3: `${names(error_surfaces)} is the declared error surface, and a test raises it`,
    R4:
      dependencies.length === 0
        ? "dependencies: the contract declares none, and none is used"
        : `dependencies: only ${calls} are called, by their contracts`,
    R5: `acceptance_checks name a test for each criterion, such as ${first}`,
    R6: "one behaviour that one sentence describes, with tests of its own",
  };
  return {
    verdict: failures.length === 0 ? "PASS" : "FAIL",
    failures,
    rubric_assessments: (Object.keys(met) as Criterion[]).map((criterion) => ({
      criterion,
      assessment: missed[criterion] === undefined ? "MET" : "NOT_MET",
      evidence: missed[criterion] ?? met[criterion],
    })),
  };
}

function names(list: readonly { readonly name: string }[]): string {
  return list.map(({ name }) => name).join(", ");
}

type Decided = Omit<Adjudication, "adjudication_id" | "target_artifact_id">;

export function approve(rationale: string, amendments: Amendment[] = []): Decided {
  return { decision: amendments.length === 0 ? "APPROVE" : "APPROVE_WITH_AMENDMENTS", amendments, rationale, ship_directive: "SHIP" };
}

export function reject(rationale: string): Decided {
  return { decision: "REJECT", amendments: [], rationale, ship_directive: "NO_SHIP" };
}

/** A test file with one check of the module. */
export function witness(name: string, call: string, body: string) {
  const source = [
    'import assert from "node:assert/strict";',
    'import { test } from "node:test";',
    `import { ${call} } from "../implementation/index.ts";`,
    "",
    `test(${JSON.stringify(name)}, () => ${body});`,
    "",
  ].join("\n");
  return { name, source };
}
