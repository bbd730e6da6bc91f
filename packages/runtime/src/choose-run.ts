import { SlipwayError } from "./errors.ts";
import type { Engine } from "@slipway/durable/engine";
import type { RunInfo } from "@slipway/durable/runs";
import { recordedFeatures } from "@slipway/kernel/change/feature/recorded-features";
import type { Records } from "@slipway/kernel/record/storage";
import { UNFINISHED, chooseRun } from "./choose.ts";

/** The run that `named` means: a run id or one of its features. An unknown name is returned unchanged; the later lookup refuses it. */
export async function rootOfFeature(
  records: Pick<Records, "database">,
  engine: Engine,
  named: string | undefined,
): Promise<string | undefined> {
  if (named === undefined || (await engine.run(named)) !== undefined) return named;
  const feature = await recordedFeatures(records).ifAny(named);
  return feature === undefined ? named : rootOf(feature.run_id);
}

export function rootOf(runId: string): string {
  return runId.split("/")[0] ?? runId;
}

/** The named run, or the only unfinished one. Refuses to choose between several. */
export async function onlyUnfinishedRun(engine: Engine, named: string | undefined, command: string): Promise<RunInfo> {
  if (named !== undefined) return chooseRun(engine, named);
  const unfinished = await engine.runs({ rootsOnly: true, status: UNFINISHED });
  if (unfinished.length < 2) return chooseRun(engine, undefined);
  const listed = unfinished.map(({ runId, status }) => `${runId} (${status})`).join(", ");
  throw new SlipwayError("invalid_cli_args", `${unfinished.length} runs have not ended, and none was named: ${listed}.`, {
    run_ids: unfinished.map(({ runId }) => runId),
    suggested_next_actions: unfinished.map(({ runId }) => `slipway ${command.replace("RUN", runId)}`),
  });
}
