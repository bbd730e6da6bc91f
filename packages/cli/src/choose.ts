import { SlipwayError } from "@slipway/durable/errors";
import type { Engine } from "@slipway/durable/engine";
import type { RunInfo } from "@slipway/durable/runs";
import type { RunStatus } from "@slipway/durable/status";
import { findFeature, type Feature } from "@slipway/kernel/features/store";
import type { Records } from "@slipway/kernel/records";
import type { InboxQuestion } from "@slipway/kernel/questions/question";

/** The feature named, or the only one there is. */
export async function chooseFeature({ database: { db } }: Records, id: string | undefined): Promise<Feature> {
  if (id !== undefined) return findFeature(db, id);
  const all = await db.selectFrom("features").selectAll().orderBy("updated_at", "desc").limit(20).execute();
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

const CAN_GO_ON: readonly RunStatus[] = ["pending", "running", "waiting", "stopped"];

/** The run named, or the latest that has not finished. */
export async function chooseRun(engine: Engine, id: string | undefined, statuses: readonly RunStatus[] = CAN_GO_ON): Promise<RunInfo> {
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
  throw new SlipwayError("nothing_to_resume", "There is no run that could go on: every run here has ended.", {
    suggested_next_actions: ["Start one with `slipway run SPEC.md`."],
  });
}

/** By number as `slipway inbox` shows it (Q1, 1), or by id. */
export async function chooseQuestion(records: Records, named: string): Promise<InboxQuestion> {
  const number = /^[Qq]?(\d+)$/.exec(named)?.[1];
  const [id] = [...(await questionNumbers(records))].find(([, given]) => String(given) === number) ?? [];
  return records.inbox.find(id ?? named);
}

/** A question keeps its number for good, whatever else is answered: the order in which they were asked. */
export async function questionNumbers({ database: { db } }: Records): Promise<ReadonlyMap<string, number>> {
  const asked = await db.selectFrom("questions").select("id").orderBy("asked_at").orderBy("id").execute();
  return new Map(asked.map(({ id }, index) => [id, index + 1]));
}

/** Of a run and of everything below it. */
export async function openQuestionsOf({ inbox }: Records, runId: string): Promise<InboxQuestion[]> {
  const open = await inbox.listOpen();
  return open.filter((question) => question.runId === runId || question.runId?.startsWith(`${runId}/`) === true);
}

export async function openApprovalOf({ inbox }: Records, feature: string): Promise<InboxQuestion | null> {
  return (await inbox.listOpen()).find(({ kind, context }) => kind === "approval" && context["feature_id"] === feature) ?? null;
}
