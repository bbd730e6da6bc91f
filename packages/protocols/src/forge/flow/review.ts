import { callOf, ForgeError, timeOf } from "../forge-run.ts";
import type { ForgeProgress } from "../progress.ts";
import { dispatchStep, type Result } from "../dispatch-step.ts";
import type { Dispatched } from "../dispatch/dispatch.ts";
import type { DispatchOf } from "../dispatch/dispatches.ts";
import { documentOfRole } from "../dispatch/run-documents.ts";
import { reviewerModel } from "../dispatch/reviewer-model.ts";
import { typedReviewFile, verdictsFile } from "../files.ts";
import { reviewQuestions } from "../ledger/gates.ts";
import { reviewTaskId } from "../ledger/rows.ts";
import { DEGRADATIONS } from "../rules/confidence.ts";
import { decidedVerdict, dissentOf } from "../rules/verdicts.ts";
import { REVIEW_FOCUSES, type ReviewScope, type Risk } from "../schemas/enums.ts";
import type { ReviewPayload } from "../schemas/review.ts";
import { findingsFile, findingsMarkdown, reviewerSuffix, verdictEntryOf, verdictsDocument } from "../schemas/review-files.ts";
import { toYaml } from "../schemas/yaml.ts";
import { FORGE_STEPS } from "../steps.ts";

type Reviewer = DispatchOf<"adversarial-reviewer">;

export interface ReviewRound {
  readonly scope: ReviewScope;
  readonly round: number;
  readonly risk: Risk;
}

export interface Reviewed {
  readonly action: Awaited<ReturnType<typeof dispatchStep<Reviewer>>>["action"];
  readonly reviews: readonly ReviewPayload[];
}

/** Step 3b or 7: three reviewers side by side, their rows, the gates as SQL, and the decision of the table. */
export async function review(progress: ForgeProgress, { scope, round, risk }: ReviewRound): Promise<Reviewed> {
  const { run } = progress;
  const { ctx, ref } = run;
  const step = scope === "design" ? "3b" : "7";
  const fallback = progress.facts().includes("one-model");
  const dispatches = REVIEW_FOCUSES.map((focus): Reviewer => {
    const notes = fallback ? [DEGRADATIONS["one-model"]] : [];
    return {
      role: "adversarial-reviewer",
      step,
      instance: reviewerInstance(scope, focus, round),
      scope,
      focus,
      round,
      risk_level: risk,
      fallback,
      notes,
    };
  });
  const task_id = reviewTaskId(run.id, scope);
  const end = await dispatchStep<Reviewer>(progress, {
    step,
    dispatches,
    input: async (agents, results) => {
      await recordVerdicts(progress, { scope, round, risk }, results);
      const name = FORGE_STEPS.gates.named(`${scope}-review-r${round}-${attemptOf(results)}`);
      const { gates } = await ctx.step(name, async () => ({
        of: `${scope} review, round ${round}`,
        gates: await run.ledger.gates(reviewQuestions(scope, { run_id: ref.run_id, task_id, round })),
      }));
      const count = (part: string) => gates.find(({ gate }) => gate.includes(part))?.count ?? 0;
      const counts = { submitted: count("completion"), approvals: count("approved"), blockers: count("no-blocker") };
      return scope === "design" ? { input: "design review", agents, ...counts } : { input: "code review", agents, ...counts };
    },
    words: `${scope} review, round ${round}`,
  }).catch(async (error: unknown) => {
    if (error instanceof ForgeError) await writeVerdicts(progress, { scope, round, risk });
    throw error;
  });
  const reviews = await writeVerdicts(progress, { scope, round, risk });
  progress.noteReview({ scope, round, reviews });
  if (end.action.type === "go") noteDissent(progress, scope, reviews);
  return { action: end.action, reviews };
}

function attemptOf(results: readonly Result[]): number {
  return Math.max(...results.map(({ attempts }) => attempts));
}

