import type { HandAnswer } from "@slipway/agents/manual/contract";
import { pauseFor } from "@slipway/agents/routing/pause";
import type { Ctx } from "@slipway/durable/ctx";
import type { Failure } from "@slipway/durable/errors";
import { OUTAGE_MINUTES } from "@slipway/kernel/config/agents";
import { inWords, type Dimension } from "@slipway/kernel/budget/amounts";
import type { RaiseInput } from "@slipway/kernel/budget/raise";
import type { Call } from "@slipway/kernel/record/operations/call";
import type { Kernel } from "@slipway/kernel/kernel";
import { z } from "zod";
import type { Reply } from "./dispatcher.ts";
import { askByHand } from "./by-hand.ts";
import { retryAnswer } from "./retry-answer.ts";

/** The feature, product or task that calls an agent and may have to pause. */
export interface Invoker {
  readonly ctx: Ctx;
  readonly kernel: Pick<Kernel, "clock" | "budget" | "configuration">;
  /** Its name in questions. */
  readonly subject: string;
  /** Added to the context of every question about it. */
  readonly about: Readonly<Record<string, unknown>>;
  /** The label of the option to give up. */
  readonly givingUp: string;
  readonly call: (step: string) => Call;
  /** Performs an operation as a step. */
  readonly operate: (step: string, body: (call: Call) => Promise<null>) => Promise<unknown>;
  /** It asks a person itself about a provider that cannot be reached. */
  readonly asksAboutOutages?: true;
  /** Ends it, and never returns. */
  readonly giveUp: (name: string, comment: string | undefined) => Promise<never>;
}

/** One call. `handAnswer` is what a person answered since the last call, if a person plays the role. */
export type Once<T> = (step: string, handAnswer: HandAnswer | null) => Promise<Reply<T>>;

/**
 * Pauses the invocation at a limit of the provider or of a budget: sleeps, or asks a person, then makes another call for the same
 * invocation. Each call has its own step name, because a recorded step keeps its result. A pause does not count as an attempt.
 */
export async function withPauses<T>(invoker: Invoker, step: string, once: Once<T>): Promise<Reply<T>> {
  const { ctx, kernel, about } = invoker;
  const minutes = kernel.configuration.agents?.runtime.outage_minutes ?? OUTAGE_MINUTES;
  let pauses = 0;
  let handAnswer: HandAnswer | null = null;
  for (let round = 1; ; round++) {
    const name = round === 1 ? step : `${step}~${round}`;
    const outcome = await once(name, handAnswer);
    if (outcome.ok) return outcome;
    const { failure } = outcome;
    const facts = { round: ++pauses, seed: `${ctx.runId}/${step}`, now: kernel.clock.now(), outageMs: minutes * 60_000 };
    const pause = pauseFor(failure, facts);
    if (pause === null) return outcome;
    if (pause.kind === "ask" && failure.code === "provider_unavailable" && invoker.asksAboutOutages === true) return outcome;
    if (pause.kind !== "wait") pauses = 0;
    if (pause.kind === "hand") handAnswer = await askByHand(ctx, `manual:${name}`, failure, about);
    else if (pause.kind === "wait") await ctx.sleep(`pause:${name}`, pause.ms);
    else if (pause.kind === "ask") await askAboutLimit(invoker, name, failure);
    else await askAboutBudget(invoker, step, name, failure);
  }
}

/** For a limit whose end the provider does not report. */
async function askAboutLimit(invoker: Invoker, name: string, failure: Failure): Promise<void> {
  const answer = await invoker.ctx.ask(`limit:${name}`, {
    kind: "limit",
    title: `${invoker.subject} waits: ${failure.code}`,
    body: [failure.message, ...nextActions(failure), "The attempt is not lost: it continues after your answer."].join("\n"),
    options: [{ value: "retry", label: "retry now (the limit has passed, or you switched providers)" }, giveUpOption(invoker)],
    schema: retryAnswer,
    context: { ...invoker.about, code: failure.code },
  });
  if (answer.decision === "give_up") await invoker.giveUp(name, answer.comment);
}

function giveUpOption({ givingUp }: Invoker) {
  return { value: "give_up", label: givingUp };
}

const budgetAnswer = z.strictObject({
  decision: z.enum(["raise", "once", "retry", "give_up"]),
  limit: z.number().positive().optional().describe("For raise: the new limit, in dollars, tokens, calls or minutes."),
  comment: z.string().optional(),
});

/** The details of `budget_exceeded`. */
interface Exceeded extends Pick<RaiseInput, "scope" | "name" | "dimension"> {
  readonly limit: number;
  readonly spent: number;
  readonly suggested_limit: number;
  readonly wanted: number | null;
}

async function askAboutBudget(invoker: Invoker, step: string, name: string, failure: Failure): Promise<void> {
  const exceeded = failure.details as unknown as Exceeded;
  const { scope, name: whose, dimension, spent, limit, suggested_limit } = exceeded;
  const owner = scope === "run" ? "the run" : `the ${scope} ${whose}`;
  const answer = await invoker.ctx.ask(`budget:${name}`, {
    kind: "budget",
    title: `${invoker.subject} waits: the budget of ${owner} might be exceeded (${inWords(dimension, spent)} of ${inWords(dimension, limit)} spent)`,
    body: [failure.message, ...nextActions(failure)].join("\n"),
    options: [
      // The model has no price: raising the limit would not help.
      ...(exceeded.wanted === null
        ? [{ value: "retry", label: "continue (its price is in slipway/agents.yaml now)" }]
        : [{ value: "raise", label: `raise it to ${inWords(dimension, suggested_limit)} for this run, or to another limit (${OTHER})` }]),
      { value: "once", label: "let this one invocation continue, whatever it costs" },
      ...(exceeded.wanted === null ? [] : [{ value: "retry", label: "check again (the budget was raised in the meantime)" }]),
      giveUpOption(invoker),
    ],
    schema: budgetAnswer,
    context: { ...invoker.about, ...exceeded },
  });
  const { budget } = invoker.kernel;
  if (answer.decision === "raise") {
    const raised = answer.limit === undefined ? suggested_limit : inUnits(dimension, answer.limit);
    const input = { run_id: invoker.ctx.runId, scope, name: whose, dimension, limit: raised };
    await invoker.operate(`raise:${name}`, (call) => budget.raise(call, input).then(() => null));
  } else if (answer.decision === "once") {
    const { operationId: invocation } = invoker.call(step);
    await invoker.operate(`allow:${name}`, (call) => budget.allowOnce(call, invocation).then(() => null));
  } else if (answer.decision === "give_up") await invoker.giveUp(name, answer.comment);
}

const OTHER = `'{"decision":"raise","limit":…}'`;

function inUnits(dimension: Dimension, limit: number): number {
  return dimension === "duration_ms" ? limit * 60_000 : limit;
}

/** The suggestions of the failure, one line each. */
export function nextActions({ details }: Failure): string[] {
  const actions = details["suggested_next_actions"];
  return Array.isArray(actions) ? actions.map((action) => `next: ${String(action)}`) : [];
}
