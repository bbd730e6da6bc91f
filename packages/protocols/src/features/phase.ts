import type { Ctx } from "@slipway/durable/ctx";
import type { Failure } from "@slipway/durable/errors";
import { certain } from "./attempt.ts";
import { blockedAnswer } from "./schemas.ts";
import type { Outcome, Shop } from "./shop.ts";

/** What the worker is told about its last attempt, or by a person. */
export type Last = { readonly failure: Failure } | { readonly comment: string } | null;

/**
 * Tries `once` a bounded number of times. When that is used up the feature is blocked with the reason and a person
 * decides: another round, with guidance, or the end. Returns null when the person gives up.
 */
export async function untilPassed<T>(
  ctx: Ctx,
  shop: Shop,
  id: string,
  phase: "planning" | "building" | "qa",
  comment: string | null,
  once: (attempt: string, last: Last) => Promise<Outcome<T>>,
  review = 1,
): Promise<T | null> {
  const { max_iterations_per_phase: limit } = shop.kernel.configuration.policy.supervisor;
  let last: Last = comment === null ? null : { comment };
  for (let round = 1; ; round++) {
    for (let iteration = 1; iteration <= limit; iteration++) {
      const outcome = await once(attemptName(review, round, iteration, limit), last);
      if (outcome.ok) return outcome.value;
      last = { failure: outcome.failure };
      // More of the same cannot help where only a person can mend the cause.
      if (outcome.failure.details["requires_human"] === true) break;
    }
    const guidance = await askForHelp(ctx, shop, id, phase, `${review}.${round}`, last);
    if (guidance === null) return null;
    last = { comment: guidance };
  }
}

/** 1, 2, 3 … as long as nothing was sent back; unique in the run either way. */
function attemptName(review: number, round: number, iteration: number, limit: number): string {
  const attempt = String((round - 1) * limit + iteration);
  return review === 1 ? attempt : `${review}.${attempt}`;
}

async function askForHelp(ctx: Ctx, shop: Shop, id: string, phase: "planning" | "building" | "qa", name: string, last: Last) {
  const why = last !== null && "failure" in last ? `${last.failure.code}: ${last.failure.message}` : "no attempt passed";
  const change = (step: string, to: typeof phase | "blocked" | "failed", reason: string) =>
    certain(ctx, id, step, (call) => shop.kernel.features.changeStatus(call, { feature_id: id, to, reason }));

  await change(`block:${phase}:${name}`, "blocked", `${phase} used up its attempts; last: ${why}`);
  const answer = await ctx.ask(`blocked:${phase}:${name}`, {
    kind: "blocked",
    title: `${id} is blocked in ${phase}`,
    body: [`No attempt passed. The last one ended with ${why}`, ...nextActions(last)].join("\n"),
    options: [
      { value: "retry", label: "try again, with your comment as guidance" },
      { value: "give_up", label: "end this feature; its work stays reachable" },
    ],
    schema: blockedAnswer,
    context: { feature_id: id, phase },
  });
  if (answer.decision === "give_up") {
    await change(`give-up:${phase}:${name}`, "failed", answer.comment ?? "given up by a person");
    return null;
  }
  await change(`unblock:${phase}:${name}`, phase, `a person asked for another round (${name})`);
  return answer.comment ?? "Try again.";
}

function nextActions(last: Last): string[] {
  const actions = last !== null && "failure" in last ? last.failure.details["suggested_next_actions"] : [];
  return Array.isArray(actions) ? actions.map((action) => `next: ${String(action)}`) : [];
}
