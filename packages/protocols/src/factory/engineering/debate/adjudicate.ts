import { digestOf } from "@slipway/durable/canonical";
import type { ModuleBrief } from "../brief.ts";
import { arbiterContext, type Round } from "../context.ts";
import { contribute, json, recordArtifact, play } from "../record.ts";
import type { TaskRun } from "../task-run.ts";
import type { Proposed } from "./propose.ts";
import { allowedDecisions, type DebateVerdict } from "./rules.ts";
import { adjudicationAnswerSchema, adjudicationSchema, type Adjudication } from "./schemas.ts";

export const ARBITER_INSTRUCTIONS = "Return your adjudication of this debate.";

export type AdjudicationOutcome =
  { readonly ok: true; readonly adjudication: Adjudication; readonly ref: string } | { readonly ok: false; readonly problem: string };

/** Asks the Arbiter, who sees both sides and the test results. The allowed decisions depend on the revisions left. */
export async function adjudicate(
  run: TaskRun,
  brief: ModuleBrief,
  number: number,
  proposed: Proposed,
  round: Round,
  rounds: readonly Round[],
  state: { readonly verdict: DebateVerdict; readonly retryCount: number },
): Promise<AdjudicationOutcome> {
  const { module_id } = brief.contract;
  const step = `${module_id}/adjudicate:${number}`;
  const played = await play(run, {
    step,
    role: "arbiter",
    subject: module_id,
    attempt: String(number),
    context: arbiterContext({ task: run.task, brief, round, rounds }),
    instructions: ARBITER_INSTRUCTIONS,
    schema: adjudicationAnswerSchema(allowedDecisions(state.verdict, state.retryCount)),
  });
  if (!played.reply.ok) {
    await contribute(run, step, played.by, played.contextPack, "ADJUDICATION", `refused:${digestOf(played.reply.failure.code)}`);
    return { ok: false, problem: played.reply.failure.message };
  }
  return { ok: true, ...(await keepAdjudication(run, step, played, proposed, played.reply.value)) };
}

/** Records the adjudication and the new status of the implementation. */
export async function keepAdjudication(
  run: TaskRun,
  step: string,
  by: Parameters<typeof recordArtifact>[2],
  { implementation }: Proposed,
  value: Omit<Adjudication, "adjudication_id" | "target_artifact_id">,
  contribution: "ADJUDICATION" | null = "ADJUDICATION",
): Promise<{ adjudication: Adjudication; ref: string }> {
  const draft = { target_artifact_id: implementation.id, ...value };
  const recorded = await recordArtifact(run, `${step}:kept`, by, {
    type: "ADJUDICATION",
    contribution,
    body: { "adjudication.json": json(draft) },
    inputs: [{ ref: implementation.ref, purpose: "what is decided" }],
  });
  await run.keep(`${step}:status`, (call) =>
    run.services.store.artifacts.change(call, {
      artifact_id: implementation.id,
      ground: { to: "ADJUDICATED", adjudication: recorded.ref },
    }),
  );
  return { adjudication: adjudicationSchema.parse({ adjudication_id: recorded.id, ...draft }), ref: recorded.ref };
}
