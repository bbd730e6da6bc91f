import type { Ctx } from "@slipway/durable/ctx";
import type { Candidate } from "@slipway/kernel/features/candidate";
import type { Landing } from "@slipway/kernel/features/merge";
import { fromFailure } from "@slipway/durable/errors";
import { z } from "zod";
import type { Plan } from "@slipway/kernel/plans/schema";
import { attempt, certain } from "./attempt.ts";
import { gate } from "./gate.ts";
import { holdLocks } from "./locks.ts";
import { approvalAnswer } from "./schemas.ts";
import { requiredModes } from "./testing.ts";
import type { Shop } from "./shop.ts";

export type { Landing };

type Landed =
  | { readonly status: "merged"; readonly landing: Landing }
  | { readonly status: "changes"; readonly comment: string }
  | { readonly status: "rejected" };

/** How often the base may move away under one feature before a person is told to look. */
const MAX_BASE_MOVES = 20;

/** Asks for approval of exactly what was gated, then lands exactly that. */
export async function land(ctx: Ctx, shop: Shop, id: string, plan: Plan, review: number): Promise<Landed> {
  let token: string | null = null;
  for (let round = 1; round <= MAX_BASE_MOVES; round++) {
    const name = review === 1 ? String(round) : `${review}.${round}`;
    const candidate = await certain(ctx, id, `candidate:${name}`, (call) => shop.kernel.features.candidate(call, { feature_id: id }));
    if (candidate.conflicts.length > 0) return conflicting(ctx, shop, id, name, candidate);
    if (candidate.empty)
      return declined(ctx, shop, id, name, {
        decision: "reject",
        comment: `${candidate.base_branch} already holds everything this feature changes`,
      });
    const problem = candidate.rebuilt ? await regate(ctx, shop, id, name) : null;
    if (problem !== null) return lost(ctx, shop, id, name, problem);
    if (token === null || !shop.kernel.features.approvalHolds(token, candidate)) {
      const answer = await ctx.ask(`approve:${name}`, approvalQuestion(candidate));
      if (answer.decision !== "approve") return declined(ctx, shop, id, name, answer);
      token = answer.token;
    }
    const contended = await holdLocks(ctx, shop, id, `locks:merge:${name}`, plan);
    if (contended !== null) return lost(ctx, shop, id, name, contended.message);
    const merged = await merge(ctx, shop, id, name, token);
    if ("landing" in merged) return { status: "merged", landing: merged.landing };
    if (merged.again === "with a new one") token = null;
  }
  return lost(ctx, shop, id, `${review}.end`, `The base branch moved ${MAX_BASE_MOVES} times while this change waited to land.`);
}

/** After the base moved the candidate is another tree: it is gated again before anyone relies on it. */
async function regate(ctx: Ctx, shop: Shop, id: string, name: string): Promise<string | null> {
  for (const mode of requiredModes(shop)) {
    const passed = await gate(ctx, shop, id, mode, `rebuilt-${name}`);
    if (!passed.ok) return `On the moved base the ${mode} gates fail: ${passed.failure.message}`;
  }
  return null;
}

/** Two changes of the same lines: only a person knows which of the two was meant. The work so far stays anchored either way. */
async function conflicting(ctx: Ctx, shop: Shop, id: string, name: string, candidate: Candidate): Promise<Landed> {
  const files = candidate.conflicts.join(", ");
  const answer = await ctx.ask(`conflict:${name}`, {
    kind: "conflict",
    title: `${id} conflicts with ${candidate.base_branch}`,
    body: `Both changed: ${files}`,
    options: [
      { value: "rebuild", label: "build the change again on the new base, with your comment as guidance" },
      { value: "give_up", label: "end this feature; its work stays reachable" },
    ],
    schema: z.strictObject({ decision: z.enum(["rebuild", "give_up"]), comment: z.string().optional() }),
    context: { feature_id: id, files: candidate.conflicts },
  });
  if (answer.decision === "give_up")
    return declined(ctx, shop, id, name, { decision: "reject", comment: answer.comment ?? `conflict in ${files}` });
  const { diff } = await certain(ctx, id, `restart:${name}`, (call) => shop.kernel.features.restart(call, { feature_id: id }));
  await sendBack(ctx, shop, id, name, `conflict with the base in ${files}`);
  return {
    status: "changes",
    comment: `The base moved and your change conflicted in ${files}. Build it again on the current files. ${answer.comment ?? ""}\nYour change was:\n${diff}`,
  };
}

async function lost(ctx: Ctx, shop: Shop, id: string, name: string, problem: string): Promise<Landed> {
  await sendBack(ctx, shop, id, name, problem);
  return { status: "changes", comment: problem };
}

type Merged = { readonly landing: Landing } | { readonly again: "with the same approval" | "with a new one" };

/** What may have changed between the approval and now is not a failure: it is looked at once more. */
async function merge(ctx: Ctx, shop: Shop, id: string, name: string, token: string): Promise<Merged> {
  const outcome = await attempt(
    ctx,
    id,
    `merge:${name}`,
    (call) => shop.kernel.features.merge(call, { feature_id: id, user_approval_token: token }),
    ["base_moved", "lock_not_held", "user_approval_required"],
  );
  if (outcome.ok) return { landing: outcome.value };
  if (outcome.failure.code === "user_approval_required") return { again: "with a new one" };
  if (outcome.failure.code === "base_moved" || outcome.failure.code === "lock_not_held") return { again: "with the same approval" };
  throw fromFailure(outcome.failure);
}

function approvalQuestion(candidate: Candidate) {
  return {
    kind: "approval",
    title: `Merge ${candidate.feature_id} into ${candidate.base_branch}?`,
    body: [candidate.summary, ...candidate.flags.map((flag) => `Look closely: ${flag}`)].join("\n"),
    options: [
      { value: "approve", label: "merge exactly this change, signed with your key" },
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
  const { changeStatus } = shop.kernel.features;
  await certain(ctx, id, `reject:${name}`, (call) =>
    changeStatus(call, { feature_id: id, to: "failed", reason: `rejected: ${answer.comment}` }),
  );
  return { status: "rejected" };
}

/** The matrix has no way back from ready_to_merge but through blocked. */
async function sendBack(ctx: Ctx, shop: Shop, id: string, name: string, reason: string): Promise<void> {
  const change = (step: string, to: "blocked" | "building", why: string) =>
    certain(ctx, id, step, (call) => shop.kernel.features.changeStatus(call, { feature_id: id, to, reason: why }));
  await change(`send-back:${name}`, "blocked", reason);
  await change(`reopen:${name}`, "building", `building again: ${reason}`);
}
