import type { Ctx } from "@slipway/durable/ctx";
import type { Candidate } from "@slipway/kernel/features/candidate";
import type { Landing } from "@slipway/kernel/features/merge";
import { z } from "zod";
import { gate } from "./gate.ts";
import { approvalAnswer } from "./schemas.ts";
import { requiredModes } from "./testing.ts";
import { callOf, outcomeOf, type Shop } from "./shop.ts";

export type { Landing };

type Landed =
  | { readonly status: "merged"; readonly landing: Landing }
  | { readonly status: "changes"; readonly comment: string }
  | { readonly status: "rejected" };

/** How often the base may move away under one feature before a person is told to look. */
const MAX_BASE_MOVES = 20;

/** Asks for approval of exactly what was gated, then lands exactly that. */
export async function land(ctx: Ctx, shop: Shop, id: string, review: number): Promise<Landed> {
  let token: string | null = null;
  for (let round = 1; round <= MAX_BASE_MOVES; round++) {
    const name = review === 1 ? String(round) : `${review}.${round}`;
    const candidate = await ctx.step(`candidate:${name}`, () =>
      shop.kernel.features.candidate(callOf(ctx, `candidate:${name}`), { feature_id: id }),
    );
    const problem = await regate(ctx, shop, id, candidate, name);
    if (problem !== null) {
      await sendBack(ctx, shop, id, name, problem);
      return { status: "changes", comment: problem };
    }
    if (token === null || !shop.kernel.features.approvalHolds(token, candidate)) {
      const answer = await ctx.ask(`approve:${name}`, approvalQuestion(candidate));
      if (answer.decision !== "approve") return declined(ctx, shop, id, name, answer);
      token = answer.token;
    }
    const merged = await merge(ctx, shop, id, name, token);
    if (merged !== null) return { status: "merged", landing: merged };
  }
  await sendBack(ctx, shop, id, `${review}.end`, `the base moved ${MAX_BASE_MOVES} times`);
  return { status: "changes", comment: "The base branch kept moving; the change has to be built on its latest state." };
}

/** After the base moved the candidate is another tree: it is gated again before anyone relies on it. */
async function regate(ctx: Ctx, shop: Shop, id: string, candidate: Candidate, name: string): Promise<string | null> {
  if (candidate.conflicts.length > 0) return `The change conflicts with the base branch in: ${candidate.conflicts.join(", ")}`;
  if (!candidate.rebuilt) return null;
  for (const mode of requiredModes(shop)) {
    const passed = await gate(ctx, shop, id, mode, `rebuilt-${name}`);
    if (!passed.ok) return `On the moved base the ${mode} gates fail: ${passed.failure.message}`;
  }
  return null;
}

/** Null: the base moved in the meantime, or a person cleared the way; go round once more. */
async function merge(ctx: Ctx, shop: Shop, id: string, name: string, token: string): Promise<Landing | null> {
  const step = `merge:${name}`;
  const outcome = await ctx.step(step, () =>
    outcomeOf(shop.kernel.features.merge(callOf(ctx, step), { feature_id: id, user_approval_token: token }), [
      "base_moved",
      "checkout_in_the_way",
    ]),
  );
  if (outcome.ok) return outcome.value;
  if (outcome.failure.code === "checkout_in_the_way") {
    await ctx.ask(`checkout:${name}`, {
      kind: "checkout",
      title: `${id} cannot land while your checkout is in the way`,
      body: outcome.failure.message,
      options: [{ value: "retry", label: "I have committed or stashed those files: try again" }],
      schema: z.strictObject({ decision: z.literal("retry"), comment: z.string().optional() }),
      context: { feature_id: id },
    });
  } else if (outcome.failure.code !== "base_moved") {
    throw new Error(`${outcome.failure.code}: ${outcome.failure.message}`);
  }
  return null;
}

function approvalQuestion(candidate: Candidate) {
  return {
    kind: "approval",
    title: `Merge ${candidate.feature_id} into ${candidate.base_branch}?`,
    body: candidate.summary,
    options: [
      { value: "approve", label: "merge exactly this change (use `slipway approve`, which signs it)" },
      { value: "changes", label: "send it back with a comment" },
      { value: "reject", label: "end this feature; its work stays reachable" },
    ],
    schema: approvalAnswer,
    context: { ...candidate },
    answerableBy: ["person"],
  };
}

async function declined(
  ctx: Ctx,
  shop: Shop,
  id: string,
  name: string,
  answer: { decision: "changes" | "reject"; comment: string },
): Promise<Landed> {
  if (answer.decision === "changes") {
    await sendBack(ctx, shop, id, name, `changes requested: ${answer.comment}`);
    return { status: "changes", comment: answer.comment };
  }
  await ctx.step(`reject:${name}`, () =>
    shop.kernel.features.changeStatus(callOf(ctx, `reject:${name}`), {
      feature_id: id,
      to: "failed",
      reason: `rejected: ${answer.comment}`,
    }),
  );
  return { status: "rejected" };
}

/** The matrix has no way back from ready_to_merge but through blocked. */
async function sendBack(ctx: Ctx, shop: Shop, id: string, name: string, reason: string): Promise<void> {
  const change = (step: string, to: "blocked" | "building", why: string) =>
    ctx.step(step, () => shop.kernel.features.changeStatus(callOf(ctx, step), { feature_id: id, to, reason: why }));
  await change(`send-back:${name}`, "blocked", reason);
  await change(`reopen:${name}`, "building", `building again: ${reason}`);
}
