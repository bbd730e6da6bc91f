import { relative, resolve, sep } from "node:path";
import { SlipwayError } from "@slipway/durable/errors";
import { readSpecs } from "@slipway/kernel/specs/read";
import type { FactoryInput } from "@slipway/protocols/factory/protocol";
import { recordOverride } from "@slipway/kernel/sandbox/override";
import { agentChoice, assertAgents } from "../agents.ts";
import type { RunCommand } from "../command.ts";
import { conduct } from "../conduct.ts";
import type { Io } from "../io.ts";
import { personOf } from "../places.ts";
import { openProgress, styleFor } from "../render/progress.ts";
import { openSession, type Session } from "../session.ts";
import { freeRunId } from "../start-run.ts";
import { reasonFrom } from "../unsandboxed.ts";
import { run as status } from "./factory-status.ts";

export const run: RunCommand = async (args, io) => {
  const [what = ""] = args.positionals;
  if (what === "status") return status(args, io);
  const [spec] = await readSpecs(io.cwd, [what]);
  if (spec === undefined) throw new TypeError("No specification was read.");
  const choice = agentChoice(args);
  const unsandboxedReason = reasonFrom(args);
  const json = args.flag("json");
  const progress = openProgress(io, styleFor(io, json));
  const session = await openSession({
    io,
    agents: choice,
    unsandboxedReason,
    observe: progress.event,
    onStepStart: progress.started,
    onWarning: progress.warn,
  });
  try {
    await assertAgents({ kernel: session.kernel, io, choice, protocol: "factory" });
    await assertNoneAtWork(session);
    // Found out now rather than after the product owner has been paid.
    await session.sandbox();
    const runId = await freeRunId(session, spec.id);
    const input: FactoryInput = {
      agents: await session.agents("factory"),
      project: spec.id,
      spec_source: sourceOf(session, io, spec.path),
      spec_digest: await session.records.objects.put(spec.bytes),
    };
    await session.engine.start("factory", input, { runId });
    if (unsandboxedReason !== undefined) await recordOverride(session.records.door, personOf(io), runId, unsandboxedReason);
    if (!json) io.out(`run ${runId}\n`);
    return await conduct({ session, runId, io, json, progress });
  } finally {
    progress.stop();
    await session.close();
  }
};

/** One project at a time: a second one would take the first one's place. */
async function assertNoneAtWork({ engine }: Session): Promise<void> {
  const unfinished = await engine.runs({ rootsOnly: true, status: ["pending", "running", "waiting", "stopped"] });
  const other = unfinished.find(({ workflow }) => workflow === "factory");
  if (other === undefined) return;
  throw new SlipwayError("run_exists", `The factory is at work on another project (run ${other.runId}).`, {
    run_id: other.runId,
    suggested_next_actions: [`Continue it: \`slipway resume ${other.runId}\`, or end it: \`slipway stop ${other.runId} --cancel\`.`],
  });
}

function sourceOf({ repository }: Session, io: Io, path: string): string {
  return relative(repository.root, resolve(io.cwd, path)).split(sep).join("/");
}
