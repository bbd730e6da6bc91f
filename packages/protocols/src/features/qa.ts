import { SlipwayError } from "@slipway/agents/errors";
import { toFailure } from "@slipway/durable/errors";
import type { QaUpdate } from "@slipway/kernel/change/judge/qa/update";
import { mustPerform } from "../change/perform.ts";
import { countOf, nextBatch, type Entries } from "./batch.ts";
import { applyPatch } from "./build.ts";
import { performAs } from "../change/firewall.ts";
import { gateAll } from "../change/gate.ts";
import type { AttemptResult, Start } from "../change/phase.ts";
import { endSession } from "../change/sessions.ts";
import type { OperationResult, ChangeRun } from "../change/change-run.ts";
import { moveTo, ensureUnblocked } from "../change/unblock.ts";
import { CHANGE_STEPS } from "../change/steps.ts";
import { FEATURE_STEPS } from "./steps.ts";
import { askWorker } from "./worker.ts";

/**
 * Runs QA in batches. Each batch is a new session that sees open entries of the test index, adds missing tests and reports a
 * verdict on each entry. When no entry is open, the full gates decide. The value is null if a person gave the feature up.
 */
export async function testOnce(change: ChangeRun, start: Start): Promise<AttemptResult<"ready" | null>> {
  if (!(await ensureUnblocked(change, `qa:${start.attempt}`, "qa"))) return { ok: true, value: null };
  const writtenByQa: string[] = [];
  let openBefore = Infinity;
  for (let number = 1; ; number++) {
    const name = number === 1 ? start.attempt : `${start.attempt}-${number}`;
    const entries = await openEntries(change, name, writtenByQa);
    const open = countOf(entries);
    if (open === 0 && (number > 1 || start.last === null)) break;
    if (open >= openBefore) return { ok: false, failure: noProgress(entries) };
    openBefore = open;
    const done = await batch(change, { ...start, attempt: name, last: number === 1 ? start.last : null }, entries);
    if (!done.ok) return done;
    writtenByQa.push(...done.value);
    if (open === 0) break;
  }
  const passed = await gateAll(change, `qa-${start.attempt}`);
  if (!passed.ok) return passed;
  await passWrittenByQa(change, start.attempt, writtenByQa);
  const entered = await moveTo(change, CHANGE_STEPS.ready.named(start.attempt), "ready_to_merge", "every required gate passed");
  return { ok: true, value: entered ? "ready" : null };
}

/** A recorded step, because the update must name the version of the index that QA saw. */
function openEntries({ ctx, services, id }: ChangeRun, name: string, writtenByQa: readonly string[]): Promise<Entries> {
  return ctx.step(`index:${name}`, async () => nextBatch(await services.kernel.features.qaIndex(id), writtenByQa));
}

/** One QA session. Returns the paths that it changed. */
async function batch(change: ChangeRun, start: Start, entries: Entries): Promise<AttemptResult<string[]>> {
  const { attempt } = start;
  const answered = await askWorker(change, { role: "qa", batch: attempt, entries, ...start });
  const done: AttemptResult<string[]> = answered.ok ? await record(change, attempt, entries, answered.value) : answered;
  await endSession(change, "qa", attempt, done.ok ? "done" : "ready");
  return done;
}

interface QaOutput {
  readonly updates?: readonly QaUpdate[] | undefined;
  readonly unified_diff?: string;
}

/** Records the verdicts first, then applies the patch: hunks that the patch does not touch keep their verdict. */
async function record(
  change: ChangeRun,
  attempt: string,
  entries: Entries,
  { updates = [], unified_diff }: QaOutput,
): Promise<AttemptResult<string[]>> {
  if (updates.length > 0) {
    const updated: OperationResult<unknown> = await performAs(change, {
      role: "qa",
      output: "INDEX_UPDATE",
      step: FEATURE_STEPS.verdicts.named(attempt),
      batch: attempt,
      returned: ["qa_index_version_conflict"],
      body: (call) =>
        change.services.kernel.features.updateQaIndex(call, {
          feature_id: change.id,
          expected_version: entries.version,
          updates: [...updates],
        }),
    });
    if (!updated.ok) return updated;
  }
  if (unified_diff === undefined) return { ok: true, value: [] };
  const patched = await applyPatch(change, "qa", FEATURE_STEPS.testPatch.named(attempt), unified_diff, attempt);
  return patched.ok ? { ok: true, value: [...patched.value.changed] } : patched;
}

/** Marks the hunks that QA wrote as passed, with the gates that just passed on them as evidence. */
async function passWrittenByQa(change: ChangeRun, attempt: string, writtenByQa: readonly string[]): Promise<void> {
  const { features } = change.services.kernel;
  if (writtenByQa.length === 0) return;
  await mustPerform(change, `settle:${attempt}`, async (call) => {
    const { index, pending } = await features.qaIndex(change.id);
    const updates = pending
      .filter(({ path }) => writtenByQa.includes(path))
      .map(({ path, hunks }) => ({
        path,
        hunks: hunks.map(({ start_line, end_line, change_type }) => ({ start_line, end_line, change_type })),
        status: "passed" as const,
      }));
    if (updates.length === 0) return null;
    const { evidence } = await features.getContext(change.id);
    const evidence_refs = evidence.gate === null ? [] : [evidence.gate.gate_id];
    await features.updateQaIndex(call, { feature_id: change.id, expected_version: index.version, updates, evidence_refs });
    return null;
  });
}

function noProgress({ pending }: Entries) {
  const listed = pending.map(
    ({ path, hunks }) => `${path} (${hunks.map(({ start_line, end_line }) => `${start_line} to ${end_line}`).join(", ")})`,
  );
  return toFailure(
    new SlipwayError("gate_failed", `These entries of the test index are neither passed nor waived: ${listed.join("; ")}.`, {
      suggested_next_actions: ["Fix the code, or say in `updates` why an entry is waived."],
    }),
  );
}
