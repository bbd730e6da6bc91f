import { workflow } from "@slipway/durable/ctx";
import { SlipwayError } from "@slipway/agents/errors";
import { tryGatesOnBase } from "../change/base-gates.ts";
import { endFeature } from "../change/end-feature.ts";
import type { FeatureOfRun, FeatureResult } from "../change/feature-run.ts";
import type { ChangeServices } from "../change/services.ts";
import { GivenUp } from "../dispatch/given-up.ts";
import type { RunAgents } from "../dispatch/run-agents.ts";
import { askPushback } from "./flow/ask-pushback.ts";
import { buildUntilVerified } from "./flow/build.ts";
import { writeBundle, writeLedgerFiles } from "./flow/bundle.ts";
import { commit } from "./flow/commit.ts";
import { designUntilReviewed } from "./flow/design.ts";
import { learn } from "./flow/learn.ts";
import { planUntilApproved } from "./flow/plan-work.ts";
import { reviewUntilApproved } from "./flow/repair.ts";
import { research } from "./flow/research.ts";
import { specify } from "./flow/specify.ts";
import { callOf, ForgeError, type ForgeInput, type ForgeRun } from "./forge-run.ts";
import { openProgress, type ForgeProgress } from "./progress.ts";
import { setupConcerns } from "./rules/setup-concerns.ts";
import { prepareRun, type PreparedRun } from "./setup.ts";
import { FORGE_STEPS } from "./steps.ts";

/** Pinned by every run that starts. Raise it whenever a step is renamed, added, removed or reordered. */
const FORGE_VERSION = "1";

/** Steps 0 to 9 in their fixed order. Every decision is a row of the table; a required agent that fails ends the run with its outputs kept. */
export const forgeChange = workflow<FeatureOfRun, FeatureResult, ChangeServices>(
  "forge-change",
  FORGE_VERSION,
  async (ctx, feature, services) => {
    let progress: ForgeProgress | null = null;
    try {
      const prepared = await prepareRun(ctx, feature, services);
      progress = openProgress(prepared.run);
      return await runSteps(progress, prepared);
    } catch (error) {
      const { feature_id } = feature;
      const nothing = { feature_id, status: "failed", landing: null } as const;
      const deleted = error instanceof SlipwayError && error.code === "feature_not_found";
      if (deleted || error instanceof GivenUp) return { ...nothing, words: [error.message] };
      if (!(error instanceof ForgeError) || progress === null) throw error;
      return endWithError(progress, error);
    }
  },
);

async function runSteps(progress: ForgeProgress, prepared: PreparedRun): Promise<FeatureResult> {
  if (!(await admit(progress, prepared))) return stopped(progress, "a person abandoned the request");
  if (!(await research(progress))) return stopped(progress, "a person stopped the run after the research");
  if (!(await specify(progress))) return stopped(progress, "a person abandoned the request");
  const constraints = await designUntilReviewed(progress);
  const plan = await planUntilApproved(progress, constraints);
  if (plan === null) return stopped(progress, "a person stopped the run after planning");
  const build = await buildUntilVerified(progress, plan);
  if (build === null || !(await reviewUntilApproved(progress, build))) return stopped(progress, "given up by a person");
  if (!(await learn(progress))) return stopped(progress, "given up by a person");
  await writeBundle(progress, build, "8b", null);
  return commit(progress, build);
}

/** The two setup rows: warnings about the checkout, and concerns about the request. False if a person abandoned it. */
async function admit(progress: ForgeProgress, { hygiene, request }: PreparedRun): Promise<boolean> {
  const { dirty, on_main, trivial, no_sqlite } = hygiene;
  const { ctx } = progress.run;
  if (no_sqlite !== null) {
    progress.lower("yaml-ledger");
    await ctx.step(
      FORGE_STEPS.note.named("yaml-ledger"),
      async () => `SQLite cannot be used (${no_sqlite}): evidence is kept in verification-ledger.yaml`,
    );
  }
  await progress.decide({ input: "setup", check: "git", dirty, on_main, trivial }, "the checkout");
  const concerns = await ctx.step("concerns", async () =>
    setupConcerns(request).map(({ severity, question }) => ({ severity, text: question })),
  );
  await progress.decide({ input: "setup", check: "pushback", concerns: concerns.map(({ severity }) => severity) }, "the request");
  const { choice } = await askPushback(progress, "0", concerns);
  return choice !== "abandon";
}

/** The whole run stops; what it has written stays. */
async function stopped({ run }: ForgeProgress, reason: string): Promise<FeatureResult> {
  await keepLedger(run, "stopped");
  await run.ctx.step("stopped", () => endFeature(run.change.services.kernel, callOf(run, "stopped"), run.id, reason));
  return {
    feature_id: run.id,
    status: "failed",
    landing: null,
    words: [`${reason}; its outputs are in .slipway/runs/${run.files.folder}`],
  };
}

async function endWithError({ run }: ForgeProgress, { message }: ForgeError): Promise<FeatureResult> {
  await keepLedger(run, "error");
  await run.ctx.step("error", () => endFeature(run.change.services.kernel, callOf(run, "error"), run.id, message));
  return {
    feature_id: run.id,
    status: "failed",
    landing: null,
    words: [message, `Everything is preserved in .slipway/runs/${run.files.folder}`],
  };
}

/** The rows of a run that ends early are files, too. */
async function keepLedger(run: ForgeRun, name: string): Promise<void> {
  await run.ctx.step(`ledger-files:${name}`, () => writeLedgerFiles(run, `ledger-files:${name}`));
}

export interface ForgeRequest extends ForgeInput {
  readonly feature_id: string;
  readonly spec_digest: string;
  readonly skip_base_gates?: boolean;
  readonly agents?: RunAgents;
}

/** `slipway forge "request"`: one change, which is all that the run does. */
export const forge = workflow<ForgeRequest, FeatureResult, ChangeServices>("forge", FORGE_VERSION, async (ctx, input, { kernel }) => {
  const { feature_id, spec_digest, mode, skip_base_gates } = input;
  const not_begun = await tryGatesOnBase(ctx, kernel, skip_base_gates);
  if (not_begun !== null) return { feature_id, status: "failed", landing: null, not_begun };
  return ctx.child(`feature:${feature_id}`, forgeChange, {
    feature_id,
    spec_source: "initial-request.md",
    spec_digest,
    run_id: ctx.runId,
    order: [feature_id],
    alone: true,
    inner: { protocol: "forge", input: { mode } satisfies ForgeInput },
  });
});
