import type { Candidate } from "@slipway/kernel/change/land/candidate";
import { z } from "zod";
import { findingsText } from "./findings-text.ts";
import { orchestratorSession, type ChangeRun } from "./change-run.ts";

const approvalAnswer = z.discriminatedUnion("decision", [
  z.strictObject({ decision: z.literal("approve"), token: z.string().min(1) }),
  z.strictObject({ decision: z.literal("changes"), comment: z.string().min(1) }),
  z.strictObject({ decision: z.literal("reject"), comment: z.string().min(1) }),
  z.strictObject({ decision: z.literal("again"), comment: z.string().min(1).optional() }),
]);

/** Delays of the reminders about an unanswered approval. */
const REMIND_AFTER_MS = [60 * 60 * 1000, 24 * 60 * 60 * 1000];

/** What the person sees before deciding. */
interface Review {
  readonly diff: { readonly stat: string; readonly files: readonly unknown[]; readonly diff_path: string | null };
  readonly summary: { readonly status: string; readonly gates: unknown; readonly plan_summary: string; readonly cost_usd: number };
  readonly evidence: readonly { readonly what: string; readonly path: string }[];
}

/** Asks a person to approve the candidate, with the review in the question. `why` says why an earlier answer did not suffice. */
export async function askApproval(
  change: ChangeRun,
  name: string,
  candidate: Candidate,
  why: string | null,
): Promise<z.infer<typeof approvalAnswer>> {
  const review = await change.ctx.step(`review:${name}`, () => reviewOf(change));
  return change.ctx.ask(`approve:${name}`, {
    kind: "approval",
    title: `Merge ${candidate.feature_id} into ${candidate.base_branch}?`,
    body: [
      ...(why === null ? [] : [why]),
      review.summary.plan_summary,
      candidate.summary,
      ...messageLines(candidate),
      ...findingsText(candidate).split("\n").filter(Boolean),
      ...review.evidence.map(({ what, path }) => `${what}: ${path}`),
    ].join("\n"),
    options: [
      { value: "approve", label: "merge exactly this change, signed with your key" },
      { value: "changes", label: "send it back with a comment" },
      { value: "reject", label: "end this feature; its work stays reachable" },
      { value: "again", label: "check the base and the policy again, then ask again" },
    ],
    schema: approvalAnswer,
    context: { ...candidate, asked_again: why, review, asked_by: orchestratorSession(change) },
    answerableBy: ["person"],
    remindAfterMs: REMIND_AFTER_MS,
  });
}

/** A candidate that an earlier version recorded has no message; `slipway approve` then asks again. */
function messageLines({ message, strategy, valid_hours }: Partial<Candidate>): string[] {
  if (message === undefined) return [];
  return [
    `It will land by ${strategy}, with this commit message and Slipway's own trailers:`,
    ...message.split("\n").map((line) => `    ${line}`.trimEnd()),
    `An approval is valid for ${valid_hours} hours.`,
  ];
}

async function reviewOf({ services, id }: ChangeRun): Promise<Review> {
  const { features } = services.kernel;
  const { stat, files, diff_path } = await features.repoDiffBundle(id);
  const { state, evidence, cost_usd } = await features.featureSummary(id);
  const { summary: plan_summary } = await features.plan(id);
  return {
    diff: { stat, files, diff_path },
    summary: { status: state.status, gates: state.gates, plan_summary, cost_usd },
    evidence: evidence.links,
  };
}
