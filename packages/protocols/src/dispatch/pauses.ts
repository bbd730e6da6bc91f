import type { HandAnswer } from "@slipway/agents/manual/contract";
import { pauseFor } from "@slipway/agents/routing/pause";
import type { Ctx } from "@slipway/durable/ctx";
import type { Failure } from "@slipway/durable/errors";
import { inWords, type Dimension } from "@slipway/kernel/budget/amounts";
import type { RaiseInput } from "@slipway/kernel/budget/raise";
import type { Call } from "@slipway/kernel/record/operations/call";
import type { Kernel } from "@slipway/kernel/kernel";
import { z } from "zod";
import type { Reply } from "./dispatcher.ts";
import { askByHand } from "./by-hand.ts";
import { retryAnswer } from "./retry-answer.ts";

/** Whoever may have to wait for a limit to pass: a feature, a product, a task. */
export interface Invoker {
  readonly ctx: Ctx;
  readonly kernel: Pick<Kernel, "clock" | "budget">;
  /** What a person is told that waits. */
  readonly subject: string;
  /** Facts that go with every question about it. */
  readonly about: Readonly<Record<string, unknown>>;
  /** What giving up would do, for the person who is asked. */
  readonly givingUp: string;
  readonly call: (step: string) => Call;
  /** An operation as a step. */
  readonly operate: (step: string, body: (call: Call) => Promise<null>) => Promise<unknown>;
  /** Ends it, and never returns. */
  readonly giveUp: (name: string, comment: string | undefined) => Promise<never>;
}

/** One call; with what was said since the last one, where somebody answers by hand. */
export type Once<T> = (step: string, said: HandAnswer | null) => Promise<Reply<T>>;

/**
 * A limit of the provider's, or of a budget, is no answer of the worker's: what it takes is waited for or asked, and then the same
 * attempt goes on, under a new step's name because the recorded one keeps its result. It takes no attempt.
 */
export async function withPauses<T>(waiting: Invoker, step: string, once: Once<T>): Promise<Reply<T>> {
  const { ctx, kernel, about } = waiting;
  let said: HandAnswer | null = null;
  for (let round = 1; ; round++) {
    const name = round === 1 ? step : `${step}~${round}`;
    const outcome = await once(name, said);
    if (outcome.ok) return outcome;
    const { failure } = outcome;
    const pause = pauseFor(failure, round, `${ctx.runId}/${step}`, kernel.clock.now());
    if (pause === null) return outcome;
    if (pause.kind === "hand") said = await askByHand(ctx, `manual:${name}`, failure, about);
    else if (pause.kind === "wait") await ctx.sleep(`pause:${name}`, pause.ms);
    else if (pause.kind === "ask") await askAboutLimit(waiting, name, failure);
    else await askAboutBudget(waiting, step, name, failure);
  }
}

/** Nobody says when the limit will be over. */
async function askAboutLimit(waiting: Invoker, name: string, failure: Failure): Promise<void> {
  const answer = await waiting.ctx.ask(`limit:${name}`, {
    kind: "limit",
    title: `${waiting.subject} waits: ${failure.code}`,
    body: [failure.message, ...nextActions(failure), "The attempt is not lost: it goes on where it stands."].join("\n"),
    options: [{ value: "retry", label: "it is there again, or another provider was chosen: go on" }, giveUpOption(waiting)],
    schema: retryAnswer,
    context: { ...waiting.about, code: failure.code },
  });
  if (answer.decision === "give_up") await waiting.giveUp(name, answer.comment);
}

function giveUpOption({ givingUp }: Invoker) {
  return { value: "give_up", label: givingUp };
}

const budgetAnswer = z.strictObject({
  decision: z.enum(["raise", "once", "retry", "give_up"]),
  limit: z.number().positive().optional().describe("For raise: the new limit, in dollars, tokens, calls or minutes."),
  comment: z.string().optional(),
});

/** What the budget room says about a limit that might not hold. */
interface Exceeded extends Pick<RaiseInput, "scope" | "name" | "dimension"> {
  readonly limit: number;
  readonly spent: number;
  readonly suggested_limit: number;
  readonly wanted: number | null;
}

async function askAboutBudget(waiting: Invoker, step: string, name: string, failure: Failure): Promise<void> {
  const exceeded = failure.details as unknown as Exceeded;
  const { scope, name: whose, dimension, spent, limit, suggested_limit } = exceeded;
  const whole = scope === "run" ? "the run" : `the ${scope} ${whose}`;
  const answer = await waiting.ctx.ask(`budget:${name}`, {
    kind: "budget",
    title: `${waiting.subject} waits: the budget of ${whole} might not hold (${inWords(dimension, spent)} of ${inWords(dimension, limit)} spent)`,
    body: [failure.message, ...nextActions(failure)].join("\n"),
    options: [
      // A limit that is higher does not give a model a price.
      ...(exceeded.wanted === null
        ? [{ value: "retry", label: "its price stands in slipway/agents.yaml now: go on" }]
        : [{ value: "raise", label: `raise it to ${inWords(dimension, suggested_limit)} for this run, or to another limit (${OTHER})` }]),
      { value: "once", label: "let this one invocation go on, whatever it takes" },
      ...(exceeded.wanted === null ? [] : [{ value: "retry", label: "the budget was raised in the meantime: look again" }]),
      giveUpOption(waiting),
    ],
    schema: budgetAnswer,
    context: { ...waiting.about, ...exceeded },
  });
  const { budget } = waiting.kernel;
  if (answer.decision === "raise") {
    const raised = answer.limit === undefined ? suggested_limit : inUnits(dimension, answer.limit);
    const input = { run_id: waiting.ctx.runId, scope, name: whose, dimension, limit: raised };
    await waiting.operate(`raise:${name}`, (call) => budget.raise(call, input).then(() => null));
  } else if (answer.decision === "once") {
    const { operationId: invocation } = waiting.call(step);
    await waiting.operate(`allow:${name}`, (call) => budget.allowOnce(call, invocation).then(() => null));
  } else if (answer.decision === "give_up") await waiting.giveUp(name, answer.comment);
}

const OTHER = `'{"decision":"raise","limit":…}'`;

function inUnits(dimension: Dimension, limit: number): number {
  return dimension === "duration_ms" ? limit * 60_000 : limit;
}

/** What the failure itself suggests, one line each. */
export function nextActions({ details }: Failure): string[] {
  const actions = details["suggested_next_actions"];
  return Array.isArray(actions) ? actions.map((action) => `next: ${String(action)}`) : [];
}
