import { SlipwayError } from "../../../schema/errors.ts";
import { z } from "zod";
import type { QaEntry } from "./align.ts";
import { CHANGE_TYPES, OPEN_STATUSES, QA_STATUSES, type QaStatus } from "./schema.ts";

const reference = z.strictObject({
  start_line: z.int().min(0).describe("As in the index."),
  end_line: z.int().min(0).describe("As in the index."),
  change_type: z.enum(CHANGE_TYPES).optional().describe("Needed only if two hunks of a file have the same lines."),
});

export const qaUpdateSchema = z.strictObject({
  path: z.string().min(1).describe("A path of the index, relative to the repository."),
  hunks: z
    .array(reference)
    .min(1)
    .optional()
    .describe("The hunks of the file. Required for passed, failed and waived; if omitted, running and pending apply to all hunks."),
  status: z.enum(QA_STATUSES),
  evidence_refs: z.array(z.string().min(1)).optional().describe("Gate run ids or log paths. Replaces the entry's previous references."),
});

export type QaUpdate = z.infer<typeof qaUpdateSchema>;
type Reference = z.infer<typeof reference>;

export interface QaBatch {
  readonly updates: readonly QaUpdate[];
  readonly evidence_refs?: readonly string[] | undefined;
  readonly at: number;
}

/** Applies the whole batch, or throws an error that lists every invalid update. */
export function applyUpdates(entries: readonly QaEntry[], { updates, evidence_refs = [], at }: QaBatch): QaEntry[] {
  const problems: Problem[] = [];
  let next = [...entries];
  for (const [number, update] of updates.entries()) {
    const positions = entriesMeant(entries, update);
    if (typeof positions === "string") problems.push({ update: number, path: update.path, message: positions });
    else next = next.map((entry, position) => (positions.has(position) ? withStatus(entry, update, evidence_refs, at) : entry));
  }
  if (problems.length > 0) throw refused(problems);
  return next;
}

interface Problem {
  readonly update: number;
  readonly path: string;
  readonly message: string;
}

/** The positions of the referenced entries, or the reason why there are none. */
function entriesMeant(entries: readonly QaEntry[], { path, hunks, status }: QaUpdate): ReadonlySet<number> | string {
  const inFile = [...entries.entries()].filter(([, entry]) => entry.path === path);
  if (inFile.length === 0) return "the index does not contain this path";
  if (hunks === undefined) {
    return isVerdict(status) ? `"${status}" needs hunks` : new Set(inFile.map(([position]) => position));
  }
  const matches = hunks.map((hunk) => inFile.filter(([, entry]) => isMeant(entry, hunk)).map(([position]) => position));
  const missing = hunks.filter((_, position) => matches[position]?.length === 0);
  if (missing.length === 0) return new Set(matches.flat());
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
    suggested_next_actions: ["Read the index with qa.test_index_get, correct every violation listed, and send the whole batch again."],
  });
}
