import { z } from "zod";
import type { Operation } from "../record/operations/operation.ts";
import { recordAnswer } from "../record/questions/inbox.ts";
import { questionFrom } from "../record/questions/question.ts";
import { DIMENSIONS } from "./amounts.ts";
import { rootOf } from "./reserve.ts";

const raiseInput = z.strictObject({
  run_id: z.string().min(1),
  scope: z.enum(["run", "feature", "role"]),
  name: z.string(),
  dimension: z.enum(DIMENSIONS),
  limit: z.number().positive(),
});

export type RaiseInput = z.infer<typeof raiseInput>;

/** A person raises a limit for this run; a lower value changes nothing. Also answers other open questions about the same limit. */
export const raiseOperation: Operation<RaiseInput, undefined, null> = {
  name: "budget.raise",
  roles: ["orchestrator", "system"],
  input: raiseInput,
  async commit(tx, { run_id, scope, name, dimension, limit }, _effect, { actor, at }) {
    const row = await tx
      .selectFrom("budgets")
      .select("raised")
      .where("root_run_id", "=", rootOf(run_id))
      .where("scope", "=", scope)
      .where("name", "=", name)
      .where("dimension", "=", dimension)
      .executeTakeFirst();
    const raised = Math.max(limit, row?.raised ?? 0);
    await tx
      .insertInto("budgets")
      .values({ root_run_id: rootOf(run_id), scope, name, dimension, configured: null, raised })
      .onConflict((conflict) => conflict.columns(["root_run_id", "scope", "name", "dimension"]).doUpdateSet({ raised }))
      .execute();
    const asked = await tx.selectFrom("questions").selectAll().where("status", "=", "open").where("kind", "=", "budget").execute();
    for (const question of asked.map(questionFrom)) {
      const { runId, context } = question;
      const same = context["scope"] === scope && context["name"] === name && context["dimension"] === dimension;
      if (runId === null || rootOf(runId) !== rootOf(run_id) || !same) continue;
      await recordAnswer(tx, question, { value: { decision: "retry", comment: "the budget was raised" }, by: actor, at });
    }
    return null;
  },
  event: ({ scope, name, dimension, limit }) => ({ scope, name, dimension, limit }),
};

const allowInput = z.strictObject({ invocation: z.string().min(1) });

/** A person allows this one invocation, whatever it costs. */
export const allowOperation: Operation<z.infer<typeof allowInput>, undefined, null> = {
  name: "budget.allow_once",
  roles: ["orchestrator", "system"],
  input: allowInput,
  async commit(tx, { invocation }, _effect, { at }) {
    await tx
      .insertInto("budget_allowances")
      .values({ invocation, at })
      .onConflict((conflict) => conflict.column("invocation").doNothing())
      .execute();
    return null;
  },
  event: ({ invocation }) => ({ invocation }),
};
