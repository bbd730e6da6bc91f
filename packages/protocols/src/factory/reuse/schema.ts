import { moduleRef } from "../code-index/entry.ts";
import { isPlaceholder } from "@slipway/languages/contracts/placeholder";
import { moduleId } from "@slipway/languages/contracts/schema";
import { storePaths } from "../artifacts/layout.ts";
import { jsonText, type DocumentKind } from "@slipway/kernel/record/documents/kind";
import { z } from "zod";

const nonEmpty = z.string().refine((value) => !isPlaceholder(value), "must say something: it is empty or a placeholder");

const reportFields = z.strictObject({
  query: nonEmpty.describe("What the code index was searched for."),
  candidates_considered: z.array(z.strictObject({ module_ref: moduleRef, why_rejected: nonEmpty })),
  conclusion: z.enum(["REUSE_EXISTING", "CREATE_NEW"]),
  justification: nonEmpty,
});

/** The planner's justification for creating or reusing a module. */
export const reuseReportSchema = reportFields;

/** One report of a plan. */
export const moduleReport = reportFields.extend({ module_id: moduleId });
export type ModuleReport = z.output<typeof moduleReport>;

const alike = z.strictObject({ module_ref: moduleRef, similarity: z.number(), same_signature: z.boolean() });

const keptReport = moduleReport.extend({
  report_id: z.string().regex(/^RSR-[0-9a-f]{8}$/),
  task_id: nonEmpty,
  /** Found by the harness and addressed by the report. */
  near_duplicates: z.array(alike),
});

export type KeptReport = z.output<typeof keptReport>;

export const reuseReportKind: DocumentKind<KeptReport> = {
  kind: "reuse search report",
  prefix: "RSR",
  idField: "report_id",
  schema: keptReport,
  fixity: "once",
  loose: true,
  files: (id, report) => ({ [storePaths.contribution(id)]: jsonText(report) }),
};

/** A plan says REUSE where a report says REUSE_EXISTING. */
export const CONCLUSION_OF = { REUSE: "REUSE_EXISTING", CREATE_NEW: "CREATE_NEW" } as const;
export type ReuseDecision = keyof typeof CONCLUSION_OF;
