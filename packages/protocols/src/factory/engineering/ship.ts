import { digestOf } from "@slipway/durable/canonical";
import { SlipwayError } from "@slipway/durable/errors";
import { summaryOf as indexSummary } from "@slipway/kernel/code-index/entry";
import { evidenceRefOf, shipEvidenceSchema, type ExecutionLog, type ShipEvidence } from "@slipway/kernel/contracts/evidence";
import { fingerprintOf, mismatchMessage } from "@slipway/kernel/contracts/fingerprint";
import { nextVersion } from "@slipway/kernel/contracts/version";
import type { Sandbox } from "@slipway/kernel/sandbox/contract";
import { runTests, type TestRun } from "@slipway/languages/typescript/test-run";
import { moduleRefOf, sourcesOf, type ModuleBrief } from "./brief.ts";
import { CONTRACT_FILE, deliveredContract, EXAMPLES_FILE, type Deliverable } from "./deliverable.ts";
import { executionLog } from "./execution-log.ts";
import { askIndex } from "./indexed.ts";
import { mismatchOf, type Mismatch } from "./inspection.ts";
import { json, keepMade } from "./record.ts";
import type { EngineeringSite } from "./site.ts";

/** What is shipped, and on whose word. */
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
 * The fingerprint, the tests, the evidence, the seal, the index: in this order, and by the harness alone. What the Proposer says about
 * its tests is not asked. Whatever fails leaves nothing behind.
 */
