import { canonicalJson, type Json } from "@slipway/durable/canonical";
import type { Selectable } from "kysely";
import type { Db, Tx } from "../../../record/database/tables.ts";
import { assertUntouched, missingRows, rowFault } from "../../../record/facts/compare.ts";
import { recordFact } from "../../../record/facts/collect.ts";
import type { JournalFacts } from "../../../record/facts/read-back.ts";
import type { HostTraffic } from "../../../host/sandbox/egress.ts";
import type { EvidenceTables } from "./tables.ts";

type Row = Selectable<EvidenceTables["egress"]>;

type NewEgress = Omit<Row, "hosts"> & { readonly hosts: readonly HostTraffic[] };

/** What agents of one role sent to one host. */
export interface Egress extends HostTraffic {
  readonly role: string;
}

export async function recordEgress(tx: Tx, { hosts, ...call }: NewEgress): Promise<void> {
  const row: Row = { ...call, hosts: canonicalJson(hosts as unknown as Json) };
  await tx.insertInto("egress").values(row).execute();
  recordFact(tx, "egress", row.id, row);
}

/** What left, by role and host, after each row was compared with the journal. */
export async function provenEgress(db: Db | Tx, feature_id: string, facts: JournalFacts): Promise<Egress[]> {
  assertUntouched(await missingRows(db, facts, "egress"));
  const rows = await db.selectFrom("egress").selectAll().where("feature_id", "=", feature_id).orderBy("at").orderBy("id").execute();
  assertUntouched(rows.map((row) => rowFault(facts, "egress", row.id, row)));
  return summed(rows.flatMap(({ role, hosts }) => (JSON.parse(hosts) as HostTraffic[]).map((host) => ({ role, ...host }))));
}

function summed(all: readonly Egress[]): Egress[] {
  const byHost = new Map<string, Egress>();
  for (const one of all) {
    const key = JSON.stringify([one.role, one.host]);
    const sum = byHost.get(key) ?? { ...one, connections: 0, bytes_out: 0, bytes_in: 0, refused: [] };
    byHost.set(key, {
      ...sum,
      connections: sum.connections + one.connections,
      bytes_out: sum.bytes_out + one.bytes_out,
      bytes_in: sum.bytes_in + one.bytes_in,
      refused: [...new Set([...sum.refused, ...one.refused])],
    });
  }
  return [...byHost.values()];
}
