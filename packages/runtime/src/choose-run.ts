import { SlipwayError } from "./errors.ts";
import type { Engine } from "@slipway/durable/engine";
import type { RunInfo } from "@slipway/durable/runs";
import { recordedFeatures } from "@slipway/kernel/change/feature/recorded-features";
import type { Records } from "@slipway/kernel/record/storage";
import { CAN_GO_ON, chooseRun } from "./choose.ts";

/** A run may be named by one of its features. What names neither is given back as it is: whoever looks for the run says so. */
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

/** The run named, or the only one that has not ended: where there are several, a person has to say which. */
export async function onlyUnfinishedRun(engine: Engine, named: string | undefined, command: string): Promise<RunInfo> {
  if (named !== undefined) return chooseRun(engine, named);
  const unfinished = await engine.runs({ rootsOnly: true, status: CAN_GO_ON });
  if (unfinished.length < 2) return chooseRun(engine, undefined);
  const listed = unfinished.map(({ runId, status }) => `${runId} (${status})`).join(", ");
  throw new SlipwayError("invalid_cli_args", `${unfinished.length} runs have not ended, and none was named: ${listed}.`, {
    run_ids: unfinished.map(({ runId }) => runId),
    suggested_next_actions: unfinished.map(({ runId }) => `slipway ${command.replace("RUN", runId)}`),
  });
}
