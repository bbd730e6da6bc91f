import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Records } from "../../../record/storage.ts";
import type { WaitRow } from "./wait.ts";

/** A feature that an unfinished run was started for. */
export interface PlannedFeature {
  readonly id: string;
  readonly run: string;
  readonly at: number;
  /** The run of its own that is begun for it when it gets its place among the active ones. */
  readonly part: "none" | "begun" | "over";
}

export const UNFINISHED_RUNS = `
  SELECT r.run_id AS run, r.created_at AS at, e.payload,
         (SELECT json_group_object(c.run_id, c.finished_at) FROM runs c WHERE c.parent_run_id = r.run_id) AS children
  FROM runs r JOIN events e ON e.stream = r.run_id AND e.seq = 1
  WHERE r.parent_run_id IS NULL AND r.finished_at IS NULL`;

/** For callers with the shared connection; the board reads the same rows in its own transaction. */
export async function plannedFeatures({ database: { sqlite }, layout }: Pick<Records, "database" | "layout">): Promise<PlannedFeature[]> {
  const rows = await sqlite.reading(() => sqlite.prepare(UNFINISHED_RUNS).all());
  return rows.flatMap((row) => plannedIn(row, layout.objects));
}

interface Started {
  readonly input?: { readonly specs?: readonly { readonly feature_id: string }[] };
  /** Many specifications make a long payload; the journal keeps the digest of the object that holds it. */
  readonly $blob?: string;
}

/** From what a run was started with; a run of another protocol names no features there. */
export function plannedIn({ run, at, payload, children }: WaitRow, objects: string): PlannedFeature[] {
  const { input } = whole(JSON.parse(String(payload)) as Started, objects);
  const parts = new Map(Object.entries(JSON.parse(String(children)) as Record<string, number | null>));
  return (input?.specs ?? []).map(({ feature_id }) => {
    const own = `${String(run)}/feature:${feature_id}`;
    const finished = parts.get(own);
    return { id: feature_id, run: own, at: Number(at), part: finished === undefined ? "none" : finished === null ? "begun" : "over" };
  });
}

function whole(started: Started, objects: string): Started {
  const { $blob: digest } = started;
  return digest === undefined ? started : (JSON.parse(readFileSync(join(objects, digest.slice(0, 2), digest.slice(2)), "utf8")) as Started);
}
