import type { PartialInput } from "@slipway/protocols/factory/partial";
import { namedModules } from "@slipway/protocols/factory/release/release";
import { releasePorts } from "@slipway/protocols/factory/releasing";
import type { Arguments } from "./command.ts";
import { conduct } from "./conduct.ts";
import type { ExitCode } from "@slipway/runtime/exit-codes";
import { withFactory } from "./factory-room.ts";
import type { Io } from "./io.ts";
import { freeRunId } from "@slipway/runtime/start-run";
import { reasonFrom } from "./unsandboxed.ts";
import { withSession } from "./with-session.ts";

/** A partial release as a run of its own, carried out until it ends or a person is needed. */
export async function startRelease(args: Arguments, io: Io, named: readonly string[]): Promise<ExitCode> {
  // Refused before there is a run of it.
  const modules = await withFactory(io, (room) => namedModules(releasePorts(room), named));
  const json = args.flag("json");
  return withSession({ io, json, agents: {}, unsandboxedReason: reasonFrom(args) }, async (session, progress) => {
    const runId = await freeRunId(session, "release");
    const input: PartialInput = { module_refs: modules.map(({ module_ref }) => module_ref) };
    await session.engine.start("factory-release", input, { runId });
    await session.recordOverride(runId);
    if (!json) io.out(`run ${runId}\n`);
    return await conduct({ session, runId, io, json, progress });
  });
}
