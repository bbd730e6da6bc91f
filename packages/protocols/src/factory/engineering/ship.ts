import { digestOf } from "@slipway/durable/canonical";
import { SlipwayError } from "@slipway/agents/errors";
import { summaryOf as indexSummary } from "../code-index/entry.ts";
import { evidenceRefOf, shipEvidenceSchema, type ExecutionLog, type ShipEvidence } from "@slipway/languages/contracts/evidence";
import { fingerprintOf, mismatchMessage } from "@slipway/languages/contracts/fingerprint";
import { nextVersion } from "@slipway/languages/contracts/version";
import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { moduleRefOf, type ModuleBrief } from "./brief.ts";
import { CONTRACT_FILE, deliveredContract, EXAMPLES_FILE, type Deliverable } from "./deliverable.ts";
import { indexStep } from "./index-step.ts";
import type { Mismatch } from "./inspection.ts";
import { json, recordArtifact } from "./record.ts";
import { TASK_STEPS } from "../steps.ts";
import type { TaskRun } from "./task-run.ts";
import { verify, type Passed } from "./verify.ts";

export interface Shipment {
  readonly files: Deliverable;
  readonly implementation: { readonly id: string; readonly ref: string };
  readonly contextPack: string;
  readonly amended: boolean;
}

export interface Shipped {
  readonly module_id: string;
  readonly version: string;
  readonly ship_id: string;
  readonly fingerprint: string;
}

export type ShipOutcome =
  | { readonly ok: true; readonly shipped: Shipped }
  | { readonly ok: false; readonly kind: "fingerprint"; readonly message: string; readonly mismatch: Mismatch }
  | { readonly ok: false; readonly kind: "tests"; readonly message: string; readonly log: ExecutionLog | null };

/**
 * Checks the fingerprint, runs the tests, records evidence, seals and registers, in this order and by the harness alone. The Proposer's
 * claims about its tests are ignored. A failed check leaves nothing behind.
 */
export async function ship(run: TaskRun, brief: ModuleBrief, attempt: number, shipment: Shipment): Promise<ShipOutcome> {
  const { module_id, module_version: version } = brief.contract;
  const step = `${module_id}/${shipment.amended ? "ship-amended" : "ship"}:${attempt}`;
  const environment = await environmentOf(run, step, brief);
  const { mismatch, tested } = await verify(run, step, brief, shipment.files);
  if (mismatch !== null) return { ok: false, kind: "fingerprint", message: mismatchMessage(mismatch.locked, mismatch.actual), mismatch };
  if (tested.problem !== null) return { ok: false, kind: "tests", message: tested.problem, log: tested.log };

  const evidence = await keepEvidence(run, step, brief, shipment, { ...tested, environment });
  await run.keep(`${step}:seal`, async (call) => {
    await run.services.store.sealModule(call, {
      module_id,
      version,
      files: sealedFiles(shipment.files, evidence, tested.log),
      depends_on: brief.dependencies.map(moduleRefOf),
    });
    return null;
  });
  await run.keep(`${step}:status`, (call) =>
    run.services.store.artifacts.change(call, {
      artifact_id: shipment.implementation.id,
      ground: {
        to: "SHIPPED",
        amendmentsApplied: shipment.amended,
        evidence: {
          kind: "code",
          result: "PASS",
          fingerprint: evidence.verification.interface_fingerprint,
          lockedFingerprint: brief.fingerprint,
        },
      },
    }),
  );
  const register = shipment.amended ? TASK_STEPS.registerAmended : TASK_STEPS.register;
  await indexStep(run, register.named(module_id, attempt), async (call) => {
    await run.services.index.register(call, indexEntry(brief, shipment.files));
    return null;
  });
  return { ok: true, shipped: { module_id, version, ship_id: evidence.ship_id, fingerprint: brief.fingerprint } };
}

/** The environment the module is verified in. */
function environmentOf(run: TaskRun, step: string, brief: ModuleBrief): Promise<ShipEvidence["environment"]> {
  return run.ctx.step(`${step}:environment`, async () => {
    await assertVersion(run, brief);
    const locked = brief.closure.map((module) => ({
      ref: moduleRefOf(module),
      fingerprint: module.ship.verification.interface_fingerprint,
    }));
    return {
      repo_revision: await run.services.repoRevision(),
      dependency_lock_ref: `sha256:${digestOf(locked)}`,
      runner_id: runnerId(await run.kernel.sandbox()),
    };
  });
}

/** Written only after every check has passed. */
async function keepEvidence(
  run: TaskRun,
  step: string,
  brief: ModuleBrief,
  { implementation, contextPack }: Shipment,
  { log, verified_at, environment }: Passed & Pick<ShipEvidence, "environment">,
): Promise<ShipEvidence> {
  const { module_id, module_version } = brief.contract;
  const evidence = {
    module_id,
    module_version,
    verified_at,
    environment,
    verification: {
      result: "PASS" as const,
      interface_fingerprint: brief.fingerprint,
      evidence_ref: evidenceRefOf(module_id, module_version),
    },
  };
  const played = { by: { role: "ship" as const, run_id: run.call(step).operationId }, contextPack };
  const saved = await recordArtifact(run, `${step}:evidence`, played, {
    type: "SHIP_EVIDENCE",
    contribution: "SHIP_EVIDENCE",
    body: { "ship.json": json(evidence), "execution_log.json": json(log) },
    inputs: [{ ref: implementation.ref, purpose: "what ships" }],
  });
  return shipEvidenceSchema.parse({ ...evidence, ship_id: saved.id });
}

/** Another task may have shipped the module since: the locked version must still be the next one. */
async function assertVersion({ services, task }: TaskRun, { contract, fingerprint }: ModuleBrief): Promise<void> {
  const { module_id, module_version } = contract;
  const previous = await services.store.latestVersion(module_id);
  const next = nextVersion(previous, fingerprint, task.successors?.[module_id] ?? null);
  if (next === module_version) return;
  throw new SlipwayError("version_conflict", `${module_id} would ship as ${next}, but ${module_version} is locked.`, {
    module_id,
    retryable: false,
    suggested_next_actions: ["Plan the task again."],
  });
}

function runnerId({ kind }: Sandbox): string {
  return `${kind}/node-${process.version}/${process.platform}-${process.arch}`;
}

function sealedFiles(files: Deliverable, evidence: ShipEvidence, log: ExecutionLog): Record<string, string> {
  return { ...files, "ship.json": json(evidence), "tests/execution_log.json": json(log) };
}

/** The index describes the delivered contract, or the locked one if their fingerprints differ. */
function indexEntry({ contract: locked }: ModuleBrief, files: Deliverable) {
  const delivered = deliveredContract(files, locked);
  const contract = delivered.ok && fingerprintOf(delivered.contract) === fingerprintOf(locked) ? delivered.contract : locked;
  const folder = `state_store/modules/${contract.module_id}/${contract.module_version}`;
  return {
    module_id: contract.module_id,
    version: contract.module_version,
    name: contract.name,
    purpose: contract.purpose,
    tags: contract.tags,
    contract_ref: `${folder}/${CONTRACT_FILE}`,
    examples_ref: `${folder}/${EXAMPLES_FILE}`,
    ship_ref: `${folder}/ship.json`,
    io_summary: indexSummary(contract),
    dependencies: contract.dependencies.map(({ ref }) => ref),
    status: "SHIPPED" as const,
    superseded_by: null,
    notes: "",
  };
}
