import type { CriticalityRun } from "../criticality-run.ts";
import { combine } from "../routing/chunks.ts";
import { auditArtifacts, auditedContracts, type AuditInput } from "./artifacts.ts";
import {
  AUDITOR_NAMES,
  AUDITORS,
  crossCheckSchema,
  findingsSchema,
  type AuditorAnswer,
  type AuditorName,
  type CrossCheck,
  type Finding,
} from "./auditors.ts";
import {
  contradictionIdOf,
  printRefuted,
  printReport,
  type AuditReport,
  type Contradiction,
  type ContradictionType,
  type RefutedContradiction,
} from "./report.ts";

export interface AuditProgress {
  readonly auditorsCompleted: readonly AuditorName[];
  readonly currentAuditor: AuditorName | null;
}

export interface AuditOptions {
  /** The number of this audit in the run, from 1: part of the names of steps. */
  readonly round: number;
  /** Awaited before each auditor, and after the last. */
  readonly onProgress?: (progress: AuditProgress) => Promise<void>;
}

export interface AuditResult {
  readonly report: AuditReport;
  readonly refuted: readonly RefutedContradiction[];
  readonly auditorsCompleted: readonly AuditorName[];
}

/** Runs the auditors one at a time; the architect then checks what they found. Writes `audit/report.yaml`. */
export async function auditComposition(run: CriticalityRun, input: AuditInput, { round, onProgress }: AuditOptions): Promise<AuditResult> {
  const auditorsCompleted: AuditorName[] = [];
  const found: Contradiction[] = [];
  for (const auditor of AUDITOR_NAMES) {
    await onProgress?.({ auditorsCompleted: [...auditorsCompleted], currentAuditor: auditor });
    const { contradictions } = await run.askModel(`audit:${round}:${auditor}`, {
      phase: "compositionAudit",
      skill: "audit_composition",
      alias: "auditor_model",
      subject: auditor,
      attempt: String(round),
      artifacts: [{ title: "Task", kind: "task", text: AUDITORS[auditor].task }, ...auditArtifacts(input)],
      schema: findingsSchema(auditor),
      chunked: { ...auditedContracts(input), combine: anyFinding },
    });
    found.push(...numbered(contradictions));
    auditorsCompleted.push(auditor);
  }
  await onProgress?.({ auditorsCompleted: [...auditorsCompleted], currentAuditor: null });
  const { report, refuted } = found.length === 0 ? EMPTY : crossChecked(found, await crossCheck(run, input, found, round));
  run.files.put("audit/report.yaml", printReport(report));
  if (refuted.length > 0) run.files.put("audit/refuted.yaml", printRefuted(refuted));
  return { report, refuted, auditorsCompleted };
}

/** What one part of an audit finds counts for the whole. */
function anyFinding(answers: readonly AuditorAnswer[]): AuditorAnswer {
  const { flags } = combine(
    answers.map(({ contradictions }) => ({ passed: contradictions.length === 0, flags: contradictions })),
    "any_flags",
  );
  return { contradictions: [...flags] };
}

const EMPTY = { report: { contradictions_found: [] }, refuted: [] };

function numbered(findings: readonly Finding[]): Contradiction[] {
  const last = new Map<ContradictionType, number>();
  return findings.map(({ type, ...fields }) => {
    const number = (last.get(type) ?? 0) + 1;
    last.set(type, number);
    return { id: contradictionIdOf(type, number), ...fields };
  });
}

function crossCheck(run: CriticalityRun, input: AuditInput, found: readonly Contradiction[], round: number): Promise<CrossCheck> {
  return run.askModel(`audit:${round}:cross-check`, {
    phase: "compositionAudit",
    skill: "audit_composition",
    alias: "architect_model",
    subject: "cross-check",
    attempt: String(round),
    artifacts: [
      {
        title: "Task",
        kind: "task",
        text: "Check each contradiction against the constraints, contracts and witnesses. Say for each id whether it holds, and why.",
      },
      ...auditArtifacts(input),
      { title: "Contradictions", kind: "contradictions", text: printReport({ contradictions_found: [...found] }) },
    ],
    schema: crossCheckSchema,
    chunked: {
      ...auditedContracts(input),
      combine: (answers) => ({ verdicts: answers.flatMap(({ verdicts }) => verdicts) }),
    },
  });
}

/**
 * A contradiction is dropped only if it is refuted with a reason; without a verdict it stays, and with two different ones as well: every
 * part of a check must refute it.
 */
export function crossChecked(found: readonly Contradiction[], { verdicts }: CrossCheck): Pick<AuditResult, "report" | "refuted"> {
  const contradictions_found: Contradiction[] = [];
  const refuted: RefutedContradiction[] = [];
  for (const contradiction of found) {
    const own = verdicts.filter(({ id }) => id === contradiction.id);
    const reason = own.find((verdict) => verdict.reason.trim() !== "")?.reason;
    const { passed } = combine(
      own.map(({ holds }) => ({ passed: !holds, flags: [] })),
      "all_must_pass",
    );
    if (reason !== undefined && passed) refuted.push({ contradiction, reason });
    else contradictions_found.push(contradiction);
  }
  return { report: { contradictions_found }, refuted };
}
