import type { PackItem } from "@slipway/agents/pack";
import { RESULTS } from "@slipway/agents/invoke";
import { contractSchema } from "@slipway/languages/contracts/schema";
import { shipEvidenceSchema } from "@slipway/languages/contracts/evidence";
import { z } from "zod";
import { moduleRefOf, type ModuleBrief } from "./brief.ts";
import { EXAMPLES_FILE, type Deliverable } from "./deliverable.ts";
import { DECOMPOSITION_RUBRIC, rubricText } from "./debate/rubric.ts";
import {
  adjudicationSchema,
  challengeSchema,
  proposalSchema,
  type Adjudication,
  type Challenge,
  type Objection,
  type Proposal,
} from "./debate/schemas.ts";
import type { Witnessed } from "./debate/witness.ts";
import type { Inspection } from "./inspection.ts";
import { microPlanSchema } from "./micro-plan.ts";
import type { EngineeringTask, ShippedModule } from "./ports.ts";
import { json, type RoleContext } from "./record.ts";
import { surfacePaths, type ContextItem, type StoredItem } from "./role-view.ts";

/** One round of a debate, possibly unfinished. */
export interface Round {
  readonly proposal: Proposal;
  readonly proposalRef: string;
  readonly challenge: Challenge | null;
  readonly challengeRef: string | null;
  readonly witnesses: readonly Witnessed[];
  readonly adjudication: Adjudication | null;
}

const WHY_NO_SOURCE = "nobody but its Proposer sees the source of a module";
const included = (ref: string, permission: RoleContext["included_refs"][number]["permission"], reason: string) => ({
  ref,
  permission,
  reason,
});
const excluded = (ref: string, reason: string) => ({ ref, reason });

function taskSection({ task_file }: EngineeringTask): PackItem {
  return { title: "task", kind: "task", text: task_file };
}

function contractSection({ contract }: ModuleBrief): PackItem {
  return { title: "module contract", kind: "contract", text: json(contract) };
}

function dependencySections(modules: readonly ShippedModule[]): StoredItem[] {
  return modules.map((module) => ({
    title: `dependency ${moduleRefOf(module)}`,
    kind: "contract",
    stored: surfacePaths(moduleRefOf(module)),
  }));
}

const dependencyRefs = (modules: readonly ShippedModule[]) =>
  modules.map((module) => included(moduleRefOf(module), "CONTRACT_ONLY", "the module calls it"));

function workspaceRef({ contract }: ModuleBrief): string {
  return `${contract.module_id}@${contract.module_version}`;
}

/** The schemas of all answers in the loop. They leave out the meaning of the criteria. */
export function harnessSchemas(more: Readonly<Record<string, unknown>>): Record<string, unknown> {
  own ??= Object.fromEntries(Object.entries(OWN).map(([name, schema]) => [name, z.toJSONSchema(schema, { unrepresentable: "any" })]));
  return { ...own, ...more };
}

let own: Readonly<Record<string, unknown>> | null = null;

const OWN = {
  Proposal: proposalSchema,
  Challenge: challengeSchema,
  Adjudication: adjudicationSchema,
  MicroModuleContract: contractSchema,
  MicroPlan: microPlanSchema,
  ShipEvidence: shipEvidenceSchema,
};

export interface PlannerSees {
  readonly task: EngineeringTask;
  readonly dependencies: readonly ShippedModule[];
  /** Modules the task shipped from an earlier spec. */
  readonly earlier: readonly ShippedModule[];
  readonly found: unknown;
  readonly schemas: Readonly<Record<string, unknown>>;
  readonly last: { readonly plan: unknown; readonly problems: readonly string[] } | null;
}

export function plannerContext({ task, dependencies, earlier, found, schemas, last }: PlannerSees): RoleContext {
  return {
    sections: [
      taskSection(task),
      ...dependencySections(dependencies),
      ...earlierSections(task, earlier),
      { title: "what the code index has", kind: "index", text: json(found) },
      { title: "what counts as a micro module", kind: "rubric", text: DECOMPOSITION_RUBRIC.map((point) => `- ${point}`).join("\n") },
      { title: "schemas of the harness", kind: "schemas", text: JSON.stringify(harnessSchemas(schemas)) },
      ...(last === null ? [] : [{ title: "your last plan", kind: "plan", text: json(last.plan) }]),
      { title: "what is wrong with it", kind: RESULTS, text: last === null ? "none" : last.problems.join("\n") },
    ],
    included_refs: [
      included(task.task_ref, "FULL", "the task to be planned"),
      ...dependencyRefs(dependencies),
      ...earlier.map((module) => included(moduleRefOf(module), "CONTRACT_ONLY", "the task shipped it from an earlier spec")),
    ],
    excluded_refs: [],
  };
}

/** Why the task is planned again, and which of its earlier modules it may reuse. */
function earlierSections({ before, successors = {} }: EngineeringTask, earlier: readonly ShippedModule[]): ContextItem[] {
  if (before === undefined) return [];
  const revisable = Object.keys(successors).join(", ") || "none";
  return [
    {
      title: "why it is planned again",
      kind: "task",
      text: `${before.because.join("\n")}\n\nReuse an earlier module where its contract still serves. Of these you may make a new version under the same id: ${revisable}.`,
    },
    ...dependencySections(earlier).map((section) => ({ ...section, title: section.title.replace("dependency", "earlier module") })),
  ];
}

export interface ProposerSees {
  readonly task: EngineeringTask;
  readonly brief: ModuleBrief;
  readonly found: unknown;
  readonly schemas: Readonly<Record<string, unknown>>;
  /** What it delivered before: its own workspace. */
  readonly files: Deliverable;
  readonly objections: { readonly ref: string | null; readonly failures: readonly Objection[] } | null;
  readonly adjudication: { readonly ref: string; readonly value: Adjudication } | null;
}

