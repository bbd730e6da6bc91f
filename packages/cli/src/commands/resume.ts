import type { Engine } from "@slipway/durable/engine";
import { isFinished } from "@slipway/durable/status";
import { agentChoice } from "../agents.ts";
import { chooseRun } from "../choose.ts";
import type { RunCommand } from "../command.ts";
import { conduct } from "../conduct.ts";
import { personOf } from "../places.ts";
import { openProgress, styleFor } from "../render/progress.ts";
import { openSession } from "../session.ts";
import { reasonFrom } from "../unsandboxed.ts";
import { interfaceChange } from "@slipway/protocols/factory/changing";
import { lateChange } from "@slipway/protocols/factory/late-change";
import { engineering } from "@slipway/protocols/factory/engineering/engineering";
import { productLoop } from "@slipway/protocols/factory/product/loop";
import { factory } from "@slipway/protocols/factory/protocol";
import { feature, features } from "@slipway/protocols/features/protocol";
import { recordOverride } from "@slipway/kernel/sandbox/override";

export const run: RunCommand = async (args, io) => {
  const json = args.flag("json");
  const progress = openProgress(io, styleFor(io, json));
  const unsandboxedReason = reasonFrom(args);
  const session = await openSession({
    io,
    agents: agentChoice(args),
    unsandboxedReason,
    observe: progress.event,
    onStepStart: progress.started,
    onWarning: progress.warn,
  });
  try {
    const { runId } = await chooseRun(session.engine, args.positionals[0]);
    if (args.flag("accept-version")) await acceptVersion(session.engine, runId, personOf(io).id);
    if (args.flag("after-crashes")) await session.engine.resetCrashes(runId, personOf(io).id);
    if (unsandboxedReason !== undefined) await recordOverride(session.records.door, personOf(io), runId, unsandboxedReason);
    return await conduct({ session, runId, io, json, progress });
  } finally {
    progress.stop();
    await session.close();
  }
};

const VERSION_OF = new Map(
  [features, feature, factory, productLoop, engineering, interfaceChange, lateChange].map(({ name, version }) => [name, version]),
);

/** A run and everything below it are pinned each for itself; what has ended keeps the version it ended with. */
async function acceptVersion(engine: Engine, rootRunId: string, by: string): Promise<void> {
  const runs = await engine.runs({ rootRunId });
  for (const { runId, workflow, version, status } of runs) {
    if (!isFinished(status)) await engine.repin(runId, VERSION_OF.get(workflow) ?? version, by);
  }
}
