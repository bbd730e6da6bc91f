import { moduleRef } from "@slipway/kernel/code-index/entry";
import { storePaths } from "@slipway/kernel/artifacts/layout";
import { jsonText, type DocumentKind } from "@slipway/kernel/documents/kind";
import { z } from "zod";

const said = z.string().regex(/\S/, "must not be empty");

const reportFields = z.strictObject({
  query: said.describe("What the code index was searched for."),
  candidates_considered: z.array(z.strictObject({ module_ref: moduleRef, why_rejected: said })),
  conclusion: z.enum(["REUSE_EXISTING", "CREATE_NEW"]),
  justification: said,
});

/** What a planner brings with a decision to make something new, or not to. */
export const reuseReportSchema = reportFields;
export type ReuseReport = z.output<typeof reuseReportSchema>;

export const keptReport = reportFields.extend({ report_id: z.string().regex(/^RSR-[0-9a-f]{8}$/), module_id: said, task_id: said });

export const reuseReportKind: DocumentKind<z.output<typeof keptReport>> = {
  kind: "reuse search report",
  prefix: "RSR",
  idField: "report_id",
  schema: keptReport,
  fixity: "once",
  files: (id, report) => ({ [storePaths.contribution(id)]: jsonText(report) }),
};

/** A plan says REUSE where a report says REUSE_EXISTING. */
export const CONCLUSION_OF = { REUSE: "REUSE_EXISTING", CREATE_NEW: "CREATE_NEW" } as const;
export type ReuseDecision = keyof typeof CONCLUSION_OF;
