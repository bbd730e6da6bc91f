import type { Head, ChainVerdict } from "@slipway/durable/chain";
import type { Blobs } from "@slipway/durable/environment";
import { verifyStream } from "@slipway/durable/journal";
import type { Sqlite } from "@slipway/durable/sqlite";
import type { KeptHeads } from "./kept-heads.ts";
import { REPOSITORY_STREAM, RUN_HEAD } from "./repository.ts";

export interface VerifyAllOptions {
  readonly keptHeads?: KeptHeads;
  /** If given, payloads in the object store are read and compared too. */
  readonly blobs?: Blobs;
}

/** Verifies every stream in the database and every stream that a kept head or a run head names. The repository's stream comes first. */
export async function verifyAll(sqlite: Sqlite, { keptHeads, blobs }: VerifyAllOptions = {}): Promise<ReadonlyMap<string, ChainVerdict>> {
  const kept = (await keptHeads?.readAll()) ?? new Map<string, Head>();
  const ended = await runHeads(sqlite);
  const streams = new Set([REPOSITORY_STREAM, ...(await streamsIn(sqlite)), ...kept.keys(), ...ended.keys()]);
  const verdicts = new Map<string, ChainVerdict>();
  for (const stream of streams) {
    const known = [kept.get(stream), ended.get(stream)].filter((head) => head !== undefined);
    verdicts.set(stream, await verifyAgainst(sqlite, stream, known, blobs));
  }
  return verdicts;
}

async function verifyAgainst(sqlite: Sqlite, stream: string, known: readonly Head[], blobs: Blobs | undefined): Promise<ChainVerdict> {
  const verdict = await verifyStream(sqlite, stream, { keptHead: known[0], ...(blobs && { blobs }) });
  const [, other] = known;
  return verdict.ok && other !== undefined ? verifyStream(sqlite, stream, { keptHead: other }) : verdict;
}

async function streamsIn(sqlite: Sqlite): Promise<string[]> {
  const rows = await sqlite.exclusive(() =>
    sqlite.prepare("SELECT DISTINCT stream FROM events UNION SELECT stream FROM heads ORDER BY stream").all(),
  );
  return rows.map((row) => String(row["stream"]));
}

/** Where finished runs ended, according to the repository's stream. Pruning a run keeps its head (see retention). */
async function runHeads(sqlite: Sqlite): Promise<Map<string, Head>> {
  const sql = "SELECT name, payload FROM events WHERE stream = ? AND kind = ? ORDER BY seq";
  const rows = await sqlite.exclusive(() => sqlite.prepare(sql).all(REPOSITORY_STREAM, RUN_HEAD));
  return new Map(rows.map((row) => [String(row["name"]), JSON.parse(String(row["payload"])) as Head]));
}
