import type { Ctx } from "@slipway/durable/ctx";
import type { Call } from "@slipway/kernel/record/operations/call";
import { openRunFiles, type RunFolder } from "@slipway/kernel/record/run-files/run-files";
import type { ChangeRun } from "../change/change-run.ts";
import { changeFolder, changeOf, type FeatureOfRun } from "../change/feature-run.ts";
import type { ChangeServices } from "../change/services.ts";
import { openForgeLedger, type ForgeLedger } from "./ledger/ledger.ts";
import { observationsOf } from "./ledger/observations.ts";

export const MODES = ["autonomous", "interactive"] as const;
export type Mode = (typeof MODES)[number];

/** The protocol's own part of a change's input. */
export interface ForgeInput {
  readonly mode: Mode;
}

/** What every part of a run needs to know of it. JSON, because children get it as their input. */
export interface ForgeRef {
  readonly feature: FeatureOfRun;
  readonly mode: Mode;
  /** The ISO 8601 time in every row of the ledger. */
  readonly run_id: string;
  /** The run_id as it stands in names of tags and folders. */
  readonly tag: string;
  readonly ledger: ForgeLedger["kind"];
  /** The durable run of the change; the key of its row. */
  readonly run_key: string;
}

/** A run of the protocol, as its steps see it. */
export interface ForgeRun {
  readonly ctx: Ctx;
  readonly ref: ForgeRef;
  /** Also the feature slug of the seed. */
  readonly id: string;
  readonly change: ChangeRun;
  readonly files: RunFolder;
  readonly ledger: ForgeLedger;
}

export function openForgeRun(ctx: Ctx, services: ChangeServices, ref: ForgeRef): ForgeRun {
  const { records, door } = services.kernel;
  return {
    ctx,
    ref,
    id: ref.feature.feature_id,
    change: changeOf(ctx, services, ref.feature),
    files: openRunFiles(records, changeFolder(ref.feature)),
    ledger: openForgeLedger({ db: records.database.db, door, observations: observationsOf }, ref.ledger),
  };
}

/** Now, as it is recorded: a step that is done again after a crash writes the same. */
export function timeOf({ ctx, change }: Pick<ForgeRun, "ctx" | "change">, name: string): Promise<string> {
  return ctx.step(`time:${name}`, async () => new Date(change.services.kernel.clock.now()).toISOString(), { durability: "relaxed" });
}

/** The operation id is made of run and step name, so repeating a step has no second effect. */
export function callOf({ ctx }: Pick<ForgeRun, "ctx">, step: string): Call {
  return { actor: { type: "orchestrator", id: `orchestrator@${ctx.runId.split("/")[0]}` }, operationId: `${ctx.runId}/${step}` };
}

/** The run ends here with everything preserved: a required agent failed, or a reviewer found a blocker. */
export class ForgeError extends Error {
  readonly step: string;

  constructor(step: string, reason: string) {
    super(`ERROR in step ${step}: ${reason}`);
    this.step = step;
  }
}
