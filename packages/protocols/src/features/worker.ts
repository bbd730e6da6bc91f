import type { Ctx } from "@slipway/durable/ctx";
import { SlipwayError, toFailure } from "@slipway/durable/errors";
import { z } from "zod";
import type { Last } from "./phase.ts";
import { packFor } from "./pack.ts";
import { WORKER_OUTPUT, type WorkerOutput, type WorkerRole } from "./schemas.ts";
import { callOf, type Outcome, type Shop } from "./shop.ts";

interface Assignment<R extends WorkerRole> {
  readonly role: R;
  readonly id: string;
  readonly attempt: string;
  readonly last: Last;
}

type Delivered<R extends WorkerRole> = Exclude<WorkerOutput<R>, { type: "REQUEST" }> &
  (R extends "qa" ? unknown : { type: "PLAN_SUBMISSION" | "PATCH" });

const INSTRUCTIONS: Record<WorkerRole, string> = {
  planner: "Return a PLAN_SUBMISSION for this feature.",
  builder: "Return a PATCH that carries out the plan on the current files.",
  qa: "Return a PATCH with the tests that are missing, or a NOTE if none are.",
};

/** One invocation. Notes are kept, requests become questions; neither counts as the work that was asked for. */
export async function askWorker<R extends WorkerRole>(ctx: Ctx, shop: Shop, assignment: Assignment<R>): Promise<Outcome<Delivered<R>>> {
  const { role, id, attempt, last } = assignment;
  const step = `${role}:${attempt}`;
  const reply = await invocation<R>(ctx, step, async (signal) => {
    const pack = await packFor(shop, id, role, last);
    return shop.desk.invoke(
      { role, subject: id, attempt, pack, instructions: INSTRUCTIONS[role], schema: WORKER_OUTPUT[role], call: callOf(ctx, step) },
      signal,
    );
  });
  if (!reply.ok) return reply;
  const output = reply.value;
  if (output.type === "NOTE") {
    await ctx.step(`note:${step}`, () =>
      shop.kernel.features.note(callOf(ctx, `note:${step}`), { feature_id: id, role, text: output.text }),
    );
    if (role !== "qa") return notTheWork(role, "a NOTE");
  }
  if (output.type === "REQUEST") {
    const answer = await ctx.ask(`request:${step}`, {
      kind: "request",
      title: `The ${role} of ${id} asks for ${output.request.replace("_", " ")}`,
      body: output.text,
      schema: z.strictObject({ comment: z.string().min(1) }),
      context: { feature_id: id, role, request: output.request },
    });
    return { ok: false, failure: { code: "policy_violation", message: `A person answered your request: ${answer.comment}`, details: {} } };
  }
  return { ok: true, value: output as Delivered<R> };
}

/** Trouble on the way is tried again in place; when it does not pass, it is this attempt's failure, not the run's. */
async function invocation<R extends WorkerRole>(
  ctx: Ctx,
  step: string,
  body: (signal: AbortSignal) => Promise<Outcome<WorkerOutput<R>>>,
): Promise<Outcome<WorkerOutput<R>>> {
  try {
    return await ctx.step(step, body, { retry: { attempts: 3, backoffMs: 1_000, maxBackoffMs: 30_000 } });
  } catch (error) {
    if (error instanceof SlipwayError && error.code === "agent_failed") return { ok: false, failure: toFailure(error) };
    throw error;
  }
}

function notTheWork(role: string, found: string): Outcome<never> {
  return {
    ok: false,
    failure: {
      code: "agent_output_invalid",
      message: `The ${role} returned ${found}, which was recorded; the work itself is still wanted.`,
      details: {},
    },
  };
}
