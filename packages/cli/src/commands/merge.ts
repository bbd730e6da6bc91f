import { SlipwayError } from "@slipway/durable/errors";
import { findFeature, type Feature } from "@slipway/kernel/features/store";
import { recordOverride } from "@slipway/kernel/sandbox/override";
import { agentChoice } from "../agents.ts";
import { chooseFeature, openApprovalOf } from "../choose.ts";
import type { RunCommand } from "../command.ts";
import { conduct } from "../conduct.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { personOf } from "../places.ts";
import { openProgress, styleFor } from "../render/progress.ts";
import { openSession, type Session } from "../session.ts";
import { reasonFrom } from "../unsandboxed.ts";

/** Lets the features' run go on to their merge. It lands only what a person has approved. */
export const run: RunCommand = async (args, io) => {
  const json = args.flag("json");
  const unsandboxedReason = reasonFrom(args);
  const progress = openProgress(io, styleFor(io, json));
  const session = await openSession({
    io,
    agents: agentChoice(args),
    unsandboxedReason,
    observe: progress.event,
    onStepStart: progress.started,
    onWarning: progress.warn,
  });
  try {
    const named = args.positionals.length === 0 ? [undefined] : [...new Set(args.positionals)];
    const features = await Promise.all(named.map((id) => chooseFeature(session.records, id)));
    const open = features.filter(({ status }) => status !== "merged");
    for (const { id, status_reason } of features.filter(({ status }) => status === "merged")) {
      io.out(json ? `${JSON.stringify({ ok: true, feature: id, status: "merged" })}\n` : `${id} is ${status_reason} already.\n`);
    }
    if (!io.interactive) for (const feature of open) await assertApproved(session, feature);
    let exitCode: ExitCode = EXIT.done;
    for (const runId of new Set(open.map(({ run_id }) => run_id.split("/")[0] ?? run_id))) {
      if (unsandboxedReason !== undefined) await recordOverride(session.records.door, personOf(io), runId, unsandboxedReason);
      exitCode = await conduct({ session, runId, io, json, progress });
    }
    // Other features of the run may still wait; these have been asked for.
    return (await areMerged(session, open)) ? EXIT.done : exitCode;
  } finally {
    progress.stop();
    await session.close();
  }
};

async function assertApproved({ records }: Session, { id }: Feature): Promise<void> {
  if ((await openApprovalOf(records, id)) === null) return;
  throw new SlipwayError("user_approval_required", `"${id}" has not been approved yet.`, {
    feature_id: id,
    suggested_next_actions: [`Look at it: \`slipway diff ${id}\`.`, `Then: \`slipway approve ${id}\`.`],
  });
}

async function areMerged({ records }: Session, features: readonly Feature[]): Promise<boolean> {
  const now = await Promise.all(features.map(({ id }) => findFeature(records.database.db, id)));
  return now.every(({ status }) => status === "merged");
}
