import type { Ctx } from "@slipway/durable/ctx";
import { openRunFiles } from "@slipway/kernel/record/run-files/run-files";
import { probeDatabaseFile } from "@slipway/kernel/record/database/database-file";
import { join } from "node:path";
import { beginChange } from "../change/agent-change.ts";
import { changeFolder, changeOf, type FeatureOfRun } from "../change/feature-run.ts";
import type { ChangeServices } from "../change/services.ts";
import { LEDGER_DATABASE_FILE, REQUEST_FILE } from "./files.ts";
import { callOf, openForgeRun, type ForgeInput, type ForgeRef, type ForgeRun } from "./forge-run.ts";
import { isRunIdTaken, readForgeRun, saveForgeRun } from "./ledger/runs.ts";
import { initialState } from "./router/state.ts";
import { hygieneOf, isTrivial, type Hygiene } from "./rules/hygiene.ts";
import { baselineTag, runIdAt } from "./rules/run-id.ts";
import { FORGE_STEPS } from "./steps.ts";

/** What Step 0 found out, before any agent is dispatched. */
export interface SetupFacts extends Hygiene {
  readonly run_id: string;
  readonly trivial: boolean;
  readonly ledger: ForgeRef["ledger"];
  /** Why SQLite cannot be used; null if it can. */
  readonly no_sqlite: string | null;
  /** Outputs of an earlier attempt that are in the run folder. */
  readonly found: readonly string[];
}

export interface PreparedRun {
  readonly run: ForgeRun;
  readonly hygiene: SetupFacts;
  readonly request: string;
}

/** Prerequisites, worktree, run_id, git hygiene, ledger and the request's file: everything before the first dispatch. */
export async function prepareRun(ctx: Ctx, feature: FeatureOfRun, services: ChangeServices): Promise<PreparedRun> {
  const { records, clock } = services.kernel;
  const change = changeOf(ctx, services, feature);
  await beginChange(change, feature);
  const bytes = await ctx.step("request", async () => Buffer.from(await records.objects.get(feature.spec_digest)).toString("utf8"));
  const { mode } = (feature.inner?.input ?? { mode: "autonomous" }) as ForgeInput;
  const files = openRunFiles(records, changeFolder(feature));
  const call = {
    actor: { type: "orchestrator", id: `orchestrator@${ctx.runId.split("/")[0]}` } as const,
    operationId: `${ctx.runId}/setup`,
  };
  const hygiene = await ctx.step(FORGE_STEPS.setup.named(), async (): Promise<SetupFacts> => {
    const trivial = isTrivial(bytes);
    const { status, branch } = await services.kernel.features.checkoutFacts();
    const found = await files.paths();
    // This step was done before a crash, and only its result is missing.
    const known = await readForgeRun(records.database.db, ctx.runId);
    const no_sqlite = await probeDatabaseFile(join(files.place, LEDGER_DATABASE_FILE));
    const ledger = known?.ledger ?? (no_sqlite === null ? "sqlite" : "yaml");
    let run_id = known?.run_id ?? runIdAt(new Date(clock.now()));
    for (let later = 1; await isRunIdTaken(records.database.db, run_id, ctx.runId); later++)
      run_id = runIdAt(new Date(clock.now() + later * 1000));
    const state = JSON.stringify(initialState({ feature_slug: feature.feature_id, approval_mode: mode, run_id }));
    await saveForgeRun(records.door, call, { run_key: ctx.runId, run_id, feature_id: feature.feature_id, ledger, state });
    return { ...hygieneOf(status, branch, trivial), run_id, trivial, ledger, no_sqlite, found };
  });
  const ref: ForgeRef = {
    feature,
    mode,
    run_id: hygiene.run_id,
    tag: baselineTag(hygiene.run_id),
    ledger: hygiene.ledger,
    run_key: ctx.runId,
  };
  const run = openForgeRun(ctx, services, ref);
  await ctx.step("request-file", () =>
    run.files.write(callOf(run, "request-file"), { [REQUEST_FILE]: bytes.endsWith("\n") ? bytes : `${bytes}\n` }),
  );
  return { run, hygiene, request: bytes };
}
