import { SlipwayError } from "@slipway/durable/errors";
import { z } from "zod";
import type { QaEntry } from "./align.ts";
import { CHANGE_TYPES, OPEN_STATUSES, QA_STATUSES, type QaStatus } from "./schema.ts";

const reference = z.strictObject({
  start_line: z.int().min(0).describe("As the index has it."),
  end_line: z.int().min(0).describe("As the index has it."),
  change_type: z.enum(CHANGE_TYPES).optional().describe("Only needed where two hunks of a file name the same lines."),
});

export const qaUpdateSchema = z.strictObject({
  path: z.string().min(1).describe("A path of the index, relative to the repository."),
  hunks: z
    .array(reference)
    .min(1)
    .optional()
    .describe("Which hunks of the file. Needed for passed, failed and waived; without it, running and pending mean all of them."),
  status: z.enum(QA_STATUSES),
  evidence_refs: z.array(z.string().min(1)).optional().describe("What shows it: gate run ids or log paths. Replaces what the entry had."),
});

export type QaUpdate = z.infer<typeof qaUpdateSchema>;
type Reference = z.infer<typeof reference>;

export interface QaBatch {
  readonly updates: readonly QaUpdate[];
  readonly evidence_refs?: readonly string[] | undefined;
  readonly at: number;
}

/** The whole batch, or an error that names every update at fault. */
export function applyUpdates(entries: readonly QaEntry[], { updates, evidence_refs = [], at }: QaBatch): QaEntry[] {
  const problems: Problem[] = [];
  let next = [...entries];
  for (const [number, update] of updates.entries()) {
    const found = entriesMeant(entries, update);
    if (typeof found === "string") problems.push({ update: number, path: update.path, message: found });
    else next = next.map((entry, position) => (found.has(position) ? withStatus(entry, update, evidence_refs, at) : entry));
  }
  if (problems.length > 0) throw refused(problems);
  return next;
}

interface Problem {
  readonly update: number;
  readonly path: string;
  readonly message: string;
}

/** Their positions in the index, or why there are none. */
function entriesMeant(entries: readonly QaEntry[], { path, hunks, status }: QaUpdate): ReadonlySet<number> | string {
  const inFile = [...entries.entries()].filter(([, entry]) => entry.path === path);
  if (inFile.length === 0) return "the index has no such path";
  if (hunks === undefined) {
    return isVerdict(status) ? `"${status}" needs the hunks it is said of` : new Set(inFile.map(([position]) => position));
  }
  const found = hunks.map((hunk) => inFile.filter(([, entry]) => isMeant(entry, hunk)).map(([position]) => position));
  const missing = hunks.filter((_, position) => found[position]?.length === 0);
  if (missing.length === 0) return new Set(found.flat());
  return `the index has no hunk ${missing.map(({ start_line, end_line }) => `${start_line} to ${end_line}`).join(", ")} of it`;
}

function isMeant({ hunk }: QaEntry, { start_line, end_line, change_type }: Reference): boolean {
  return hunk.start_line === start_line && hunk.end_line === end_line && (change_type ?? hunk.change_type) === hunk.change_type;
}

function isVerdict(status: QaStatus): boolean {
  return status === "failed" || !OPEN_STATUSES.includes(status);
}

function withStatus(entry: QaEntry, { status, evidence_refs = [] }: QaUpdate, common: readonly string[], at: number): QaEntry {
  const given = [...new Set([...evidence_refs, ...common])];
  const ran = status === "running" || status === "passed" || status === "failed";
  return {
    ...entry,
    status,
    ...(ran && { last_run_at: new Date(at).toISOString() }),
    ...(given.length > 0 && { evidence_refs: given }),
  };
}

function refused(problems: readonly Problem[]): SlipwayError {
  const listed = problems.map(({ update, path, message }) => `updates[${update}] (${path}): ${message}`);
  return new SlipwayError("schema_validation_failed", `The QA index was not changed. ${listed.join("; ")}.`, {
    violations: problems.map(({ update, message }) => ({
      pointer: `/updates/${update}`,
      rule: "hunk_reference",
      expected: "a path of the index and, for passed, failed and waived, hunks it has there",
      message,
    })),
    suggested_next_actions: ["Read the index with qa.test_index_get, correct what is listed, and send the whole batch again."],
  });
}
