import { sql } from "kysely";
import { preparedQuery } from "../record/database/prepared-query.ts";
import type { Db, Tx } from "../record/database/tables.ts";
import { DIMENSIONS, type Dimension } from "./amounts.ts";
import type { SpentLine } from "./rules.ts";
import type { BudgetTables, BudgetScope } from "./tables.ts";

export interface Account {
  readonly scope: BudgetScope;
  readonly name: string;
}

/** The budgets that pay for one call. */
export function accountsOf({ feature_id, role }: { readonly feature_id: string; readonly role: string }): Account[] {
  return [
    { scope: "run", name: "" },
    { scope: "feature", name: feature_id },
    { scope: "role", name: role },
  ];
}

type Used = Readonly<Record<"spent" | "reserved", Readonly<Record<Dimension, number>>>>;

/** What an account has spent and reserved. A cut-off call counts as spent, at its worst case. */
export async function usedOf(db: Db | Tx, rootRunId: string, { scope, name }: Account): Promise<Used> {
  const rows = await db
    .selectFrom("reservations")
    .select((eb) => [
      eb.case().when("status", "=", "reserved").then(1).else(0).end().as("open"),
      ...DIMENSIONS.map((dimension) => sql<number>`coalesce(sum(${sql.ref(dimension)}), 0)`.as(dimension)),
    ])
    .where("root_run_id", "=", rootRunId)
    .$if(scope === "feature", (query) => query.where("feature_id", "=", name))
    .$if(scope === "role", (query) => query.where("role", "=", name))
    .groupBy("open")
    .execute();
  const sum = (open: number) => {
    const row = rows.find((one) => one.open === open);
    return Object.fromEntries(DIMENSIONS.map((dimension) => [dimension, Number(row?.[dimension] ?? 0)])) as Record<Dimension, number>;
  };
  return { spent: sum(0), reserved: sum(1) };
}

const limitRows = preparedQuery((db, rootRunId: string) =>
  db.selectFrom("budgets").selectAll().where("root_run_id", "=", rootRunId).orderBy("scope").orderBy("name"),
);

/** The limits of some or all accounts of a run, with their use. */
export async function linesOf(db: Db | Tx, rootRunId: string, accounts?: readonly Account[]): Promise<SpentLine[]> {
  const limits = await limitRows(db, rootRunId);
  const wanted = limits.filter((row) => accounts?.some(({ scope, name }) => scope === row.scope && name === row.name) ?? true);
  const used = new Map<string, Used>();
  const lines: SpentLine[] = [];
  for (const { scope, name, dimension, configured, raised } of wanted) {
    const limit = effectiveLimit({ configured, raised });
    if (limit === null) continue;
    const key = `${scope} ${name}`;
    const found = used.get(key) ?? (await usedOf(db, rootRunId, { scope, name }));
    used.set(key, found);
    lines.push({ scope, name, dimension, limit, spent: found.spent[dimension], reserved: found.reserved[dimension] });
  }
  return lines;
}

/** The larger of the configured limit and the one a person raised it to. Null if agents.yaml has no limit any more. */
function effectiveLimit({ configured, raised }: Pick<BudgetTables["budgets"], "configured" | "raised">): number | null {
  return configured === null ? null : Math.max(configured, raised ?? 0);
}

/** Copies the configured limits to the database, so that it shows them without the configuration. Writes only changes. */
export async function writeLimits(
  tx: Tx,
  rootRunId: string,
  accounts: readonly (Account & { readonly limits: Partial<Record<Dimension, number>> })[],
): Promise<void> {
  const known = await limitRows(tx, rootRunId);
  for (const { scope, name, limits } of accounts) {
    for (const dimension of DIMENSIONS) {
      const key = { root_run_id: rootRunId, scope, name, dimension };
      const row = known.find((one) => one.scope === scope && one.name === name && one.dimension === dimension);
      const configured = limits[dimension] ?? null;
      if ((row?.configured ?? null) === configured) continue;
      await tx
        .insertInto("budgets")
        .values({ ...key, configured, raised: null })
        .onConflict((conflict) => conflict.columns(["root_run_id", "scope", "name", "dimension"]).doUpdateSet({ configured }))
        .execute();
    }
  }
}

/** The answer to a call that arrived before its process was killed; null if the agent must be called again. */
export async function keptReplyOf(
  db: Db,
  call: { readonly invocation: string; readonly repair: number; readonly prompt_digest: string },
): Promise<string | null> {
  const [row] = await settledReplies(db, call.invocation, call.repair, call.prompt_digest);
  return row?.reply_digest ?? null;
}

const settledReplies = preparedQuery((db, invocation: string, repair: number, prompt_digest: string) =>
  db
    .selectFrom("reservations")
    .select("reply_digest")
    .where("invocation", "=", invocation)
    .where("repair", "=", repair)
    .where("prompt_digest", "=", prompt_digest)
    .where("status", "=", "settled")
    .where("reply_digest", "is not", null)
    .orderBy("ended_at", "desc"),
);
