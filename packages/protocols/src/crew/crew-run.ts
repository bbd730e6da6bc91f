import type { Ctx } from "@slipway/durable/ctx";
import type { Call } from "@slipway/kernel/record/operations/call";
import { openRunFiles, type RunFolder } from "@slipway/kernel/record/run-files/run-files";
import type { ChangeRun } from "../change/change-run.ts";
import { changeFolder, changeOf, type FeatureOfRun } from "../change/feature-run.ts";
import type { ChangeServices } from "../change/services.ts";
import type { ProjectType } from "./contract/names.ts";
import type { CrewMode } from "./states/states.ts";

/** The protocol's own part of a change's input. */
export interface CrewInput {
  readonly mode: CrewMode;
  readonly project_type: ProjectType;
}

/** What every part of a session needs to know of it. JSON, because dispatches get it as their input. */
export interface CrewRef extends Pick<CrewInput, "project_type"> {
  readonly feature: FeatureOfRun;
}

/** A session, as its steps see it. */
export interface CrewRun {
  readonly ctx: Ctx;
  readonly ref: CrewRef;
  readonly id: string;
  readonly change: ChangeRun;
  readonly files: RunFolder;
  /** Below `.slipway/runs`. */
  readonly folder: string;
  /** `status.json.session`: the last part of the folder. */
  readonly session: string;
}

export function openCrewRun(ctx: Ctx, services: ChangeServices, ref: CrewRef): CrewRun {
  const folder = changeFolder(ref.feature);
  return {
    ctx,
    ref,
    id: ref.feature.feature_id,
    change: changeOf(ctx, services, ref.feature),
    files: openRunFiles(services.kernel.records, folder),
    folder,
    session: folder.split("/").at(-1) ?? folder,
  };
}

/** The operation id is made of run and step name, so repeating a step has no second effect. */
export function callOf({ ctx }: Pick<CrewRun, "ctx">, step: string): Call {
  return { actor: { type: "orchestrator", id: `orchestrator@${ctx.runId.split("/")[0]}` }, operationId: `${ctx.runId}/${step}` };
}
