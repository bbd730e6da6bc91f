import { canonicalJson, type Json } from "@slipway/durable/canonical";
import { isShort } from "@slipway/durable/payload";
import type { Tx } from "../database/tables.ts";
import type { Journal, NewEvent } from "../journal/repository.ts";
import type { RecordedFacts } from "./collect.ts";

/** Kind of the events that contain only facts. */
export const FACTS = "facts";

/** Name of the events that bind the rows of a database from before facts were in the journal. */
export const FORMER_FACTS = "recorded before facts were signed";

const FACTS_PER_EVENT = 150;

/** Appends the event of an operation with its facts. Facts are never in the object store: what they bind is read from the chain alone. */
export async function appendWithFacts(journal: Journal, tx: Tx, event: NewEvent, facts: RecordedFacts | null): Promise<void> {
  const payload = facts === null ? event.payload : { ...event.payload, facts };
  if (facts === null || isShort(canonicalJson(payload))) return void (await journal.append(tx, { ...event, payload }));
  await journal.append(tx, event);
  await appendFacts(journal, tx, event, facts);
}

/** Appends events that contain only facts. */
export async function appendFacts(
  journal: Journal,
  tx: Tx,
  { name, key, at }: Pick<NewEvent, "name" | "key" | "at">,
  facts: RecordedFacts,
): Promise<void> {
  for (const [index, part] of inParts(facts).entries())
    await journal.append(tx, { kind: FACTS, name, key: `${FACTS}:${key ?? name}:${index + 1}`, at, payload: { facts: part } });
}

/** Parts that fit into one event each. */
function inParts(facts: RecordedFacts): RecordedFacts[] {
  const all = Object.entries(facts).flatMap(([table, rows]) => Object.entries(rows).map(([key, digest]) => ({ table, key, digest })));
  const parts: Record<string, Record<string, string | null>>[] = [];
  for (const [index, { table, key, digest }] of all.entries()) {
    if (index % FACTS_PER_EVENT === 0) parts.push({});
    const part = parts.at(-1) ?? {};
    (part[table] ??= {})[key] = digest;
  }
  return parts;
}

/** The facts in the stored payload of an event. */
export function factsIn(payload: string): RecordedFacts | null {
  if (!payload.includes('"facts":{')) return null;
  const { facts } = JSON.parse(payload) as { readonly facts?: Json };
  return typeof facts === "object" && facts !== null ? (facts as RecordedFacts) : null;
}
