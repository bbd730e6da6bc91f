import type { Engine } from "@slipway/durable/engine";
import { isFinished } from "@slipway/durable/status";
import { chooseRun } from "@slipway/runtime/choose";
import type { RunCommand } from "@slipway/protocols/surface/command";
import { resumeRun } from "../resume-run.ts";
import { personOf } from "@slipway/protocols/surface/caller";
import { workflowVersions } from "@slipway/runtime/versions";

export const run: RunCommand = (args, io) =>
  resumeRun(args, io, async ({ engine }) => {
    const { runId } = await chooseRun(engine, args.positionals[0]);
    if (args.flag("accept-version")) await acceptVersion(engine, runId, personOf(io).id);
    if (args.flag("after-crashes")) await engine.resetCrashes(runId, personOf(io).id);
    return runId;
  });

/** A run and its children pin their versions separately; finished children keep theirs. */
async function acceptVersion(engine: Engine, rootRunId: string, by: string): Promise<void> {
  const [runs, versions] = await Promise.all([engine.runs({ rootRunId }), workflowVersions()]);
  for (const { runId, workflow, version, status } of runs) {
    if (!isFinished(status)) await engine.repin(runId, versions.get(workflow) ?? version, by);
  }
}
