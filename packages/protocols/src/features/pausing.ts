import type { HandAnswer } from "@slipway/agents/manual/contract";
import { pauseFor } from "@slipway/agents/routing/pause";
import type { Failure } from "@slipway/durable/errors";
import { inWords, type Dimension } from "@slipway/kernel/budget/amounts";
import type { RaiseInput } from "@slipway/kernel/budget/raise";
import { z } from "zod";
import { askByHand } from "../by-hand.ts";
import { certain, nextActions } from "./attempt.ts";
import { endFeature, GivenUp } from "./ending.ts";
import { blockedAnswer } from "./schemas.ts";
import { orchestratorCall, type Outcome, type Site } from "./site.ts";

/** One call; with what was said since the last one, where somebody answers by hand. */
type Once<T> = (step: string, said: HandAnswer | null) => Promise<Outcome<T>>;

/**
 * A limit of the provider's, or of a budget, is no answer of the worker's: what it takes is waited for or asked, and then the same
 * attempt goes on, under a new step's name because the recorded one keeps its result. It takes no attempt.
 */
export async function withPauses<T>(site: Site, step: string, once: Once<T>): Promise<Outcome<T>> {
  let said: HandAnswer | null = null;
  for (let round = 1; ; round++) {
    const name = round === 1 ? step : `${step}~${round}`;
    const outcome = await once(name, said);
    if (outcome.ok) return outcome;
    const { failure } = outcome;
    const pause = pauseFor(failure, round, `${site.ctx.runId}/${step}`, site.shop.kernel.clock.now());
    if (pause === null) return outcome;
    if (pause.kind === "hand") said = await askByHand(site.ctx, `manual:${name}`, failure, { feature_id: site.id });
    else if (pause.kind === "wait") await site.ctx.sleep(`pause:${name}`, pause.ms);
    else if (pause.kind === "ask") await askAboutLimit(site, name, failure);
    else await askAboutBudget(site, step, name, failure);
  }
}

/** Nobody says when the limit will be over. */
async function askAboutLimit(site: Site, name: string, failure: Failure): Promise<void> {
  const answer = await site.ctx.ask(`limit:${name}`, {
    kind: "limit",
    title: `${site.id} waits: ${failure.code}`,
    body: [failure.message, ...nextActions(failure), "The attempt is not lost: it goes on where it stands."].join("\n"),
    options: [{ value: "retry", label: "it is there again, or another provider was chosen: go on" }, GIVE_UP],
    schema: blockedAnswer,
    context: { feature_id: site.id, code: failure.code },
  });
  if (answer.decision === "give_up") await giveUp(site, name, answer.comment);
}

const GIVE_UP = { value: "give_up", label: "end this feature; its work stays reachable" };

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

async function askAboutBudget(site: Site, step: string, name: string, failure: Failure): Promise<void> {
  const exceeded = failure.details as unknown as Exceeded;
  const { scope, name: whose, dimension, spent, limit, suggested_limit } = exceeded;
  const whole = scope === "run" ? "the run" : `the ${scope} ${whose}`;
  const answer = await site.ctx.ask(`budget:${name}`, {
    kind: "budget",
    title: `${site.id} waits: the budget of ${whole} might not hold (${inWords(dimension, spent)} of ${inWords(dimension, limit)} spent)`,
    body: [failure.message, ...nextActions(failure)].join("\n"),
    options: [
      // A limit that is higher does not give a model a price.
      ...(exceeded.wanted === null
        ? [{ value: "retry", label: "its price stands in slipway/agents.yaml now: go on" }]
        : [{ value: "raise", label: `raise it to ${inWords(dimension, suggested_limit)} for this run, or to another limit (${OTHER})` }]),
      { value: "once", label: "let this one invocation go on, whatever it takes" },
      ...(exceeded.wanted === null ? [] : [{ value: "retry", label: "the budget was raised in the meantime: look again" }]),
      GIVE_UP,
    ],
    schema: budgetAnswer,
    context: { feature_id: site.id, ...exceeded },
  });
  const { budget } = site.shop.kernel;
  if (answer.decision === "raise") {
    const raised = answer.limit === undefined ? suggested_limit : inUnits(dimension, answer.limit);
    const input = { run_id: site.ctx.runId, scope, name: whose, dimension, limit: raised };
    await certain(site, `raise:${name}`, (call) => budget.raise(call, input).then(() => null));
  } else if (answer.decision === "once") {
    const { operationId: invocation } = orchestratorCall(site, step);
    await certain(site, `allow:${name}`, (call) => budget.allowOnce(call, invocation).then(() => null));
  } else if (answer.decision === "give_up") await giveUp(site, name, answer.comment);
}

const OTHER = `'{"decision":"raise","limit":…}'`;

function inUnits(dimension: Dimension, limit: number): number {
  return dimension === "duration_ms" ? limit * 60_000 : limit;
}

async function giveUp(site: Site, name: string, comment = "given up by a person"): Promise<never> {
  const step = `give-up:${name}`;
  await site.ctx.step(step, () => endFeature(site.shop.kernel, orchestratorCall(site, step), site.id, comment));
  throw new GivenUp(site.id);
}
