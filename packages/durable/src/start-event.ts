import { canonicalJson, digestOf } from "./canonical.ts";
import type { Workflow } from "./ctx.ts";
import type { Parts } from "./execution.ts";
import { readEvents } from "./journal.ts";
import { brokenJournal, decodePayload } from "./payload.ts";
import { versionChanged } from "./replay.ts";
import type { RunRow } from "./tables.ts";

type Named = Pick<Workflow<never, unknown, never>, "name" | "version">;

/** Canonical JSON of the "started" event, the first event of every run. */
export function inputText({ name, version }: Named, input: unknown): string {
  return canonicalJson({ workflow: name, version, input });
}

/** Two starts with the same digest mean the same run. The digest excludes the version, which the first start pins. */
export function inputDigest({ name }: Named, input: unknown): string {
  return digestOf({ workflow: name, input });
}

export async function recordedInput<I>({ sqlite, blobs }: Pick<Parts, "sqlite" | "blobs">, runId: string): Promise<I> {
  const [started] = await readEvents(sqlite, runId, 1, 1);
  if (started === undefined) throw brokenJournal(runId, { seq: 1, reason: "gap", message: "The event that started the run is missing." });
  return ((await decodePayload(blobs, started)) as unknown as { input: I }).input;
}

export function assertVersion(row: RunRow, { name, version }: Named): void {
  if (row.workflow === name && row.version === version) return;
  const message = `Run ${row.run_id} was started with ${row.workflow} version ${row.version}; this program has ${name} version ${version}.`;
  throw versionChanged(row.run_id, message);
}
