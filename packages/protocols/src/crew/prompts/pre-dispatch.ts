import type { DispatchedRole } from "../agents.ts";
import { parseDispatchInput, type DispatchInput, type RepoState } from "../contract/input.ts";
import { commandsIn, META, type ProjectType } from "../contract/names.ts";
import { problem } from "../contract/problems.ts";
import type { UserDecision } from "../decisions/decision.ts";
import { passesGate } from "../decisions/gate-answers.ts";
import type { RuntimeFlags } from "../session/status.ts";
import type { CrewMode, CrewState, GateState } from "../states/states.ts";
import { judgeContext } from "./context-files.ts";

/** Read afresh for each dispatch: status.json, tasks.yaml, the session's folder and git. */
export interface PreDispatchFacts {
  readonly session: string;
  readonly state: CrewState;
  readonly mode: CrewMode;
  readonly projectType: ProjectType;
  readonly repoState: RepoState;
  readonly decisions: readonly UserDecision[];
  /** Null where status.json has none yet, as before the first dispatch has created it. */
  readonly runtimeFlags: RuntimeFlags | null;
  readonly hasStatus: boolean;
  /** Names in the session's folder. */
  readonly existing: readonly string[];
  /** Problems of the artifacts that the dispatch lists. */
  readonly invalid: readonly string[];
  /** Null before tasks.yaml exists. */
  readonly taskIds: readonly string[] | null;
  /** Whether the task needs tests to be run. */
  readonly needsTests: boolean;
}

export type PreDispatch =
  | { readonly kind: "send"; readonly input: DispatchInput }
  /** The harness has made a wrong dispatch: it is not sent. */
  | { readonly kind: "refused"; readonly problems: readonly string[] }
  /** A BLOCKED result in the role's name. */
  | { readonly kind: "blocked"; readonly problems: readonly [string, ...string[]] }
  /** A stored decision does not hold: the session goes back to its gate. */
  | { readonly kind: "gate"; readonly gate: GateState };

const AFTER_APPROVAL: readonly DispatchedRole[] = ["Planner", "Coder", "Reviewer", "QA", "Security", "Integrator", "Docs"];
const AFTER_STRATEGY: readonly DispatchedRole[] = ["Reviewer", "QA", "Security"];

/** The gate whose stored decision forbids a dispatch of the role; lean sessions have no gates. */
export function failedGate(role: DispatchedRole, mode: CrewMode, decisions: readonly UserDecision[]): GateState | null {
  if (mode === "lean") return null;
  if (AFTER_APPROVAL.includes(role) && !passesGate("APPROVE_DESIGN", decisions)) return "APPROVE_DESIGN";
  return AFTER_STRATEGY.includes(role) && !passesGate("REVIEW_STRATEGY", decisions) ? "REVIEW_STRATEGY" : null;
}

/** Every check before a model is called. */
export function preDispatch(role: DispatchedRole, value: unknown, facts: PreDispatchFacts): PreDispatch {
  const gate = failedGate(role, facts.mode, facts.decisions);
  if (gate !== null) return { kind: "gate", gate };
  const read = parseDispatchInput(role, facts.state, value);
  if (!read.ok) return { kind: "refused", problems: read.problems };
  const input = read.value;
  const context = judgeContext(role, input.task.context_files, facts);
  const problems = [...context.problems, ...factProblems(input, facts)];
  if (problems.length > 0) return { kind: "refused", problems };
  const [first, ...rest] = [
    ...context.missing.map((path) => `The context file ${path} is missing.`),
    ...facts.invalid,
    ...testProblems(input, facts),
  ];
  return first === undefined ? { kind: "send", input } : { kind: "blocked", problems: [first, ...rest] };
}

function factProblems({ task, project_type, repo_state }: DispatchInput, facts: PreDispatchFacts): string[] {
  const { taskIds, repoState, runtimeFlags, hasStatus } = facts;
  const fields = ["branch", "ci_status", "last_failed_step"] as const;
  return [
    ...problem(taskIds === null && task.id !== META, `/task/id: ${task.id}, but tasks.yaml does not exist; must be meta`),
    ...problem(taskIds !== null && task.id !== META && !taskIds.includes(task.id), `/task/id: ${task.id} is not in tasks.yaml`),
    ...problem(project_type !== facts.projectType, `/project_type: ${project_type}, but the session's is ${facts.projectType}`),
    ...fields.flatMap((field) =>
      problem(repo_state[field] !== repoState[field], `/repo_state/${field}: ${repo_state[field]}, but it is ${repoState[field]}`),
    ),
    ...problem(hasStatus && runtimeFlags === null, "status.json: runtime_flags are missing; detect the project's instructions first"),
  ];
}

function testProblems({ task, tools_available }: DispatchInput, { needsTests }: PreDispatchFacts): string[] {
  if (!needsTests) return [];
  return [
    ...problem(!tools_available.includes("run_cmd"), "The task needs tests, and the role may not run commands (run_cmd)."),
    ...problem(commandsIn(task.acceptance_checks).length === 0, "The task needs tests, and no acceptance check is a command (`cmd:`)."),
  ];
}
