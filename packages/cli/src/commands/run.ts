import { agentChoice, assertAgents } from "../agents.ts";
import type { RunCommand } from "../command.ts";
import { conduct } from "../conduct.ts";
import { openProgress, styleFor } from "../render/progress.ts";
import { openSession } from "../session.ts";
import { specsFor } from "../specs.ts";
import { startRun } from "../start-run.ts";
import { reasonFrom } from "../unsandboxed.ts";

export const run: RunCommand = async (args, io) => {
  const specs = await specsFor(args, io);
  const agents = agentChoice(args);
  const unsandboxedReason = reasonFrom(args);
  const json = args.flag("json");
  const progress = openProgress(io, styleFor(io, json));
  const session = await openSession({
    io,
    agents,
    unsandboxedReason,
    observe: progress.event,
    onStepStart: progress.started,
    onWarning: progress.warn,
  });
  try {
    await assertAgents({ kernel: session.kernel, io, choice: agents, protocol: "features" });
    const runId = await startRun(session, specs, unsandboxedReason, io);
    if (!json) io.out(`run ${runId}\n`);
    return await conduct({ session, runId, io, json, progress });
  } finally {
    progress.stop();
    await session.close();
  }
};
