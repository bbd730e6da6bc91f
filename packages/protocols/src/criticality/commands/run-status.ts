import { readBoard } from "@slipway/kernel/open-board";
import { costReport } from "@slipway/kernel/budget/report";
import type { Reader } from "../../surface/surface.ts";
import { TIERS, type InjectionTier } from "../escalation/attempts.ts";
import type { CriticalityState } from "../machine/states.ts";
import type { RunArtifacts } from "../run-artifacts.ts";
import { blockingQuery, openQuestions, type BlockingQuery } from "./blocking-query.ts";
import { runPlace, type RunPlace } from "./state-titles.ts";
import type { ReadRun } from "./with-run.ts";

/** What `slipway criticality status` shows, also as JSON. */
export interface RunStatusReport extends RunPlace {
  readonly run: string;
  readonly project: string;
  /** Of the engine: running, waiting, stopped, completed, … */
  readonly run_status: string;
  readonly functions: { readonly total: number; readonly done: number; readonly failed: number; readonly left: number };
  readonly at_work: { readonly function: string; readonly tier: InjectionTier } | null;
  /** Functions whose last attempt was not the worker's. */
  readonly escalations: readonly { readonly function: string; readonly tier: InjectionTier; readonly attempts: number }[];
  readonly tests: TestCount;
  readonly claims: Readonly<Record<RunArtifacts["claims"][number]["status"], number>>;
  /** Critical functions, and what the external verifier said of them. */
  readonly formal: readonly { readonly function: string; readonly verdict: string; readonly message: string }[];
  readonly scan: RunArtifacts["scan"];
  readonly cost_usd: number;
  readonly block: (Pick<BlockingQuery, "id" | "question" | "options"> & { readonly answered: boolean }) | null;
  readonly waits_for: readonly { readonly question: string; readonly title: string }[];
  readonly notification_failures: readonly { readonly event: string; readonly channel: string; readonly reason: string }[];
}

export interface TestCount {
  readonly total: number;
  readonly passing: number;
}

/** Reads only; the run stays where it is. */
export async function runStatus({ info, project, state, artifacts }: ReadRun, { records }: Reader): Promise<RunStatusReport> {
  const { functions, claims } = artifacts;
  const [cost, board, questions, numbers] = await Promise.all([
    costReport(records, info.runId),
    readBoard(records.layout),
    openQuestions(records, info.runId),
    records.inbox.numbers(),
  ]);
  const block = blockingQuery(state, questions);
  const count = (status: string) => functions.filter((row) => row.status === status).length;
  return {
    run: info.runId,
    project,
    run_status: info.status,
    ...runPlace(state),
    functions: { total: functions.length, done: count("accepted"), failed: count("failed"), left: count("hole") },
    at_work: atWork(state),
    escalations: escalatedFunctions(artifacts),
    tests: testCount(artifacts),
    claims: claimCount(claims),
    formal: functions.flatMap(({ id, formal }) => (formal === undefined ? [] : [{ function: id, ...formal }])),
    scan: artifacts.scan,
    cost_usd: cost.total.cost_usd,
    block: block === null ? null : { id: block.id, question: block.question, options: block.options, answered: block.asked === null },
    waits_for: questions.map(({ id, title }) => ({ question: `Q${numbers.get(id)}`, title })),
    notification_failures: board.notifications.map(({ event, channel, reason }) => ({ event, channel, reason })),
  };
}

/** One test of each function that has a body, and one of each claim that has a test. */
export function testCount({ functions, claims }: Pick<RunArtifacts, "functions" | "claims">): TestCount {
  const tested = claims.filter(({ status }) => status === "pass" || status === "violated");
  const bodies = functions.filter(({ status }) => status !== "hole");
  return {
    total: bodies.length + tested.length,
    passing: bodies.filter(({ status }) => status === "accepted").length + tested.filter(({ status }) => status === "pass").length,
  };
}

export function escalatedFunctions({ functions }: Pick<RunArtifacts, "functions">): RunStatusReport["escalations"] {
  return functions.flatMap(({ id, tier, attempts }) => (tier === null || tier === TIERS[0] ? [] : [{ function: id, tier, attempts }]));
}

function claimCount(claims: RunArtifacts["claims"]): RunStatusReport["claims"] {
  const counted = { pass: 0, violated: 0, untested: 0, open: 0 };
  for (const { status } of claims) counted[status]++;
  return counted;
}

function atWork(state: CriticalityState): RunStatusReport["at_work"] {
  if (state.type !== "active" || state.data.phase.phase !== "injection") return null;
  const { subState } = state.data.phase;
  if (subState.type === "implementing") return { function: subState.data.functionId, tier: subState.data.currentTier };
  return subState.type === "escalating" ? { function: subState.data.functionId, tier: subState.data.toTier } : null;
}