/**
 * Shows task, contract and own workspace in full, of a challenge only the required changes, and of an adjudication only the amendments to
 * apply.
 */
export function proposerContext({ task, brief, found, schemas, files, objections, adjudication }: ProposerSees): RoleContext {
  const failures = objections?.failures.map(({ invariant, evidence, required_change, witness }) => ({
    invariant,
    evidence,
    required_change,
    witness,
  }));
  return {
    sections: [
      taskSection(task),
      contractSection(brief),
      ...dependencySections(brief.dependencies),
      { title: "what the code index has", kind: "index", text: json(found) },
      { title: "schemas of the harness", kind: "schemas", text: JSON.stringify(harnessSchemas(schemas)) },
      ...Object.entries(files).map(([path, text]) => ({ title: path, kind: "file", text })),
      ...(adjudication === null ? [] : [{ title: "adjudication", kind: "adjudication", text: json(adjudication.value) }]),
      { title: "what has to change", kind: RESULTS, text: failures === undefined ? "none" : json(failures) },
    ],
    included_refs: [
      included(task.task_ref, "FULL", "the task the module is for"),
      included(brief.contractRef, "FULL", "the contract it implements"),
      included(workspaceRef(brief), "FULL", "its own workspace"),
      ...dependencyRefs(brief.dependencies),
      ...(objections?.ref == null ? [] : [included(objections.ref, "SUMMARY_ONLY", "the failures to be answered")]),
      ...(adjudication === null ? [] : [included(adjudication.ref, "FULL", "the amendments to be applied")]),
    ],
    excluded_refs: [],
  };
}

export interface ChallengerSees {
  readonly task: EngineeringTask;
  readonly brief: ModuleBrief;
  readonly proposal: Proposal;
  readonly proposalRef: string;
  readonly files: Deliverable;
  readonly inspection: Pick<Inspection, "summary" | "findings">;
  readonly rounds: readonly Round[];
  readonly complaint: readonly string[] | null;
  /** Dependencies that are deprecated. */
  readonly outOfUse: readonly string[];
}

/** Shows the claim, the contract and what is visible from outside; no task, no source, no decision. */
export function challengerContext(sees: ChallengerSees): RoleContext {
  const { task, brief, proposal, proposalRef, files, inspection, rounds, complaint, outOfUse } = sees;
  const trail = rounds.map((round) => ({ proposal: round.proposal, challenge: round.challenge }));
  return {
    sections: [
      { title: "proposal", kind: "proposal", text: json(proposal) },
      contractSection(brief),
      { title: EXAMPLES_FILE, kind: "examples", text: files[EXAMPLES_FILE] ?? "(there is none)" },
      { title: "test summary", kind: "tests", text: json(inspection.summary) },
      { title: "found by the harness", kind: "findings", text: json(inspection.findings) },
      ...dependencySections(brief.dependencies),
      ...(outOfUse.length === 0 ? [] : [{ title: "dependencies out of use", kind: "findings", text: outOfUse.join("\n") }]),
      { title: "evaluation rubric", kind: "rubric", text: rubricText() },
      { title: "decomposition rubric", kind: "rubric", text: DECOMPOSITION_RUBRIC.map((point) => `- ${point}`).join("\n") },
      { title: "earlier rounds", kind: "trail", text: json(trail) },
      { title: "why your last answer is no challenge", kind: RESULTS, text: complaint === null ? "none" : complaint.join("\n") },
    ],
    included_refs: [
      included(proposalRef, "FULL", "the claim to be challenged"),
      included(brief.contractRef, "FULL", "what it is measured by"),
      ...dependencyRefs(brief.dependencies),
      ...rounds
        .flatMap(({ proposalRef: earlier, challengeRef }) => [earlier, challengeRef])
        .flatMap((ref) => (ref === null ? [] : [included(ref, "FULL", "an earlier round")])),
    ],
    excluded_refs: [excluded(task.task_ref, "the Challenger judges claim and contract"), excluded(workspaceRef(brief), WHY_NO_SOURCE)],
  };
}

export interface ArbiterSees {
  readonly task: EngineeringTask;
  readonly brief: ModuleBrief;
  readonly round: Round;
  readonly rounds: readonly Round[];
}

/** Shows both sides, the test results and the task; no rubric, no dependency, no source. */
export function arbiterContext({ task, brief, round, rounds }: ArbiterSees): RoleContext {
  const refs = [...rounds, round].flatMap(({ proposalRef, challengeRef }) => [proposalRef, challengeRef]);
  return {
    sections: [
      taskSection(task),
      contractSection(brief),
      { title: "proposal", kind: "proposal", text: json(round.proposal) },
      { title: "challenge", kind: "challenge", text: json(round.challenge) },
      { title: "what became of each objection", kind: "witnesses", text: json(round.witnesses) },
      {
        title: "earlier rounds",
        kind: "trail",
        text: json(rounds.map(({ proposal, challenge, witnesses, adjudication }) => ({ proposal, challenge, witnesses, adjudication }))),
      },
    ],
    included_refs: [
      included(task.task_ref, "FULL", "what was wanted"),
      included(brief.contractRef, "FULL", "what was agreed"),
      ...refs.flatMap((ref) => (ref === null ? [] : [included(ref, "FULL", "the debate")])),
    ],
    excluded_refs: [
      excluded(workspaceRef(brief), WHY_NO_SOURCE),
      ...brief.dependencies.map((module) => excluded(moduleRefOf(module), "the Arbiter decides the debate")),
    ],
  };
}
