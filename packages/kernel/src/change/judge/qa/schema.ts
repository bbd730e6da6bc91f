import { z } from "zod";

export const QA_STATUSES = ["pending", "running", "passed", "failed", "waived"] as const;
export type QaStatus = (typeof QA_STATUSES)[number];

/** What still has to be done. */
export const OPEN_STATUSES: readonly QaStatus[] = ["pending", "running", "failed"];

/** A change of lines is added, modified or deleted; what has no lines to name is binary, or a change of the file's mode. */
export const CHANGE_TYPES = ["added", "modified", "deleted", "binary", "mode"] as const;

/** Lines of the new file. A deletion names the line it comes after; 0 to 0 is the file as a whole. */
export const hunkSchema = z.strictObject({
  start_line: z.int().min(0),
  end_line: z.int().min(0),
  change_type: z.enum(CHANGE_TYPES),
});

export type Hunk = z.infer<typeof hunkSchema>;

/** One hunk of one file: so every hunk has a status of its own, and `hunks` holds exactly it. */
export const qaItemSchema = z.strictObject({
  path: z.string().min(1),
  hunks: z.array(hunkSchema).min(1),
  required_tests: z.array(z.string()),
  status: z.enum(QA_STATUSES),
  last_run_at: z.iso.datetime().optional(),
  evidence_refs: z.array(z.string()).optional(),
});

export type QaItem = z.infer<typeof qaItemSchema>;

/** `qa_test_index.json`: what a feature has changed, and how far it has been tested. Version 0 is a feature without a patch. */
export const qaTestIndex = z.strictObject({
  feature_id: z.string().min(1),
  version: z.int().min(0),
  /** `<base commit>..<tree>`: the two sides of the diff it was made from. */
  source_diff_ref: z.string().min(1),
  items: z.array(qaItemSchema),
});

export type QaTestIndex = z.infer<typeof qaTestIndex>;
