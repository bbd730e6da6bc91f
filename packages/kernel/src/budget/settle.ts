import { z } from "zod";
import { preparedQueryWith } from "../record/database/prepared-query.ts";
import type { Tx } from "../record/database/tables.ts";
import { addTelemetry } from "./telemetry.ts";
import type { Operation } from "../record/operations/operation.ts";
import type { BudgetTables } from "./tables.ts";

const settleInput = z.strictObject({
  reservation: z.string(),
  /** released: the call was not made or not answered, and counts nowhere. */
  status: z.enum(["settled", "failed", "released"]),
  model: z.string().nullable(),
  input_tokens: z.int().min(0),
  output_tokens: z.int().min(0),
  cost_usd: z.number().min(0),
  duration_ms: z.number().min(0),
  reply_digest: z.string().nullable(),
});

export type SettleInput = z.infer<typeof settleInput>;

/** Replaces the reserved worst case by the real cost and adds it to the telemetry, in one commit. */
export const settleOperation: Operation<SettleInput, undefined, null> = {
  name: "budget.settle",
  roles: ["orchestrator", "system"],
  input: settleInput,
  async commit(tx, { reservation, status, model, ...taken }, _effect, { at }) {
    const calls = status === "released" ? 0 : 1;
    const duration_ms = status === "released" ? 0 : Math.round(taken.duration_ms);
    const { cost_usd: cost, reply_digest } = taken;
    const tokens = taken.input_tokens + taken.output_tokens;
    const [row] = await settledRow(tx, {
      reservation,
      status,
      model,
      cost_usd: cost,
      tokens,
      calls,
      duration_ms,
      reply_digest,
      ended_at: at,
    });
    if (row === undefined || status === "released") return null;
    const { input_tokens, output_tokens, cost_usd } = taken;
    const { invocation: id, run_id, feature_id, role, provider } = row;
    const whose = { id, run_id, feature_id, role, provider, model: row.model, at, transcript_digest: null };
    await addTelemetry(tx, { ...whose, input_tokens, output_tokens, cost_usd, duration_ms, calls });
    return null;
  },
  event: ({ reservation, status, input_tokens, output_tokens, cost_usd }) => ({
    reservation,
    status,
    input_tokens,
    output_tokens,
    cost_usd,
  }),
};

interface Settled extends Pick<
  BudgetTables["reservations"],
  "status" | "model" | "cost_usd" | "tokens" | "calls" | "duration_ms" | "reply_digest" | "ended_at"
> {
  readonly reservation: string;
}

const settledRow = preparedQueryWith((db, { reservation, model, ...set }: Settled) =>
  db
    .updateTable("reservations")
    .set((eb) => ({ ...set, model: eb.fn.coalesce(eb.val(model), "model") }))
    .where("id", "=", reservation)
    // Also after cut_off: if the process was alive after all, its real cost replaces the worst case.
    .where("status", "in", ["reserved", "cut_off"])
    .returningAll(),
);

const cutOffInput = z.strictObject({ reservation: z.string() });

/** The process that made the call has died. The cost is unknown, so the worst case counts unless the call is settled later. */
export const cutOffOperation: Operation<z.infer<typeof cutOffInput>, undefined, null> = {
  name: "budget.cut_off",
  roles: ["orchestrator", "system"],
  input: cutOffInput,
  async commit(tx: Tx, { reservation }, _effect, { at }) {
    await tx
      .updateTable("reservations")
      .set({ status: "cut_off", ended_at: at })
      .where("id", "=", reservation)
      .where("status", "=", "reserved")
      .execute();
    return null;
  },
  event: ({ reservation }) => ({ reservation }),
};
