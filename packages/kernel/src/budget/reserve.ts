import { z } from "zod";
import type { budgetsPart } from "../config/agent-parts/budgets.ts";
import { preparedQuery, preparedQueryWith } from "../record/database/prepared-query.ts";
import { Refusal, type Operation } from "../record/operations/operation.ts";
import { limitsOf } from "./amounts.ts";
import { budgetExceeded, judge, type Most } from "./rules.ts";
import type { BudgetTables } from "./tables.ts";
import { accountsOf, linesOf, writeLimits, type Account } from "./store.ts";

export type BudgetsConfig = z.output<typeof budgetsPart>;

const amount = z.number().min(0);

const reserveInput = z.strictObject({
  invocation: z.string().min(1),
  repair: z.int().min(0),
  prompt_digest: z.string(),
  /** The part of the run that makes the call. */
  run_id: z.string().min(1),
  feature_id: z.string(),
  /** The name it is stored under. */
  role: z.string().min(1),
  /** Its keys in agents.yaml, first match wins; without them, its name. */
  role_keys: z.array(z.string().min(1)).optional(),
  provider: z.string(),
  model: z.string().nullable(),
  /** The worst case; null if the call has no price. */
  cost_usd: amount.nullable(),
  tokens: amount,
  duration_ms: amount,
});

export type ReserveInput = z.infer<typeof reserveInput>;

/** `duration_ms` is how long the call may take; shorter than requested if little time is left. */
export interface Reservation {
  readonly id: string;
  readonly duration_ms: number;
  readonly most: Most;
}

/** Reserves the worst case of a call in every budget that pays for it, or refuses the call. The reservation has the operation's id. */
export function reserveOperation(config: BudgetsConfig | undefined, owner: string): Operation<ReserveInput, undefined, Reservation> {
  return {
    name: "budget.reserve",
    roles: ["orchestrator", "system"],
    input: reserveInput,
    async commit(tx, { cost_usd, tokens, duration_ms, role_keys, ...call }, _effect, { operationId: id, at }) {
      const root_run_id = rootOf(call.run_id);
      const accounts = accountsOf(call);
      await writeLimits(
        tx,
        root_run_id,
        accounts.map((account) => ({ ...account, limits: configuredFor(config, account, role_keys ?? [call.role]) })),
      );
      const wish = { cost_usd, tokens, calls: 1, duration_ms };
      const [allowed] = await allowances(tx, call.invocation);
      const verdict = judge(allowed === undefined ? await linesOf(tx, root_run_id, accounts) : [], wish);
      if ("excess" in verdict) {
        const { scope, name, dimension } = verdict.excess;
        return new Refusal(budgetExceeded(verdict.excess, call.role, call.model), { refused: { scope, name, dimension } });
      }
      const { granted, most } = verdict;
      const row = { ...call, ...granted, root_run_id, status: "reserved" as const, owner, worst: JSON.stringify(granted) };
      await insertRow(tx, { id, ...row, reply_digest: null, at, ended_at: null });
      return { id, duration_ms: granted.duration_ms, most };
    },
    event: ({ invocation, repair, cost_usd, tokens }) => ({ invocation, repair, cost_usd, tokens }),
  };
}

const insertRow = preparedQueryWith((db, row: BudgetTables["reservations"]) => db.insertInto("reservations").values(row));

const allowances = preparedQuery((db, invocation: string) =>
  db.selectFrom("budget_allowances").select("at").where("invocation", "=", invocation),
);

function configuredFor(config: BudgetsConfig | undefined, { scope }: Account, roleKeys: readonly string[]) {
  const ofRole = () => roleKeys.map((key) => config?.roles[key]).find((limits) => limits !== undefined);
  const limits = scope === "run" ? config?.run : scope === "feature" ? config?.feature : ofRole();
  return limitsOf(limits ?? {});
}

/** A part of a run is named `<run>/<part>`. */
export function rootOf(runId: string): string {
  return runId.split("/")[0] ?? runId;
}
