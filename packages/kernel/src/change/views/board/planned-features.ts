import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RunStatus } from "@slipway/durable/status";
import type { Records } from "../../../record/storage.ts";
import type { Row } from "./snapshot.ts";

/** A feature that an unfinished run was started for. */
export interface PlannedFeature {
  readonly id: string;
  /** The run that was started for it, and the part of that run which is its own. */
  readonly root: string;
  readonly run: string;
  readonly at: number;
  /** The feature's child run, which begins when the feature gets a slot. */
  readonly part: "none" | "begun" | "over";
}

// Written out: `status` would load one more file for durable's table.
const UNFINISHED: readonly RunStatus[] = ["pending", "running", "waiting", "stopped"];

// CROSS, so that SQLite begins with the few runs and not with the whole journal.
export const UNFINISHED_RUNS = `
  SELECT r.run_id AS run, r.created_at AS at, e.payload,
         (SELECT json_group_object(c.run_id, c.finished_at) FROM runs c WHERE c.root_run_id = r.run_id AND c.parent_run_id = r.run_id) AS children
  FROM runs r CROSS JOIN events e ON e.stream = r.run_id AND e.seq = 1
  WHERE r.parent_run_id IS NULL AND r.status IN (${UNFINISHED.map((status) => `'${status}'`).join(", ")})`;

/** For callers with the shared connection; the board reads the same rows in its own transaction. */
export async function plannedFeatures({ database: { sqlite }, layout }: Pick<Records, "database" | "layout">): Promise<PlannedFeature[]> {
  const rows = await sqlite.reading(() => sqlite.prepare(UNFINISHED_RUNS).all());
  return rows.flatMap((row) => plannedIn(row, layout.objects));
}

interface Started {
  readonly input?: { readonly specs?: unknown };
  /** Many specifications make a long payload; the journal keeps the digest of the object that holds it. */
  readonly $blob?: string;
}

/** Reads the input of a run; a run of another protocol or version names no features there. */
export function plannedIn({ run, at, payload, children }: Row, objects: string): PlannedFeature[] {
  const { input } = withPayload(JSON.parse(String(payload)) as Started, objects);
  const parts = new Map(Object.entries(JSON.parse(String(children)) as Record<string, number | null>));
  const root = String(run);
  return namedIn(input?.specs).map((id) => {
    const own = `${root}/feature:${id}`;
    const finished = parts.get(own);
    return { id, root, run: own, at: Number(at), part: finished === undefined ? "none" : finished === null ? "begun" : "over" };
  });
}

function namedIn(specs: unknown): string[] {
  const ids = Array.isArray(specs) ? specs.map((spec: { readonly feature_id?: unknown } | null) => spec?.feature_id) : [];
  return ids.every((id) => typeof id === "string") ? ids : [];
}

function withPayload(started: Started, objects: string): Started {
  const { $blob: digest } = started;
  return digest === undefined ? started : (JSON.parse(readFileSync(join(objects, digest.slice(0, 2), digest.slice(2)), "utf8")) as Started);
}
