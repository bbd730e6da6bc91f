import { SlipwayError } from "@slipway/agents/errors";
import { toFailure } from "@slipway/durable/errors";
import type { QaUpdate } from "@slipway/kernel/change/judge/qa/update";
import { mustPerform } from "../change/perform.ts";
import { countOf, nextBatch, type Entries } from "./batch.ts";
import { applyPatch } from "./build.ts";
import { performAs } from "../change/firewall.ts";
import { gateAll } from "../change/gate.ts";
import type { Start, Tried } from "../change/phase.ts";
import { endSession } from "../change/sessions.ts";
import type { OperationResult, ChangeRun } from "../change/change-run.ts";
import { moveTo, ensureUnblocked } from "../change/unblock.ts";
import { CHANGE_STEPS } from "../change/steps.ts";
import { FEATURE_STEPS } from "./steps.ts";
import { askWorker } from "./worker.ts";

/**
 * QA in batches: each is a new session that sees the open entries of the test index, adds the tests that are missing and says
 * what it found. When no entry is left, the full gates decide. Null when a person has given the feature up.
 */
export async function testOnce(change: ChangeRun, start: Start): Promise<Tried<"ready" | null>> {
  if (!(await ensureUnblocked(change, `qa:${start.attempt}`, "qa"))) return { ok: true, value: null };
  const own: string[] = [];
  let left = Infinity;
  for (let number = 1; ; number++) {
    const name = number === 1 ? start.attempt : `${start.attempt}-${number}`;
    const entries = await openEntries(change, name, own);
    const open = countOf(entries);
    if (open === 0 && (number > 1 || start.last === null)) break;
    if (open >= left) return { ok: false, failure: stuck(entries) };
    left = open;
    const done = await batch(change, { ...start, attempt: name, last: number === 1 ? start.last : null }, entries);
    if (!done.ok) return done;
    own.push(...done.value);
    if (open === 0) break;
  }
  const passed = await gateAll(change, `qa-${start.attempt}`);
  if (!passed.ok) return passed;
  await settleOwn(change, start.attempt, own);
  const entered = await moveTo(change, CHANGE_STEPS.ready.named(start.attempt), "ready_to_merge", "every required gate passed");
  return { ok: true, value: entered ? "ready" : null };
}

/** Recorded, because the update has to name the version that was shown. */
function openEntries({ ctx, services, id }: ChangeRun, name: string, own: readonly string[]): Promise<Entries> {
  return ctx.step(`index:${name}`, async () => nextBatch(await services.kernel.features.qaIndex(id), own));
}

/** One session. Returns the paths it has written itself. */
async function batch(change: ChangeRun, start: Start, entries: Entries): Promise<Tried<string[]>> {
  const { attempt } = start;
  const answered = await askWorker(change, { role: "qa", batch: attempt, entries, ...start });
  const done: Tried<string[]> = answered.ok ? await record(change, attempt, entries, answered.value) : answered;
  await endSession(change, "qa", attempt, done.ok ? "done" : "ready");
  return done;
}

interface Word {
  readonly updates?: readonly QaUpdate[] | undefined;
  readonly unified_diff?: string;
}

/** Its verdicts on what it was shown, then its patch: hunks that the patch leaves alone keep their verdict. */
async function record(
  change: ChangeRun,
  attempt: string,
  entries: Entries,
  { updates = [], unified_diff }: Word,
): Promise<Tried<string[]>> {
  const open = countOf(entries);
  if (updates.length === 0 && open > 0)
    return { ok: false, reply: `The batch is not done: "updates" has to say what you found out about the ${open} open entries.` };
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

/** What QA wrote itself was run by the gates that have just passed; that is its evidence. */
async function settleOwn(change: ChangeRun, attempt: string, own: readonly string[]): Promise<void> {
  const { features } = change.services.kernel;
  if (own.length === 0) return;
  await mustPerform(change, `settle:${attempt}`, async (call) => {
    const { index, pending } = await features.qaIndex(change.id);
    const updates = pending
      .filter(({ path }) => own.includes(path))
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

function stuck({ pending }: Entries) {
  const listed = pending.map(
    ({ path, hunks }) => `${path} (${hunks.map(({ start_line, end_line }) => `${start_line} to ${end_line}`).join(", ")})`,
  );
  return toFailure(
    new SlipwayError("gate_failed", `These entries of the test index are neither passed nor waived: ${listed.join("; ")}.`, {
      suggested_next_actions: ["Repair what is wrong, or say in `updates` why an entry is waived."],
    }),
  );
}
