import { stringify } from "yaml";
import { z } from "zod";

/** The kinds of contradictions. Each is the first part of an id, in capitals. */
export const CONTRADICTION_TYPES = ["temporal", "resource", "invariant", "precondition", "postcondition"] as const;
export type ContradictionType = (typeof CONTRADICTION_TYPES)[number];

const MAX_TEXT = 8_000;
const MAX_LIST = 50;

const text = z.string().regex(/\S/, "must not be empty").max(MAX_TEXT);

/** What an auditor says about one contradiction; the harness adds the id. */
export const contradictionFields = {
  severity: z.enum(["critical", "warning"]),
  involved: z
    .array(z.union([z.strictObject({ constraint: text }), z.strictObject({ contract: text })]))
    .min(1)
    .max(MAX_LIST),
  analysis: text,
  minimal_scenario: z.array(text).max(MAX_LIST),
  suggested_resolution_options: z.array(text).max(MAX_LIST),
} as const;

const contradictionId = z.string().regex(new RegExp(`^(?:${CONTRADICTION_TYPES.join("|").toUpperCase()})_[0-9]{3,}$`));

export const contradictionSchema = z.strictObject({ id: contradictionId, ...contradictionFields });
export type Contradiction = z.output<typeof contradictionSchema>;

/** `audit/report.yaml`. */
export const auditReportSchema = z.strictObject({ contradictions_found: z.array(contradictionSchema) });
export type AuditReport = z.output<typeof auditReportSchema>;

/** A contradiction that the architect refuted, with the reason. */
export interface RefutedContradiction {
  readonly contradiction: Contradiction;
  readonly reason: string;
}

const DIGITS = 3;

export function contradictionIdOf(type: ContradictionType, number: number): string {
  return `${type.toUpperCase()}_${String(number).padStart(DIGITS, "0")}`;
}

export function printReport(report: AuditReport): string {
  return stringify(report, { lineWidth: 0 });
}

export function printRefuted(refuted: readonly RefutedContradiction[]): string {
  return stringify({ refuted: refuted.map(({ contradiction, reason }) => ({ reason, ...contradiction })) }, { lineWidth: 0 });
}
