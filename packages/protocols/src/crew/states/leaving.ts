import { problem } from "../contract/problems.ts";
import { APPROVE_DESIGN_ID, findDecision, pendingDecisions, REVIEW_STRATEGY_ID, type UserDecision } from "../decisions/decision.ts";
import type { CiResult } from "../contract/names.ts";
import { isApproved, isStrategy } from "../decisions/gate-answers.ts";
import type { TasksFile } from "../session/tasks.ts";
import type { CrewMode, CrewState } from "./states.ts";

export interface CommandRun {
  readonly command: string;
  readonly exitCode: number | null;
}

export interface CriterionResult {
  readonly id: string;
  readonly met: boolean;
  /** The decision by which a person waived it; only an answered one counts. */
  readonly waivedBy: string | null;
}

/** What a state needs to be left: recorded facts only. */
export interface SessionFacts {
  readonly mode: CrewMode;
  readonly decisions: readonly UserDecision[];
  /** Ids whose record on disk has been compared with what was written. */
  readonly verified: ReadonlySet<string>;
  /** For each file that exists, what is wrong with it. A missing key is a missing file. */
  readonly artifacts: Readonly<Record<string, readonly string[]>>;
  readonly tasks: TasksFile | null;
  /** Risks that the Architect noted. */
  readonly risks: readonly string[];
  readonly research: { readonly requested: boolean; readonly files: readonly string[] };
  readonly design: { readonly involvesUi: boolean; readonly files: readonly string[] };
  /** Whether every gate of the combined or cross-task pass has passed, where the session needs one. */
  readonly finalReview: "passed" | "open" | "not_needed";
  /** Roles that the session needs and that have not run. */
  readonly missingRoles: readonly string[];
  /** Every `cmd:` acceptance check, as run by the harness. */
  readonly commands: readonly CommandRun[];
  readonly ci: { readonly exists: boolean; readonly result: CiResult };
  /** OK outputs in RELEASE, in their order. */
  readonly releasedBy: readonly string[];
  readonly readmeIsCurrent: boolean;
  readonly criteria: readonly CriterionResult[];
  /** Whether the repair of a FIX state has an OK on record. */
  readonly repaired: boolean;
}

type Rule = (facts: SessionFacts) => string[];

const needs =
  (...names: readonly string[]): Rule =>
  ({ artifacts }) =>
    names.flatMap((name) => artifacts[name] ?? [`${name}: missing`]);

const settled: Rule = ({ decisions, verified }) => [
  ...pendingDecisions(decisions).map(({ decision_id }) => `${decision_id} is pending`),
  ...decisions
    .filter(({ status, decision_id }) => status !== "pending" && !verified.has(decision_id))
    .map(({ decision_id }) => `${decision_id} is not verified on disk`),
];

const approved: Rule = ({ decisions }) =>
  problem(
    !isApproved(findDecision(decisions, APPROVE_DESIGN_ID)),
    `${APPROVE_DESIGN_ID} is not answered with an answer that begins with approved`,
  );
const strategyChosen: Rule = ({ decisions }) =>
  problem(!isStrategy(findDecision(decisions, REVIEW_STRATEGY_ID)), `${REVIEW_STRATEGY_ID} is not answered with per-batch or single-final`);

const oneNewTask: Rule = ({ tasks }) => {
  const [task] = tasks?.tasks ?? [];
  return problem(task?.status !== "not-started" || tasks?.tasks.length !== 1, "tasks.yaml: must hold exactly one task, not-started");
};

const designed: Rule = ({ risks, research, design }) => [
  ...problem(risks.length === 0, "the Architect's notes record no risks"),
  ...problem(research.requested && research.files.length === 0, "research was requested and research/ is empty"),
  ...problem(design.involvesUi && design.files.length === 0, "the user interface is involved and design-specs/ is empty"),
];

const planned: Rule = ({ tasks, mode }) =>
  (tasks?.tasks ?? []).flatMap(({ id, acceptance_checks, done_when }) => [
    ...problem(acceptance_checks.length === 0, `tasks.yaml: ${id} has no acceptance_checks`),
    ...problem(mode === "full" && done_when.length === 0, `tasks.yaml: ${id} has no done_when`),
  ]);

const completed: Rule = ({ tasks }) => [
  ...problem(tasks === null, "tasks.yaml: missing"),
  ...(tasks?.tasks ?? []).filter(({ status }) => status !== "completed").map(({ id, status }) => `tasks.yaml: ${id} is ${status}`),
];

const reviewed: Rule = ({ finalReview, missingRoles }) => [
  ...problem(finalReview === "open", "the review of the whole change has not passed"),
  ...missingRoles.map((role) => `${role} has not run in this session`),
];

const built: Rule = ({ commands, ci }) => [
  ...commands
    .filter(({ exitCode }) => exitCode !== 0)
    .map(({ command, exitCode }) => `\`${command}\` ended with ${exitCode ?? "no exit code"}`),
  ...problem(ci.exists && ci.result !== "green", `CI is ${ci.result}`),
];

/** A waiver counts only as an answered decision. */
const criteriaMet: Rule = ({ criteria, decisions }) => [
  ...problem(criteria.length === 0, "acceptance.json: no criterion was checked"),
  ...criteria
    .filter(({ met, waivedBy }) => !met && (waivedBy === null || findDecision(decisions, waivedBy)?.status !== "answered"))
    .map(({ id }) => `${id} is not met`),
];

const released: Rule = ({ releasedBy, readmeIsCurrent, ci }) => [
  ...problem(releasedBy.indexOf("Docs") < 0, "Docs has not run in RELEASE"),
  ...problem(
    releasedBy.lastIndexOf("Integrator") < releasedBy.indexOf("Docs") || !releasedBy.includes("Integrator"),
    "Integrator has not run after Docs in RELEASE",
  ),
  ...problem(!readmeIsCurrent, "README.md: not current"),
  ...problem(ci.result === "red", "CI is red"),
];

const repaired: Rule = (facts) => problem(!facts.repaired, "the repair has no OK on record");

const LEAVING: Partial<Readonly<Record<CrewState, readonly Rule[]>>> = {
  INTAKE: [needs("spec.md", "acceptance.json", "status.json")],
  INTAKE_LEAN: [needs("spec.md", "acceptance.json", "status.json", "tasks.yaml"), oneNewTask],
  DESIGN: [needs("architecture.md"), designed],
  APPROVE_DESIGN: [settled, approved],
  PLAN: [needs("tasks.yaml"), planned],
  REVIEW_STRATEGY: [settled, strategyChosen],
  IMPLEMENT_LOOP: [completed, reviewed],
  INTEGRATE: [built],
  RELEASE: [needs("README.md", "report.md"), released, criteriaMet],
  ASK_USER: [settled],
  FIX_REVIEW: [repaired],
  FIX_TESTS: [repaired],
  FIX_SECURITY: [repaired],
  FIX_BUILD: [repaired],
};

/** Why the session may not go on from `state` along its line. Empty if it may. */
export function leavingProblems(state: CrewState, facts: SessionFacts): string[] {
  return (LEAVING[state] ?? []).flatMap((rule) => rule(facts));
}

/** Why the session may not enter DONE. */
export function doneProblems(facts: SessionFacts): string[] {
  const { ci, decisions } = facts;
  return [
    ...criteriaMet(facts),
    ...completed(facts),
    ...pendingDecisions(decisions).map(({ decision_id }) => `${decision_id} is pending`),
    ...problem(ci.exists && ci.result !== "green", `CI is ${ci.result}`),
    ...needs("report.md")(facts),
  ];
}
