import { SlipwayError } from "@slipway/durable/errors";
import { findFeature } from "@slipway/kernel/features/store";
import { agentChoice } from "../agents.ts";
import { chooseFeature, openApprovalOf } from "../choose.ts";
import type { RunCommand } from "../command.ts";
import { conduct } from "../conduct.ts";
import { EXIT } from "../exit-codes.ts";
import { openProgress, styleFor } from "../render/progress.ts";
import { openSession } from "../session.ts";

/** Lets the feature's run go on to its merge. It lands only what a person has approved. */
export const run: RunCommand = async (args, io) => {
  const json = args.flag("json");
  const progress = openProgress(io, styleFor(io, json));
  const session = await openSession({
    io,
    agents: agentChoice(args),
    observe: progress.event,
    onStepStart: progress.started,
    onWarning: progress.warn,
  });
  try {
    const feature = await chooseFeature(session.records, args.positionals[0]);
    if (feature.status === "merged") {
      io.out(
        json
          ? `${JSON.stringify({ ok: true, feature: feature.id, status: "merged" })}\n`
          : `${feature.id} is ${feature.status_reason} already.\n`,
      );
      return EXIT.done;
    }
    if (!io.interactive && (await openApprovalOf(session.records, feature.id)) !== null) {
      throw new SlipwayError("user_approval_required", `"${feature.id}" has not been approved yet.`, {
        feature_id: feature.id,
        suggested_next_actions: [`Look at it: \`slipway diff ${feature.id}\`.`, `Then: \`slipway approve ${feature.id}\`.`],
      });
    }
    const [root = feature.run_id] = feature.run_id.split("/");
    const exitCode = await conduct({ session, runId: root, io, json, progress });
    // Other features of the run may still wait; this one has been asked for.
    return (await findFeature(session.records.database.db, feature.id)).status === "merged" ? EXIT.done : exitCode;
  } finally {
    progress.stop();
    await session.close();
  }
};
