import type { Engine } from "@slipway/durable/engine";
import { SlipwayError } from "./errors.ts";
import { isFinished } from "@slipway/durable/status";
import { ENDED } from "@slipway/kernel/change/feature/status";
import type { Feature } from "@slipway/kernel/change/feature/store";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import type { Records } from "@slipway/kernel/record/storage";
import { chooseFeature } from "@slipway/runtime/choose";
import type { Arguments } from "@slipway/protocols/surface/command";
import type { ExitCode } from "@slipway/protocols/surface/exit-codes";
import { giveAnswer } from "@slipway/protocols/surface/give-answer";
import type { Io } from "@slipway/protocols/surface/io";
import { withReader } from "@slipway/runtime/reader";

export type EditDecision = "adopt" | "set_aside";

/**
 * A person's decision about their own edits in a feature's worktree. If a run has asked, this answers the question. If no run drives the
 * feature, `work` performs it at once. A run that has not asked yet must be resumed first: it asks before its next step.
 */
export async function decideEdits(
  decision: EditDecision,
  args: Arguments,
  io: Io,
  work: (feature: Feature) => Promise<ExitCode>,
): Promise<ExitCode> {
  const decided = await withReader(io, async ({ records, engine }) => {
    const feature = await chooseFeature(records, args.positionals[0]);
    const question = await askedAbout(records, feature.id);
    if (question !== null) return { answered: await giveAnswer(records, question, { decision }, io, args.flag("json")) };
    assertOpen(feature);
    await assertNoRun(engine, feature);
    return { feature };
  });
  return decided.feature === undefined ? decided.answered : work(decided.feature);
}

async function askedAbout({ inbox }: Records, feature: string): Promise<InboxQuestion | null> {
  return (await inbox.listOpen()).find(({ kind, context }) => kind === "edited" && context["feature_id"] === feature) ?? null;
}

function assertOpen({ id, status, worktree }: Feature): void {
  if (!ENDED.includes(status)) return;
  const next = status === "failed" ? [`slipway retry ${id}`] : [`git -C ${worktree} status`];
  throw new SlipwayError("invalid_status_transition", `"${id}" is ${status}; edits in its worktree are no longer part of it.`, {
    feature_id: id,
    from: status,
    suggested_next_actions: next,
  });
}

async function assertNoRun(engine: Engine, { id, run_id, worktree }: Feature): Promise<void> {
  const root = run_id.split("/")[0] ?? run_id;
  const run = await engine.run(root);
  if (run === undefined) return;
  const next = isFinished(run.status) ? `slipway retry ${id}` : `slipway resume ${root}`;
  throw new SlipwayError("worktree_edited", `The run ${root} drives ${id}, and asks about edits by hand before its next step.`, {
    feature_id: id,
    worktree,
    suggested_next_actions: [`${next} (asks if there are edits)`],
  });
}
