import type { ReviewedRound } from "./bundle/review-summary.ts";
import { callOf, ForgeError, type ForgeRun } from "./forge-run.ts";
import { saveForgeRun } from "./ledger/runs.ts";
import type { RouteAction, RouteDecision } from "./router/actions.ts";
import type { RouteInput } from "./router/inputs.ts";
import { advance, route, withPlan } from "./router/route.ts";
import { initialState, type RouteState, type Step } from "./router/state.ts";
import { runConfidence, type RunFact } from "./rules/confidence.ts";
import type { ConfidenceLevel, FindingSeverity } from "./schemas/enums.ts";
import { FORGE_STEPS } from "./steps.ts";

/** What stays open at the end, with its severity where it has one. */
export interface OpenIssue {
  readonly severity: FindingSeverity;
  readonly text: string;
  readonly from: string;
}

/** Where a run is: the state of the router, and what lowers its confidence. Recorded decisions lead a replay to the same values. */
export interface ForgeProgress {
  readonly run: ForgeRun;
  state(): RouteState;
  /** The decision of the table, recorded with the row that fired. Throws if it ends the run. */
  decide(input: RouteInput, words: string): Promise<Exclude<RouteAction, { readonly type: "fail" }>>;
  /** Moves on without a decision of the table, as a gate's answer does. */
  go(action: RouteAction): void;
  lower(fact: RunFact, issue?: OpenIssue): void;
  addIssues(issues: readonly OpenIssue[]): void;
  confidence(): ConfidenceLevel;
  facts(): readonly RunFact[];
  issues(): readonly OpenIssue[];
  noteReview(round: ReviewedRound): void;
  reviews(): readonly ReviewedRound[];
  complete(step: Step, outputs: readonly string[]): void;
  noteError(step: Step, agent: RouteState["error_log"][number]["agent"], error: string, retried: boolean): void;
}

export function openProgress(run: ForgeRun): ForgeProgress {
  const { ref, ctx } = run;
  let state = initialState({ feature_slug: run.id, approval_mode: ref.mode, run_id: ref.run_id });
  const facts = new Set<RunFact>();
  const issues: OpenIssue[] = [];
  const reviews: ReviewedRound[] = [];
  let decisions = 0;

  function take({ action, facts: more }: RouteDecision): void {
    for (const fact of more) facts.add(fact);
    state = advance(state, action);
  }

  return {
    run,
    state: () => state,
    async decide(input, words) {
      if (input.input === "plan") state = withPlan(state, input);
      const step = FORGE_STEPS.route.named(++decisions);
      const recorded = await ctx.step(step, async () => {
        const routed = route(state, input);
        const next = advance(state, routed.action);
        await saveForgeRun(run.change.services.kernel.door.relaxed, callOf(run, step), {
          run_key: ref.run_key,
          run_id: ref.run_id,
          feature_id: run.id,
          ledger: ref.ledger,
          state: JSON.stringify({ ...next, facts: [...facts, ...routed.facts], issues }),
        });
        return { ...routed, input: words };
      });
      take(recorded);
      if (recorded.action.type === "fail") throw new ForgeError(stepOf(input), recorded.action.reason);
      return recorded.action;
    },
    go: (action) => void (state = advance(state, action)),
    lower(fact, issue) {
      facts.add(fact);
      if (issue !== undefined) issues.push(issue);
    },
    addIssues(more) {
      if (more.length > 0) facts.add("known-issue");
      issues.push(...more);
    },
    confidence: () => runConfidence([...facts]),
    facts: () => [...facts],
    issues: () => issues,
    noteReview: (round) => void reviews.push(round),
    reviews: () => reviews,
    complete: (step, outputs) => void (state = { ...state, completed_steps: [...state.completed_steps, { step, outputs: [...outputs] }] }),
    noteError: (step, agent, error, retried) => {
      state = { ...state, error_log: [...state.error_log, { step, agent, error, retried }] };
    },
  };
}

const STEP_OF: Readonly<Record<RouteInput["input"], Step>> = {
  setup: "0",
  research: "1",
  spec: "2",
  design: "3",
  "design review": "3b",
  plan: "4",
  implementation: "5",
  verification: "6",
  "code review": "7",
  knowledge: "8",
  confidence: "9",
};

function stepOf({ input }: RouteInput): Step {
  return STEP_OF[input];
}
