import type { Blobs } from "@slipway/durable/environment";
import { spilledDigest } from "@slipway/durable/payload";
import { sql } from "kysely";
import { z } from "zod";
import type { Db } from "../../record/database/tables.ts";
import type { Dashboard, DashboardEntry } from "./report-schemas.ts";
import type { FeatureState } from "../feature/state.ts";

/** Every feature there is, finished and waiting ones too. Five queries, however many features; git is not asked. */
export async function dashboard(db: Db, blobs: Blobs, now: number): Promise<Dashboard> {
  const [rows, locks, gates, questions, runs] = [
    await featureRows(db),
    await heldLocks(db, now),
    await lastGates(db),
    await openQuestions(db),
    await startedRuns(db),
  ];
  const known = new Set(rows.map(({ id }) => id));
  const features = [
    ...rows.map((row): DashboardEntry => {
      const gate = gates.get(row.id);
      return {
        feature_id: row.id,
        status: row.status,
        status_reason: row.status_reason,
        run_id: row.run_id,
        version: row.version,
        locks: locks.get(row.id) ?? [],
        gates: JSON.parse(row.gates) as FeatureState["gates"],
        last_gate:
          gate === undefined ? null : { mode: gate.mode, passed: gate.status === "pass", current: gate.tree === row.tree, at: gate.at },
        role: roleAtWork(row.role_status),
        cost_usd: row.cost_usd,
        question: questions.get(row.id) ?? null,
        merged_as: row.merged_as,
        updated_at: row.updated_at,
      };
    }),
    ...(await waitingIn(runs, blobs)).filter(({ feature_id }) => !known.has(feature_id)).map(waitingEntry),
  ].toSorted((left, right) => (left.feature_id < right.feature_id ? -1 : 1));
  return { features, counts: countBy(features.map(({ status }) => status)) };
}

function featureRows(db: Db) {
  return db
    .selectFrom("features")
    .leftJoin("merges", "merges.feature_id", "features.id")
    .select(["features.id", "status", "status_reason", "run_id", "version", "gates", "role_status", "updated_at"])
    .select(["features.tree", "merges.commit_sha as merged_as"])
    .select(sql<number>`(select coalesce(sum(cost_usd), 0) from telemetry where feature_id = features.id)`.as("cost_usd"))
    .execute();
}

async function heldLocks(db: Db, now: number): Promise<Map<string, string[]>> {
  const rows = await db
    .selectFrom("locks")
    .select(["resource", "holder"])
    .where("holder", "is not", null)
    .where("expires_at", ">", now)
    .orderBy("resource")
    .execute();
  const held = Map.groupBy(rows, ({ holder }) => holder ?? "");
  return new Map([...held].map(([holder, mine]) => [holder, mine.map(({ resource }) => resource)]));
}

async function lastGates(db: Db) {
  const newest = sql<string>`(select id from gate_runs where feature_id = features.id and status != 'cancelled' order by at desc, id desc limit 1)`;
  const rows = await db
    .selectFrom("features")
    .innerJoin("gate_runs", (join) => join.on("gate_runs.id", "=", newest))
    .select(["features.id", "mode", "gate_runs.status", "gate_runs.tree", "at"])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

async function openQuestions(db: Db): Promise<Map<string, { id: string; kind: string; title: string }>> {
  const rows = await db
    .selectFrom("questions")
    .select(["id", "kind", "title", sql<string | null>`json_extract(context, '$.feature_id')`.as("feature")])
    .where("status", "=", "open")
    .orderBy("asked_at", "desc")
    .orderBy("id", "desc")
    .execute();
  // The oldest is the one that is in the way.
  return new Map(rows.map(({ feature, ...question }) => [feature ?? "", question]));
}

async function startedRuns(db: Db): Promise<{ run_id: string; payload: string }[]> {
  const runs = await db
    .selectFrom("runs")
    // Left, so that SQLite begins with the few runs and not with the whole journal.
    .leftJoin("events", (join) => join.onRef("events.stream", "=", "runs.run_id").on("events.seq", "=", 1))
    .select(["runs.run_id", "events.payload"])
    .where("runs.parent_run_id", "is", null)
    .where("runs.status", "in", ["pending", "running", "waiting", "stopped"])
    .execute();
  return runs.flatMap(({ run_id, payload }) => (payload === null ? [] : [{ run_id, payload }]));
}

const startedInput = z.object({ input: z.object({ specs: z.array(z.object({ feature_id: z.string() })) }) });

interface Waiting {
  readonly feature_id: string;
  readonly run_id: string;
}

/** A run of another protocol, or of another version, names its features otherwise: then it has none that wait. */
async function waitingIn(runs: readonly { run_id: string; payload: string }[], blobs: Blobs): Promise<Waiting[]> {
  const found: Waiting[] = [];
  for (const { run_id, payload } of runs) {
    const digest = spilledDigest(payload);
    const text = digest === null ? payload : Buffer.from(await blobs.get(digest)).toString("utf8");
    const started = startedInput.safeParse(JSON.parse(text));
    if (started.success) found.push(...started.data.input.specs.map(({ feature_id }) => ({ feature_id, run_id })));
  }
  return found;
}

function waitingEntry({ feature_id, run_id }: Waiting): DashboardEntry {
  const nothing = { version: null, locks: [], gates: {}, last_gate: null, role: null, cost_usd: 0, question: null };
  return { feature_id, status: "waiting", status_reason: "waits for a free slot", run_id, ...nothing, merged_as: null, updated_at: null };
}

function roleAtWork(roleStatus: string): DashboardEntry["role"] {
  const states = JSON.parse(roleStatus) as FeatureState["role_status"];
  return (["planner", "builder", "qa"] as const).find((role) => states[role] === "running") ?? null;
}

function countBy(names: readonly string[]): Record<string, number> {
  const groups = Map.groupBy(names, (name) => name);
  return Object.fromEntries([...groups].map(([name, all]) => [name, all.length]));
}
