import type { Engine } from "@slipway/durable/engine";
import { isFinished } from "@slipway/durable/status";
import { agentChoice } from "../agent-choice.ts";
import { chooseRun } from "@slipway/runtime/choose";
import type { RunCommand } from "@slipway/protocols/surface/command";
import { driveRun } from "../drive-run.ts";
import { personOf } from "@slipway/protocols/surface/caller";
import { reasonFrom } from "@slipway/protocols/surface/unsandboxed";
import { withSession } from "../with-session.ts";
import { workflowVersions } from "@slipway/runtime/versions";

export const run: RunCommand = async (args, io) => {
  const json = args.flag("json");
  return withSession({ io, json, agents: agentChoice(args), unsandboxedReason: reasonFrom(args) }, async (session, progress) => {
    const { runId } = await chooseRun(session.engine, args.positionals[0]);
    if (args.flag("accept-version")) await acceptVersion(session.engine, runId, personOf(io).id);
    if (args.flag("after-crashes")) await session.engine.resetCrashes(runId, personOf(io).id);
    await session.recordOverride(runId);
    return await driveRun({ session, runId, io, json, progress });
  });
};

/** A run and its children pin their versions separately; finished children keep theirs. */
async function acceptVersion(engine: Engine, rootRunId: string, by: string): Promise<void> {
  const [runs, versions] = await Promise.all([engine.runs({ rootRunId }), workflowVersions()]);
  for (const { runId, workflow, version, status } of runs) {
    if (!isFinished(status)) await engine.repin(runId, versions.get(workflow) ?? version, by);
  }
}
