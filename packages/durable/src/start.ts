import type { Workflow } from "./ctx.ts";
import { SlipwayError } from "./errors.ts";
import type { Parts } from "./execution.ts";
import { appendWithin } from "./journal.ts";
import { assertRunId } from "./names.ts";
import { spill } from "./payload.ts";
import { findWithin, insertRun } from "./runs.ts";
import { inputDigest, inputText } from "./start-event.ts";

/** Records a run. Starting the same id with the same workflow and input again has no effect. */
export async function startRun<K>(
  { sqlite, blobs, clock, observe }: Parts,
  workflow: Workflow<never, unknown, K>,
  input: unknown,
  runId: string,
): Promise<void> {
  assertRunId(runId);
  const digest = inputDigest(workflow, input);
  const payload = await spill(blobs, inputText(workflow, input));
  const event = await sqlite.write(() => {
    const existing = findWithin(sqlite, runId);
    if (existing?.input_digest === digest) return null;
    if (existing !== undefined) throw exists(runId, existing.workflow);
    const at = Math.floor(clock.now());
    const { name, version } = workflow;
    insertRun(sqlite, {
      run_id: runId,
      root_run_id: runId,
      parent_run_id: null,
      workflow: name,
      version,
      input_digest: digest,
      status: "pending",
      created_at: at,
    });
    return appendWithin(sqlite, runId, { kind: "started", name, payload }, at, null);
  });
  if (event !== null) observe(event);
}

function exists(runId: string, workflow: string): SlipwayError {
  return new SlipwayError("run_exists", `There is already a run ${runId} (${workflow}) with another input.`, {
    run_id: runId,
    suggested_next_actions: [`slipway resume ${runId}`, "Choose another id."],
  });
}
