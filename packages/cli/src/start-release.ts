import { recordOverride } from "@slipway/kernel/sandbox/override";
import type { PartialInput } from "@slipway/protocols/factory/partial";
import { namedModules } from "@slipway/protocols/factory/release/release";
import { releasePorts } from "@slipway/protocols/factory/releasing";
import type { Arguments } from "./command.ts";
import { conduct } from "./conduct.ts";
import type { ExitCode } from "./exit-codes.ts";
import { withFactory } from "./factory-room.ts";
import type { Io } from "./io.ts";
import { personOf } from "./places.ts";
import { openProgress, styleFor } from "./render/progress.ts";
import { openSession } from "./session.ts";
import { freeRunId } from "./start-run.ts";
import { reasonFrom } from "./unsandboxed.ts";

/** A partial release as a run of its own, carried out until it ends or a person is needed. */
export async function startRelease(args: Arguments, io: Io, named: readonly string[]): Promise<ExitCode> {
  // Refused before there is a run of it.
  const modules = await withFactory(io, (room) => namedModules(releasePorts(room), named));
  const unsandboxedReason = reasonFrom(args);
  const json = args.flag("json");
  const progress = openProgress(io, styleFor(io, json));
  const { event: observe, started: onStepStart, warn: onWarning } = progress;
  const session = await openSession({ io, agents: {}, unsandboxedReason, observe, onStepStart, onWarning });
  try {
    const runId = await freeRunId(session, "release");
    const input: PartialInput = { module_refs: modules.map(({ module_ref }) => module_ref) };
    await session.engine.start("factory-release", input, { runId });
    if (unsandboxedReason !== undefined) await recordOverride(session.records.door, personOf(io), runId, unsandboxedReason);
    if (!json) io.out(`run ${runId}\n`);
    return await conduct({ session, runId, io, json, progress });
  } finally {
    progress.stop();
    await session.close();
  }
}
