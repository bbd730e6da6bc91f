import { auditComposition, type AuditProgress } from "../audit/audit-composition.ts";
import { classifyReport } from "../audit/classify.ts";
import { markConflicts, recordContradictions } from "../audit/record-contradictions.ts";
import { canonicalConflicts } from "../ledger/conflicts.ts";
import type { StateKeeper } from "../state-keeper.ts";
import { nextRound, type Work } from "../work.ts";
import { phaseOfReport } from "./ask-resolutions.ts";
import type { PhaseSession, PhaseWork } from "./session.ts";

/** Looks for contradictions before anything is written. One of any severity keeps the run from Injection. */
export const auditPhase: PhaseWork = async (session, before) => {
  const { run, keeper, show } = session;
  const work = nextRound(before, "audit");
  const { specification, lattice, rounds } = work;
  if (specification === null || lattice === null) throw new TypeError("The audit begins after the lattice compiles.");
  const input = {
    constraints: specification.spec.constraints,
    functions: lattice.functions,
    witnesses: lattice.witnesses.map(({ definition }) => definition),
  };
  const onProgress = (progress: AuditProgress) => enterAuditor(keeper, progress);
  const { report } = await auditComposition(run, input, { round: rounds.audit, onProgress });
  const entries = await run.ledger.list(`audit:${rounds.audit}:ledger`);
  const conflicts = canonicalConflicts([...entries, ...(await markConflicts(run, `audit:${rounds.audit}:conflict`, report, entries))]);
  const [conflict] = conflicts;
  const next = { ...work, audit: report };
  show(next);
  const count = report.contradictions_found.length;
  const contradictions = { found: report.contradictions_found, severity: classifyReport(report, conflicts) };
  if (conflict !== undefined) {
    const [a = "", b = ""] = conflict.decisions;
    await keeper.advance({ block: { type: "canonical_conflict", decisions: [a, b] }, blocks: rounds.blocks });
    return next;
  }
  const text = count === 0 ? "no contradictions found" : `${count === 1 ? "1 contradiction" : `${count} contradictions`} found`;
  await keeper.advance({ contradictions }, { text, good: count === 0 });
  if (count > 0) await returnToIgnition(session, next, count);
  return next;
};

/** The table has a row from each auditor to the next. */
async function enterAuditor(keeper: StateKeeper, { auditorsCompleted, currentAuditor }: AuditProgress): Promise<void> {
  if (currentAuditor === null || auditorsCompleted.length === 0) return;
  await keeper.advance({ contradictions: { found: [], severity: "simple" } });
}

async function returnToIgnition({ run, keeper }: PhaseSession, { audit, rounds }: Work, count: number): Promise<void> {
  if (audit === null) return;
  await recordContradictions(run, `audit:${rounds.audit}:contradictions`, audit);
  const report = { phase: "compositionAudit", summary: `${count} contradictions in the structure` };
  await run.ledger.invalidateProvisional(`audit:${rounds.audit}:provisional`, report);
  const data = { interviewPhase: phaseOfReport(audit), questionIndex: 0, extractedRequirements: [], delegatedAfter: null };
  await keeper.advance({ blocks: rounds.blocks, next: { subState: "ignition.interviewing", data } });
}