/** The harness inserts the rows, from validated answers. A security blocker decides the verdict whatever the reviewer wrote. */
async function recordVerdicts(progress: ForgeProgress, { scope, round }: ReviewRound, results: readonly Result<Reviewer>[]): Promise<void> {
  const { run } = progress;
  const answered = results.filter(({ dispatched }) => dispatched.ok);
  const models = answered.map(({ dispatch, dispatched }) => reviewerModel(modelIn(dispatched), dispatch.focus));
  const oneModel = answered.length === results.length && new Set(models).size < models.length;
  if (oneModel && !progress.facts().includes("one-model")) {
    progress.lower("one-model");
    await run.ctx.step(FORGE_STEPS.note.named(`one-model-${scope}-${round}`), async () => DEGRADATIONS["one-model"]);
  }
  // Those that answered in an earlier attempt have their rows.
  for (const { dispatch, dispatched, attempts } of answered.filter((one) => one.attempts === attemptOf(results))) {
    const step = `verdict:${dispatch.instance}.${attempts}`;
    await run.ctx.step(step, async () => {
      const payload = await reviewOf(progress, dispatch);
      if (payload === null) return null;
      const model = reviewerModel(modelIn(dispatched), dispatch.focus);
      const { verdict, findings_count, summary } = payload;
      const { id } = await run.ledger.recordVerdict(callOf(run, step), {
        run_id: run.ref.run_id,
        feature_slug: run.id,
        scope,
        reviewer: reviewerSuffix(model, dispatch.focus, true),
        model,
        round,
        verdict: decidedVerdict(payload) ?? verdict,
        findings_count,
        summary,
      });
      return id;
    });
  }
}

function modelIn(dispatched: Dispatched): string | null {
  return dispatched.ok ? dispatched.model : null;
}

/** The harness's own copy of a reviewer's answer in this round; null if it has given none. */
async function reviewOf(
  { run }: ForgeProgress,
  { scope, focus, round }: Pick<Reviewer, "scope" | "focus" | "round">,
): Promise<ReviewPayload | null> {
  const document = await documentOfRole(run, "adversarial-reviewer", typedReviewFile(scope, focus));
  return document?.agent_output.instance === reviewerInstance(scope, focus, round) ? document.agent_output.payload : null;
}

function reviewerInstance(scope: ReviewScope, focus: string, round: number): string {
  return `${scope}-${focus}-r${round}`;
}

/** The entries of the current round, merged by the harness so that parallel reviewers cannot overwrite each other. */
async function writeVerdicts(progress: ForgeProgress, { scope, round, risk }: ReviewRound): Promise<readonly ReviewPayload[]> {
  const { run } = progress;
  const step = `verdicts:${scope}:${round}`;
  const now = await timeOf(run, step);
  return run.ctx.step(step, async () => {
    const found = await Promise.all(REVIEW_FOCUSES.map((focus) => reviewOf(progress, { scope, focus, round })));
    const payloads = found.filter((payload) => payload !== null).map((payload) => ({ ...payload, verdict: decidedVerdict(payload) }));
    const path = verdictsFile(scope);
    const facts = {
      instance: `round-${round}`,
      step: scope === "design" ? "3b" : "7",
      started_at: now,
      completed_at: now,
      output_paths: [path],
    };
    if (payloads.length > 0) {
      const document = verdictsDocument(scope, round, payloads.map(verdictEntryOf), risk, facts);
      await run.files.write(callOf(run, step), { ...findingsTexts(scope, payloads), [path]: toYaml(document) });
    }
    return payloads;
  });
}

/** One file for each reviewer. If two have the same model, the focus keeps all names apart. */
function findingsTexts(scope: ReviewScope, payloads: readonly ReviewPayload[]): Record<string, string> {
  const isFallback = new Set(payloads.map(({ reviewer_model }) => reviewer_model)).size < payloads.length;
  return Object.fromEntries(
    payloads.map((payload) => [
      findingsFile(scope, reviewerSuffix(payload.reviewer_model, payload.review_focus, isFallback)),
      findingsMarkdown(payload),
    ]),
  );
}

/** A dissenting minority does not stop the run; its findings stay open. */
function noteDissent(progress: ForgeProgress, scope: ReviewScope, reviews: readonly ReviewPayload[]): void {
  const issues = dissentOf(reviews.map((one) => ({ ...one, reviewer: `${scope} review, ${one.reviewer_model} (${one.review_focus})` })));
  progress.addIssues(issues.map(({ severity, title, source }) => ({ severity, text: title, from: source })));
}
