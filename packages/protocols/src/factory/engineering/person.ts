import type { ModuleBrief } from "./brief.ts";
import { keepAdjudication } from "./debate/adjudicate.ts";
import type { ModuleOutcome } from "./debate/debate.ts";
import { keepProposal, type Claimed, type Proposed } from "./debate/propose.ts";
import { CRITERIA } from "./debate/rubric.ts";
import type { LastDeliverable, ModuleFailure } from "./halt.ts";
import { json, recordArtifact } from "./record.ts";
import { ship } from "./ship.ts";
import type { TaskRun } from "./task-run.ts";

/** Records a person's deliverable like any other, with the person as Proposer. */
export async function proposeFor(run: TaskRun, brief: ModuleBrief, claimed: Claimed, follows: string | null): Promise<Proposed> {
  const step = `${brief.contract.module_id}/person`;
  const by = { role: "human", run_id: run.call(step).operationId } as const;
  const created_for = { ...by, task_ref: run.task.task_ref };
  const { context_pack_id } = await run.keep(`pack:${step}`, (call) =>
    run.services.store.keepContextPack(call, { created_for, included_refs: [], excluded_refs: [] }),
  );
  return keepProposal(run, step, { by, contextPack: context_pack_id }, brief, claimed, follows);
}

/** The last deliverable with the person's files over it. It still has to pass a challenge. */
export function fixOf(
  last: LastDeliverable | null,
  fix: { readonly description: string; readonly files: Readonly<Record<string, string>> },
): Claimed {
  return {
    claim: fix.description,
    acceptance_checks: [...(last?.acceptance_checks ?? [fix.description])],
    coverage: last?.coverage ?? [],
    files: { ...last?.files, ...fix.files },
  };
}

/**
 * A person's approval replaces the adjudication and nothing else: fingerprint and tests are still checked, and a failure goes back to the
 * person.
 */
export async function shipOverride(run: TaskRun, brief: ModuleBrief, last: LastDeliverable, rationale: string): Promise<ModuleOutcome> {
  const { module_id, module_version } = brief.contract;
  const proposed = await proposeFor(
    run,
    brief,
    { claim: last.claim, acceptance_checks: [...last.acceptance_checks], coverage: last.coverage, files: last.files },
    last.ref,
  );
  const played = {
    by: { role: "human", run_id: run.call(`${module_id}/override`).operationId },
    contextPack: proposed.contextPack,
  } as const;
  const challenge = {
    target_artifact_id: proposed.implementation.id,
    verdict: "FAIL",
    failures: [{ invariant: "debate", evidence: "The debate had failed when a person took over.", required_change: rationale }],
    rubric_assessments: CRITERIA.map((criterion) => ({
      criterion,
      assessment: "NOT_MET",
      evidence: "As the debate before the override has it.",
    })),
  };
  const recorded = await recordArtifact(run, `${module_id}/override:challenge`, played, {
    type: "CHALLENGE",
    contribution: null,
    body: { "challenge.json": json(challenge) },
    inputs: [{ ref: proposed.implementation.ref, purpose: "what was challenged" }],
  });
  await run.keep(`${module_id}/override:challenged`, (call) =>
    run.services.store.artifacts.change(call, {
      artifact_id: proposed.implementation.id,
      ground: { to: "CHALLENGED", challenge: recorded.ref },
    }),
  );
  await keepAdjudication(
    run,
    `${module_id}/override:adjudication`,
    played,
    proposed,
    { decision: "APPROVE", amendments: [], rationale, ship_directive: "SHIP" },
    null,
  );
  const outcome = await ship(run, brief, 1, {
    files: proposed.files,
    implementation: proposed.implementation,
    contextPack: proposed.contextPack,
    amended: false,
  });
  if (outcome.ok) return { status: "shipped", shipped: outcome.shipped };
  const failure: ModuleFailure = {
    module_id,
    module_version,
    reason: outcome.message,
    failed_invariants: [{ invariant: outcome.kind === "tests" ? "tests at ship" : "interface fingerprint", evidence: outcome.message }],
    rounds: [],
    deliverable: last,
    fingerprint: outcome.kind === "fingerprint" ? outcome.mismatch : null,
    execution_log: outcome.kind === "tests" ? outcome.log : null,
    unapplied: [],
  };
  return { status: "failed", failure };
}
