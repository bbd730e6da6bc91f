import { SlipwayError } from "./errors.ts";
import type { Engine } from "@slipway/durable/engine";
import type { RunInfo } from "@slipway/durable/runs";
import type { RunStatus } from "@slipway/durable/status";
import { recordedFeatures } from "@slipway/kernel/change/feature/recorded-features";
import type { Feature } from "@slipway/kernel/change/feature/store";
import type { BoardFeature } from "@slipway/kernel/change/views/board/board";
import { readBoard } from "@slipway/kernel/open-board";
import type { Records } from "@slipway/kernel/record/storage";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";

/** The named feature, or the only one. */
export async function chooseFeature(records: Records, id: string | undefined): Promise<Feature> {
  const features = recordedFeatures(records);
  if (id !== undefined) return features.find(id);
  const all = await features.newest(20);
  const [only, ...others] = all;
  if (only !== undefined && others.length === 0) return only;
  throw new SlipwayError(
    "feature_not_found",
    only === undefined ? "There is no feature yet." : `There are several features: ${all.map(({ id: name }) => name).join(", ")}.`,
    {
      suggested_next_actions: ["Name the feature you mean; `slipway status` lists them."],
    },
  );
}

export const ANY_STATUS: readonly RunStatus[] = ["pending", "running", "waiting", "stopped", "completed", "failed", "cancelled"];
/** Whether a feature waits for the action of a command. */
export type FeatureFilter = (feature: BoardFeature) => boolean;

/** The feature waits for an approval: its run asks for one, or it is ready and driven by tools without a run. */
export const FOR_APPROVAL: FeatureFilter = ({ status, waits_for }) =>
  (waits_for?.for === "person" && waits_for.kind === "approval") || (status === "ready_to_merge" && waits_for === null);

export const FOR_LANDING: FeatureFilter = ({ waits_for }) => waits_for?.for === "landing";

/** The named feature; without a name the only one that waits for this action, with a note, or the only feature. */
export async function chooseWaiting(
  records: Records,
  id: string | undefined,
  waits: FeatureFilter,
  say: (text: string) => void,
): Promise<Feature> {
  if (id !== undefined) return recordedFeatures(records).find(id);
  const { features } = await readBoard(records.layout);
  const [only, ...others] = features.filter(waits);
  if (only === undefined || others.length > 0) return chooseFeature(records, undefined);
  if (features.length > 1) say(`No feature was named; ${only.id} is the only one that waits for this.\n`);
  return recordedFeatures(records).find(only.id);
}

export const UNFINISHED: readonly RunStatus[] = ["pending", "running", "waiting", "stopped"];

/** The named run, or the latest unfinished one. */
export async function chooseRun(engine: Engine, id: string | undefined, statuses: readonly RunStatus[] = UNFINISHED): Promise<RunInfo> {
  if (id !== undefined) {
    const run = await engine.run(id);
    if (run !== undefined) return run;
    throw new SlipwayError("run_not_found", `There is no run ${id}.`, {
      run_id: id,
      suggested_next_actions: ["`slipway status` names the latest run."],
    });
  }
  const [latest] = await engine.runs({ rootsOnly: true, status: statuses, limit: 1 });
  if (latest !== undefined) return latest;
  throw new SlipwayError("nothing_to_resume", "There is no run to continue: every run in this repository has ended.", {
    suggested_next_actions: ["Start one with `slipway run SPEC.md`."],
  });
}

/** By number as `slipway inbox` shows it (Q1, 1), or by id. */
export async function chooseQuestion(records: Records, named: string): Promise<InboxQuestion> {
  const number = /^[Qq]?(\d+)$/.exec(named)?.[1];
  const [id] = [...(await records.inbox.numbers())].find(([, given]) => String(given) === number) ?? [];
  return records.inbox.find(id ?? named);
}

/** Of a run and its children. */
export async function openQuestionsOf({ inbox }: Records, runId: string): Promise<InboxQuestion[]> {
  const open = await inbox.listOpen();
  return open.filter((question) => question.runId === runId || question.runId?.startsWith(`${runId}/`) === true);
}

export async function openApprovalOf({ inbox }: Records, feature: string): Promise<InboxQuestion | null> {
  return (await inbox.listOpen()).find(({ kind, context }) => kind === "approval" && context["feature_id"] === feature) ?? null;
}
