import { SlipwayError } from "../errors.ts";
import {
  assertPhase,
  earliestPhase,
  RETRY_PHASES,
  retryText,
  type RetryFacts,
  type RetryPhase,
} from "@slipway/kernel/change/work/retry-rules";
import type { Feature } from "@slipway/kernel/change/feature/store";
import { agentChoice } from "../agent-choice.ts";
import { assertAgents } from "@slipway/runtime/agents";
import type { Arguments, RunCommand } from "@slipway/protocols/surface/command";
import { driveRun } from "../drive-run.ts";
import { EXIT } from "@slipway/protocols/surface/exit-codes";
import { withKernel } from "@slipway/runtime/kernel-at";
import { paint } from "@slipway/protocols/surface/paint";
import { oneLine } from "@slipway/protocols/narration/one-line";
import { featuresNamed, retryableFeatures, whyNotRetried } from "../retry-candidates.ts";
import type { Session } from "@slipway/runtime/session";
import { startRetry } from "@slipway/protocols/features/prepare";
import { reasonFrom } from "@slipway/protocols/surface/unsandboxed";
import { withSession } from "../with-session.ts";
import { jsonLine } from "@slipway/protocols/surface/escape";

/** Retries failed features. Without a name, lists them with the phase they would start from. */
export const run: RunCommand = (args, io) => (args.positionals.length === 0 ? list(args, io) : retry(args, io));

const list: RunCommand = (args, io) =>
  withKernel(io, async ({ features, records }) => {
    const { dim } = paint(io.color);
    const candidates = await retryableFeatures(records);
    const rows = await Promise.all(candidates.map(async (feature) => ({ feature, ...withPhase(await features.retryFacts(feature.id)) })));
    if (args.flag("json")) {
      const listed = rows.map(({ feature: { id, status, status_reason }, from, facts }) => ({
        id,
        status,
        reason: status_reason,
        from,
        ...facts,
      }));
      io.out(jsonLine({ ok: true, features: listed }));
      return EXIT.done;
    }
    if (rows.length === 0) io.out("No feature has ended without a merge; there is nothing to retry.\n");
    for (const { feature, from, facts } of rows) {
      io.out(`${feature.id}: ${retryText(facts, from)}\n`);
      if (feature.status_reason !== "") io.out(`  ${dim(`ended: ${oneLine(feature.status_reason)}`)}\n`);
      io.out(`  next: slipway retry ${feature.id}\n`);
    }
    return EXIT.done;
  });

function withPhase(facts: RetryFacts): { readonly facts: RetryFacts; readonly from: RetryPhase } {
  return { facts, from: earliestPhase(facts) };
}

const retry: RunCommand = async (args, io) => {
  const wanted = phaseOf(args);
  const agents = agentChoice(args);
  const json = args.flag("json");
  return withSession({ io, json, agents, unsandboxedReason: reasonFrom(args) }, async (session, progress) => {
    const chosen = await candidates(session, args, wanted);
    await assertAgents({ kernel: session.kernel, io, choice: agents, protocol: "features" });
    for (const { feature, facts, from } of chosen) (json ? io.err : io.out)(`${feature.id}: ${retryText(facts, from)}\n`);
    const comment = args.text("comment") ?? null;
    const runId = await startRetry(
      session,
      chosen.map(({ feature, from }) => ({ feature, retry: { from, comment } })),
      { skipBaseGates: args.flag("skip-base-gates") },
    );
    if (!json) io.out(`run ${runId}\n`);
    return await driveRun({ session, runId, io, json, progress });
  });
};

/** Reports every mistake before anything is written. */
async function candidates({ records, kernel }: Session, args: Arguments, wanted: RetryPhase | undefined) {
  const chosen: { feature: Feature; facts: RetryFacts; from: RetryPhase }[] = [];
  for (const feature of await featuresNamed(records, args.positionals)) {
    const refusal = await whyNotRetried(records, feature);
    if (refusal !== null) throw refusal;
    const { facts, from: earliest } = withPhase(await kernel.features.retryFacts(feature.id));
    const from = wanted ?? earliest;
    assertPhase(feature.id, from, facts);
    if (args.text("comment") !== undefined && from !== "plan" && from !== "build") throw unusedComment(feature.id, from);
    chosen.push({ feature, facts, from });
  }
  return chosen;
}

function phaseOf(args: Arguments): RetryPhase | undefined {
  const text = args.text("from");
  const phase = RETRY_PHASES.find((name) => name === text);
  if (text === undefined || phase !== undefined) return phase;
  throw new SlipwayError("invalid_cli_args", `--from takes ${RETRY_PHASES.join(", ")}, not '${text}'.`, {
    suggested_next_actions: ["Leave --from out: it continues at the earliest phase whose result does not hold."],
  });
}

function unusedComment(id: string, from: RetryPhase): SlipwayError {
  return new SlipwayError("invalid_cli_args", `--comment is for the planner or the builder, and "${id}" continues from ${from}.`, {
    suggested_next_actions: [`slipway retry ${id} --from build --comment TEXT`],
  });
}
