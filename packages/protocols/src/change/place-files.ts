import type { Failure } from "@slipway/durable/errors";
import { findFeature } from "@slipway/kernel/change/feature/store";
import type { ExpectedTests } from "@slipway/kernel/change/judge/expected-tests/expect-tests";
import type { Plan } from "@slipway/kernel/change/plan/schema";
import type { ChangeRun } from "./change-run.ts";
import { holdLocks } from "./locks.ts";
import { patchesOf, type FileChange } from "./patches.ts";
import { mustPerform, perform } from "./perform.ts";
import type { AttemptResult, Start } from "./phase.ts";
import { passGates } from "./pass-gates.ts";
import { CHANGE_STEPS } from "./steps.ts";
import { submitInTurn } from "./submit-plan.ts";
import { ensureUnblocked } from "./unblock.ts";

/** A change whose files a protocol has already produced: no worker plans or builds it. */
export interface ReadyFiles {
  /** The name of the system actor that applies the patches, before `@` and the run. */
  readonly appliedBy: string;
  /** The files that differ from this base. Deterministic for the same base. */
  readonly changesOn: (baseCommit: string) => Promise<FileChange[]>;
  readonly planFor: (changes: readonly FileChange[]) => Plan;
  /** Tests among the files that the gate has to run; it need not run any by default. */
  readonly tests?: ExpectedTests;
}

/** Submits the plan for the files. The value is null if a person gave the change up. */
export async function planFiles(change: ChangeRun, files: ReadyFiles, { attempt: name }: Start): Promise<AttemptResult<true | null>> {
  const submitted = await submitInTurn(change, name, await planNow(change, files, name));
  if (!submitted.ok) return needsPerson(submitted.failure);
  return { ok: true, value: submitted.value === null ? null : true };
}

/** Applies the files and runs every gate. A later attempt starts from the current base. The value is null if a person gave up. */
export async function placeFiles(change: ChangeRun, files: ReadyFiles, { attempt: name }: Start): Promise<AttemptResult<true | null>> {
  if (!(await ensureUnblocked(change, `build:${name}`, "building"))) return { ok: true, value: null };
  const refused = (name === "1" ? null : await restart(change, files, name)) ?? (await applyFiles(change, files, name));
  if (refused !== null) return needsPerson(refused);
  const passed = await passGates(change, name);
  return !passed.ok && "failure" in passed ? needsPerson(passed.failure) : passed;
}

/** The files are final, so another attempt would fail the same way: a person decides. */
function needsPerson(failure: Failure): { readonly ok: false; readonly failure: Failure } {
  return { ok: false, failure: { ...failure, details: { ...failure.details, requires_human: true } } };
}

async function restart(change: ChangeRun, files: ReadyFiles, name: string): Promise<Failure | null> {
  const { features } = change.services.kernel;
  await mustPerform(change, `restart:${name}`, (call) => features.restart(call, { feature_id: change.id }));
  const plan = await planNow(change, files, name);
  const before = await change.ctx.step(`planned:${name}`, () => features.plan(change.id));
  if (JSON.stringify([before.files, before.allowed_areas]) === JSON.stringify([plan.files, plan.allowed_areas])) return null;
  const version = before.plan_version;
  const revised = { ...plan, plan_version: version + 1, revision_of: version, revision_reason: "the base or the policy has changed" };
  const contended = await holdLocks(change, `locks:${name}`, revised);
  if (contended !== null) return contended;
  const updated = await perform(change, `replan:${name}`, (call) =>
    features.updatePlan(call, { feature_id: change.id, expected_plan_version: version, plan_json: revised }),
  );
  return updated.ok ? null : updated.failure;
}

function planNow(change: ChangeRun, files: ReadyFiles, name: string): Promise<Plan> {
  return change.ctx.step(`assemble:${name}`, async () => files.planFor(await changesNow(change, files)));
}

async function changesNow({ services, id }: ChangeRun, files: ReadyFiles): Promise<FileChange[]> {
  const { base_commit } = await findFeature(services.kernel.records.database.db, id);
  return files.changesOn(base_commit);
}

/** Applies the files in as many patches as the policy's limits require. */
async function applyFiles(change: ChangeRun, files: ReadyFiles, name: string): Promise<Failure | null> {
  const { features, configuration } = change.services.kernel;
  let made: Promise<string[]> | null = null;
  const patches = () => (made ??= changesNow(change, files).then((changes) => patchesOf(changes, configuration.policy.patch_policy)));
  const count = await change.ctx.step(`patches:${name}`, async () => (await patches()).length);
  for (let number = 1; number <= count; number++) {
    const placed = await perform(
      change,
      CHANGE_STEPS.patch.named(`${name}.${number}`),
      async (call) => {
        const unified_diff = (await patches())[number - 1] ?? "";
        const { tree } = await features.applyPatch(call, { feature_id: change.id, unified_diff });
        return { tree };
      },
      {
        as: ({ ctx }, step) => ({ actor: { type: "system", id: `${files.appliedBy}@${ctx.runId}` }, operationId: `${ctx.runId}/${step}` }),
      },
    );
    if (!placed.ok) return placed.failure;
  }
  return null;
}
