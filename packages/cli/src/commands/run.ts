import { agentChoice } from "../agents.ts";
import type { RunCommand } from "../command.ts";
import { conduct } from "../conduct.ts";
import { openProgress, styleFor } from "../render/progress.ts";
import { openSession } from "../session.ts";
import { specsFor } from "../specs.ts";
import { startRun } from "../start-run.ts";

export const run: RunCommand = async (args, io) => {
  const specs = await specsFor(args, io);
  const json = args.flag("json");
  const progress = openProgress(io, styleFor(io, json));
  const session = await openSession({
    io,
    agents: agentChoice(args),
    unsandboxedReason: args.text("allow-unsandboxed"),
    observe: progress.event,
    onStepStart: progress.started,
    onWarning: progress.warn,
  });
  try {
    const runId = await startRun(session, specs, args.text("allow-unsandboxed"), io);
    if (!json) io.out(`run ${runId}\n`);
    return await conduct({ session, runId, io, json, progress });
  } finally {
    progress.stop();
    await session.close();
  }
};
