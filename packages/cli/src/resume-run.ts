import type { Arguments } from "@slipway/protocols/surface/command";
import type { ExitCode } from "@slipway/protocols/surface/exit-codes";
import type { Io } from "@slipway/protocols/surface/io";
import { reasonFrom } from "@slipway/protocols/surface/unsandboxed";
import type { Session } from "@slipway/runtime/session";
import { agentChoice } from "./agent-choice.ts";
import { driveRun } from "./drive-run.ts";
import { withSession } from "./with-session.ts";

/** Continues a recorded run until it ends or needs a person. */
export function resumeRun(args: Arguments, io: Io, choose: (session: Session) => Promise<string>): Promise<ExitCode> {
  const json = args.flag("json");
  return withSession({ io, json, agents: agentChoice(args), unsandboxedReason: reasonFrom(args) }, async (session, progress) => {
    const runId = await choose(session);
    await session.recordOverride(runId);
    return driveRun({ session, runId, io, json, progress });
  });
}
