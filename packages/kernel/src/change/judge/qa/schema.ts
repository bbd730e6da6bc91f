import { z } from "zod";

export const QA_STATUSES = ["pending", "running", "passed", "failed", "waived"] as const;
export type QaStatus = (typeof QA_STATUSES)[number];

/** Statuses of open entries. */
export const OPEN_STATUSES: readonly QaStatus[] = ["pending", "running", "failed"];

/** Changed lines are added, modified or deleted; a change without lines is binary or a change of the file's mode. */
export const CHANGE_TYPES = ["added", "modified", "deleted", "binary", "mode"] as const;

/** Lines of the new file. A deletion names the line before it; 0 to 0 is the whole file. */
export const hunkSchema = z.strictObject({
  start_line: z.int().min(0),
  end_line: z.int().min(0),
  change_type: z.enum(CHANGE_TYPES),
});

export type Hunk = z.infer<typeof hunkSchema>;

/** One hunk of one file: `hunks` has exactly one element, so that every hunk has its own status. */
export const qaItemSchema = z.strictObject({
  path: z.string().min(1),
  hunks: z.array(hunkSchema).min(1),
  required_tests: z.array(z.string()),
  status: z.enum(QA_STATUSES),
  last_run_at: z.iso.datetime().optional(),
  evidence_refs: z.array(z.string()).optional(),
});

export type QaItem = z.infer<typeof qaItemSchema>;

/** `qa_test_index.json`: the changes of a feature, and how far they have been tested. Version 0 means no patch yet. */
export const qaTestIndex = z.strictObject({
  feature_id: z.string().min(1),
  version: z.int().min(0),
  /** `<base commit>..<tree>`: the two sides of the diff. */
  source_diff_ref: z.string().min(1),
  items: z.array(qaItemSchema),
});

export type QaTestIndex = z.infer<typeof qaTestIndex>;
