import { APPROVALS_NEEDED, isVerified, REVIEWERS } from "../rules/thresholds.ts";
import { settleAgents } from "./any-agent.ts";
import type { RouteOutcome } from "./actions.ts";
import { BUDGETS } from "./budgets.ts";
import type { InputKind, InputOf, ReviewCounts, RouteInput } from "./inputs.ts";
import type { RouteState } from "./state.ts";

export interface TableRow {
  readonly row: number;
  readonly input: InputKind | "any agent";
  readonly condition: string;
  /** Null: the condition does not hold. */
  readonly decide: (state: RouteState, input: RouteInput) => RouteOutcome | null;
}

function row<K extends InputKind>(
  number: number,
  kind: K,
  condition: string,
  decide: (input: InputOf<K>, state: RouteState) => RouteOutcome | null,
): TableRow {
  const isOfKind = (input: RouteInput): input is InputOf<K> => input.input === kind;
  return { row: number, input: kind, condition, decide: (state, input) => (isOfKind(input) ? decide(input, state) : null) };
}

const MIN_RESEARCHERS = 2;
const PLANNED_RESEARCHERS = 4;

const doneOf = ({ agents }: InputOf<"research" | "knowledge">) => agents.filter(({ status }) => status === "DONE").length;
const isApproved = ({ submitted, approvals, blockers }: ReviewCounts) =>
  submitted >= REVIEWERS && blockers === 0 && approvals >= APPROVALS_NEEDED;
const hasDissent = ({ submitted, approvals }: ReviewCounts) => approvals < submitted;
const failing = ({ tasks }: InputOf<"verification">) => tasks.filter((task) => !isVerified(task)).map(({ task_id }) => task_id);

const approved = (counts: ReviewCounts, action: RouteOutcome["action"]): RouteOutcome | null =>
  isApproved(counts) ? { action, facts: hasDissent(counts) ? ["dissent"] : [] } : null;
const blocked = ({ blockers }: ReviewCounts, scope: string): RouteOutcome | null =>
  blockers > 0 ? { action: { type: "fail", reason: `a reviewer blocks the ${scope}` } } : null;

/** The decision table. Row numbers are recorded in runs: they never change. */
export const DECISION_TABLE: readonly TableRow[] = [
  row(1, "setup", "the tree is dirty or the branch is main", (input) =>
    input.check === "git" ? { action: { type: "proceed", warn: !input.trivial && (input.dirty || input.on_main) } } : null,
  ),
  row(2, "setup", "the request raises concerns", (input, { approval_mode }) => {
    if (input.check !== "pushback") return null;
    return { action: { type: "pushback", how: input.concerns.length === 0 ? "none" : approval_mode === "interactive" ? "ask" : "log" } };
  }),
  row(3, "research", "at least 2 researchers are DONE", (input) => {
    const done = doneOf(input);
    if (done < MIN_RESEARCHERS) return null;
    const facts = done < Math.max(PLANNED_RESEARCHERS, input.agents.length) ? (["research-reduced"] as const) : [];
    return { action: { type: "gate", gate: "gate-post-research" }, facts };
  }),
  row(4, "research", "fewer than 2 researchers are DONE after their retry", () => {
    return { action: { type: "fail", reason: "insufficient research: fewer than 2 researchers gave a result" } };
  }),
  row(5, "spec", "DONE", () => ({ action: { type: "go", step: "3" } })),
  row(6, "design", "DONE", () => ({ action: { type: "go", step: "3b" } })),
  row(7, "design review", "3 submitted, no blocker, at least 2 approve", (input) => approved(input, { type: "go", step: "4" })),
  row(8, "design review", "3 submitted, no blocker, fewer than 2 approve", (input, { counters }) => {
    if (input.blockers > 0) return null;
    if (counters.design_round <= BUDGETS.designRevisions) return { action: { type: "revise-design" } };
    return { action: { type: "go", step: "4" }, escalation: "design-review-exhausted", facts: ["design-review-exhausted"] };
  }),
  row(9, "design review", "any blocker", (input) => blocked(input, "design")),
  row(10, "plan", "DONE", () => ({ action: { type: "gate", gate: "gate-post-planning" } })),
  row(11, "implementation", "all DONE, baselines recorded, changes staged", ({ baselines_recorded, staged }) => {
    if (baselines_recorded && staged) return { action: { type: "go", step: "6" } };
    const reason = baselines_recorded ? "the changes are not staged" : "a task has no baseline";
    return { action: { type: "fail", reason }, escalation: "evidence-missing" };
  }),
  row(12, "verification", "every task passes its threshold", (input) => {
    if (failing(input).length > 0) return null;
    return { action: input.more_waves ? { type: "next-wave" } : { type: "go", step: "7" } };
  }),
  row(13, "verification", "a task is below its threshold in iteration 2 or later", (input, { counters: { iteration } }) => {
    if (iteration < BUDGETS.revertFrom) return null;
    const tasks = failing(input);
    if (iteration < BUDGETS.verificationIterations) return { action: { type: "revert", tasks, next: "replan" } };
    const action = { type: "revert", tasks, next: input.more_waves ? "next-wave" : "code-review" } as const;
    return { action, escalation: "verification-exhausted", facts: ["verification-exhausted"] };
  }),
  row(14, "verification", "a task is below its threshold in iteration 1", (input) => {
    return { action: { type: "replan", tasks: failing(input) } };
  }),
  row(15, "code review", "3 submitted, no blocker, at least 2 approve", (input) => approved(input, { type: "go", step: "8" })),
  row(16, "code review", "3 submitted, no blocker, fewer than 2 approve", (input, { counters }) => {
    if (input.blockers > 0) return null;
    if (counters.code_round < BUDGETS.reviewRounds) return { action: { type: "fix" } };
    return { action: { type: "go", step: "8" }, escalation: "code-review-exhausted", facts: ["code-review-exhausted"] };
  }),
  row(17, "code review", "any blocker", (input) => blocked(input, "code")),
  row(18, "knowledge", "DONE or ERROR", (input) => {
    return { action: { type: "go", step: "9" }, facts: doneOf(input) === 0 ? ["knowledge-failed"] : [] };
  }),
  row(19, "confidence", "High or Medium", ({ confidence }) => (confidence === "Low" ? null : { action: { type: "commit" } })),
  row(20, "confidence", "Low", () => ({ action: { type: "leave-staged" } })),
  {
    row: 21,
    input: "any agent",
    condition: "the completion block is missing or invalid, or the status is ERROR",
    decide: (_state, input) => settleAgents(input),
  },
];