export async function ship(
  site: EngineeringSite,
  brief: ModuleBrief,
  attempt: number,
  shipment: Shipment,
  ahead: Ahead | null = null,
): Promise<ShipOutcome> {
  const { module_id, module_version: version } = brief.contract;
  const step = `${module_id}/${shipment.amended ? "ship-amended" : "ship"}:${attempt}`;
  const [{ mismatch, tested }, environment] = await site.books.beside(
    () => ahead?.verified ?? verify(site, step, brief, shipment.files),
    () => environmentOf(site, step, brief),
  );
  if (mismatch !== null) return { ok: false, kind: "fingerprint", message: mismatchMessage(mismatch.locked, mismatch.actual), mismatch };
  if (tested.problem !== null) return { ok: false, kind: "tests", message: tested.problem, log: tested.log };

  const evidence = await keepEvidence(site, step, brief, shipment, { ...tested, environment });
  // Sealing is mostly waiting for the disk.
  await site.books.beside(() =>
    site.keep(`${step}:seal`, async (call) => {
      await site.shop.store.sealModule(call, {
        module_id,
        version,
        files: sealedFiles(shipment.files, evidence, tested.log),
        depends_on: brief.dependencies.map(moduleRefOf),
      });
      return null;
    }),
  );
  await site.keep(`${step}:status`, (call) =>
    site.shop.store.artifacts.change(call, {
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
  await askIndex(site, `${step}:register`, async (call) => {
    await site.shop.index.register(call, indexEntry(brief, shipment.files));
    return null;
  });
  return { ok: true, shipped: { module_id, version, ship_id: evidence.ship_id, fingerprint: brief.fingerprint } };
}

type Verified = { readonly mismatch: Mismatch; readonly tested: null } | { readonly mismatch: null; readonly tested: Tested };

/**
 * The ship step's own look at what is proposed, while agents still speak about it: they take their time, and the machine has nothing
 * else to do. It counts only if exactly these files ship.
 */
export interface Ahead {
  readonly work: () => Promise<void>;
  readonly verified: Promise<Verified>;
  /** They will not ship as they are. */
  readonly stop: () => void;
}

export function verifyAhead(site: EngineeringSite, brief: ModuleBrief, attempt: number, files: Deliverable): Ahead {
  const stopping = new AbortController();
  const { promise: verified, resolve, reject } = Promise.withResolvers<Verified>();
  // Whoever waits for all of it hears of it.
  verified.catch(() => undefined);
  return {
    verified,
    stop: () => stopping.abort(),
    async work() {
      try {
        resolve(await verify(site, `${brief.contract.module_id}/ship:${attempt}`, brief, files, stopping.signal));
      } catch (error) {
        reject(error);
        throw error;
      }
    },
  };
}

/** No test is run of what has another surface. */
async function verify(
  site: EngineeringSite,
  step: string,
  brief: ModuleBrief,
  files: Deliverable,
  stopped: AbortSignal = new AbortController().signal,
): Promise<Verified> {
  const mismatch = await site.ctx.step(`${step}:fingerprint`, async () => surfaceProblem(site, brief, files));
  if (mismatch !== null) return { mismatch, tested: null };
  const tested = await site.ctx.step(`${step}:tests`, async (signal) => {
    try {
      return await runForEvidence(site, brief, files, AbortSignal.any([signal, stopped]));
    } catch (error) {
      if (signal.aborted || !stopped.aborted) throw error;
      return { problem: "the tests were stopped: it does not ship as it is", log: null };
    }
  });
  return { mismatch, tested };
}

function surfaceProblem(site: EngineeringSite, brief: ModuleBrief, files: Deliverable): Mismatch | null {
  return mismatchOf(brief, files, site.shop.language.readModule(sourcesOf(brief, files), brief.contract));
}

type Tested = { readonly problem: string; readonly log: ExecutionLog | null } | ({ readonly problem: null } & Passed);

interface Passed {
  readonly log: ExecutionLog;
  readonly verified_at: string;
}

/** Every test there is, in the sandbox; the log is what was seen. */
async function runForEvidence(site: EngineeringSite, brief: ModuleBrief, files: Deliverable, signal: AbortSignal): Promise<Tested> {
  const startedAt = site.kernel.clock.now();
  const { module_id, module_version: version } = brief.contract;
  const staging = site.shop.store.stageModule({ module_id, version, files });
  // It only saves time: what goes wrong with it goes wrong again when the module is sealed.
  const drop = staging.catch(() => async () => undefined);
  const run = await runTests(sourcesOf(brief, files), { sandbox: await site.kernel.sandbox(), signal }).catch(async (error: unknown) => {
    await (
      await drop
    )();
    throw error;
  });
  const log = executionLog(brief.contract, run, startedAt);
  const problem = problemOf(run, log);
  if (problem === null && log !== null) return { problem, log, verified_at: new Date(site.kernel.clock.now()).toISOString() };
  await (
    await drop
  )();
  return { problem: problem ?? "no test was run", log };
}

function problemOf({ broken, tests }: TestRun, log: ExecutionLog | null): string | null {
  if (broken !== null) return broken;
  if (log === null) return "no test was run";
  const failed = tests.filter(({ result }) => result === "FAIL");
  return failed.length === 0 ? null : failed.map(({ name, error }) => `"${name}" fails: ${error?.name}: ${error?.message}`).join("; ");
}

/** What it is verified in; the tests are at work meanwhile. */
function environmentOf(site: EngineeringSite, step: string, brief: ModuleBrief): Promise<ShipEvidence["environment"]> {
  return site.ctx.step(`${step}:environment`, async () => {
    await assertVersion(site, brief);
    const locked = brief.closure.map((module) => ({
      ref: moduleRefOf(module),
      fingerprint: module.ship.verification.interface_fingerprint,
    }));
    return {
      repo_revision: await site.shop.repoRevision(),
      dependency_lock_ref: `sha256:${digestOf(locked)}`,
      runner_id: runnerId(await site.kernel.sandbox()),
    };
  });
}

/** Written when everything has passed, and only then. */
async function keepEvidence(
  site: EngineeringSite,
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
  const played = { by: { role: "ship" as const, run_id: site.call(step).operationId }, contextPack };
  const kept = await keepMade(site, `${step}:evidence`, played, {
    type: "SHIP_EVIDENCE",
    contribution: "SHIP_EVIDENCE",
    body: { "ship.json": json(evidence), "execution_log.json": json(log) },
    inputs: [{ ref: implementation.ref, purpose: "what ships" }],
  });
  return shipEvidenceSchema.parse({ ...evidence, ship_id: kept.id });
}

/** Somebody else may have shipped the module in the meantime; the version that was locked must still be the next one. */
async function assertVersion({ shop, task }: EngineeringSite, { contract, fingerprint }: ModuleBrief): Promise<void> {
  const { module_id, module_version } = contract;
  const previous = await shop.store.latestVersion(module_id);
  const next = nextVersion(previous, fingerprint, task.successors?.[module_id] ?? null);
  if (next === module_version) return;
  throw new SlipwayError("version_conflict", `${module_id} would ship as ${next}, and ${module_version} was locked.`, {
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

/** What is found in the index is what was delivered, in words and types. */
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
