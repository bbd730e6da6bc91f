import { z } from "zod";
import { SlipwayError } from "../../../schema/errors.ts";
import type { Db, Tx } from "../../../record/database/tables.ts";
import type { Operation } from "../../../record/operations/operation.ts";

/** The code of a gate that stayed green with a planted failure, and the answer that lets its change merge. */
export const NOT_PROVEN = "verdict_not_proven";
export const MERGE_ALL_THE_SAME = "merge_all_the_same";

export interface CanaryWaiver {
  readonly by: string;
  readonly comment: string | null;
  readonly question_id: string;
}

const waiveInput = z.strictObject({ feature_id: z.string(), question_id: z.string() });

/** Accepts a verdict that proves nothing, for one change. Only an answer that a person gave to the question about it can do that. */
export const waiveCanaryOperation: Operation<z.infer<typeof waiveInput>, undefined, CanaryWaiver> = {
  name: "feature.waive_canary",
  roles: ["orchestrator", "system"],
  input: waiveInput,
  async commit(tx, { feature_id, question_id }, _effect, { at }) {
    const question = await tx
      .selectFrom("questions")
      .select(["context", "answer", "answered_by"])
      .where("id", "=", question_id)
      .executeTakeFirst();
    const { feature_id: about, code, key } = JSON.parse(question?.context ?? "{}") as Readonly<Record<string, unknown>>;
    const { decision, comment } = JSON.parse(question?.answer ?? "{}") as Readonly<Record<string, unknown>>;
    const by = question?.answered_by ?? "";
    const isDecided = about === feature_id && code === NOT_PROVEN && decision === MERGE_ALL_THE_SAME && by.startsWith("person:");
    if (!isDecided || typeof key !== "string")
      throw new SlipwayError("answer_not_allowed", `No person decided to merge "${feature_id}" on a verdict that proves nothing.`, {
        question_id,
      });
    const waived: CanaryWaiver = { by: by.slice("person:".length), comment: typeof comment === "string" ? comment : null, question_id };
    const row = { key, waived: JSON.stringify(waived), at };
    await tx
      .insertInto("canary_waivers")
      .values({ feature_id, ...row })
      .onConflict((conflict) => conflict.column("feature_id").doUpdateSet(row))
      .execute();
    return waived;
  },
  event: ({ feature_id }, { by, question_id }) => ({ feature_id, by, question_id }),
};

/** The decision about exactly this change, gate and toolchain. */
export async function canaryWaiver(db: Db | Tx, feature_id: string, key: string): Promise<CanaryWaiver | null> {
  const row = await db
    .selectFrom("canary_waivers")
    .select("waived")
    .where("feature_id", "=", feature_id)
    .where("key", "=", key)
    .executeTakeFirst();
  return row === undefined ? null : (JSON.parse(row.waived) as CanaryWaiver);
}
