import { jsonLine } from "@slipway/protocols/surface/escape";
import { SlipwayError } from "../errors.ts";
import { recordedFeatures } from "@slipway/kernel/change/feature/recorded-features";
import type { Feature } from "@slipway/kernel/change/feature/store";
import { readBoard } from "@slipway/kernel/open-board";
import { agentChoice } from "../agent-choice.ts";
import { chooseWaiting, FOR_LANDING, openApprovalOf } from "@slipway/runtime/choose";
import type { RunCommand } from "@slipway/protocols/surface/command";
import { driveRun } from "../drive-run.ts";
import { EXIT, type ExitCode } from "@slipway/protocols/surface/exit-codes";
import type { Session } from "@slipway/runtime/session";
import { reasonFrom } from "@slipway/protocols/surface/unsandboxed";
import { withSession } from "../with-session.ts";

/** Resumes the features' run up to their merge. Lands only approved changes. */
export const run: RunCommand = async (args, io) => {
  const json = args.flag("json");
  return withSession({ io, json, agents: agentChoice(args), unsandboxedReason: reasonFrom(args) }, async (session, progress) => {
    const named = args.positionals.length === 0 ? [undefined] : [...new Set(args.positionals)];
    const say = json ? io.err : io.out;
    const features = await Promise.all(named.map((id) => chooseWaiting(session.records, id, FOR_LANDING, say)));
    const open = features.filter(({ status }) => status !== "merged");
    for (const { id, status_reason } of features.filter(({ status }) => status === "merged")) {
      io.out(json ? jsonLine({ ok: true, feature: id, status: "merged" }) : `${id} is already ${status_reason}.\n`);
    }
    for (const feature of open) await assertOfRun(session, feature);
    if (!io.interactive) for (const feature of open) await assertApproved(session, feature);
    for (const id of await landingAlong(session, open)) say(`${id} is also approved, and lands with the same run.\n`);
    let exitCode: ExitCode = EXIT.done;
    for (const runId of new Set(open.map(rootOf))) {
      await session.recordOverride(runId);
      exitCode = await driveRun({ session, runId, io, json, progress });
    }
    // Other features of the run may still wait; the exit code is about the named ones.
    return (await areMerged(session, open)) ? EXIT.done : exitCode;
  });
};

/** A run lands every approved feature, in the order of approval: name the others too. */
async function landingAlong({ records }: Session, asked: readonly Feature[]): Promise<string[]> {
  const runs = new Set(asked.map(rootOf));
  const { features } = await readBoard(records.layout);
  return features
    .filter((other) => FOR_LANDING(other) && runs.has(rootOf({ run_id: other.run })) && asked.every(({ id }) => id !== other.id))
    .map(({ id }) => id);
}

/** A feature driven by tools must be merged by a tool: no run can continue it. */
async function assertOfRun({ engine }: Session, feature: Feature): Promise<void> {
  const { id } = feature;
  if ((await engine.run(rootOf(feature))) !== undefined) return;
  throw new SlipwayError("user_approval_required", `"${id}" belongs to no run: MCP tools drive it, so an MCP tool must merge it.`, {
    feature_id: id,
    suggested_next_actions: [
      `\`slipway approve ${id}\` prints a token for it.`,
      "Pass it to the client that drives the feature, as user_approval_token of feature.ready_to_merge.",
    ],
  });
}

function rootOf({ run_id }: Pick<Feature, "run_id">): string {
  return run_id.split("/")[0] ?? run_id;
}

async function assertApproved({ records }: Session, { id }: Feature): Promise<void> {
  if ((await openApprovalOf(records, id)) === null) return;
  throw new SlipwayError("user_approval_required", `"${id}" has not been approved yet.`, {
    feature_id: id,
    suggested_next_actions: [`Look at it: \`slipway diff ${id}\`.`, `Then: \`slipway approve ${id}\`.`],
  });
}

async function areMerged({ records }: Session, features: readonly Feature[]): Promise<boolean> {
  const now = await Promise.all(features.map(({ id }) => recordedFeatures(records).find(id)));
  return now.every(({ status }) => status === "merged");
}
