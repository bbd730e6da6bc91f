import { land, type CommitWords } from "../../change/land.ts";
import { endFeature } from "../../change/end-feature.ts";
import type { FeatureResult } from "../../change/feature-run.ts";
import { mustPerform } from "../../change/perform.ts";
import { passGates } from "../../change/pass-gates.ts";
import { sendBack } from "../../change/decline.ts";
import { callOf } from "../forge-run.ts";
import type { ForgeProgress } from "../progress.ts";
import { writeBundle } from "./bundle.ts";
import type { Build } from "./build.ts";
import { fixAll } from "./repair.ts";
import { review } from "./review.ts";

const MAX_REVIEWS = 10;

/**
 * Step 9. With High or Medium confidence the change goes through the gates and a person's approval into the base, with the seed's subject
 * and trailer; with Low it stays staged in its worktree.
 */
export async function commit(progress: ForgeProgress, build: Build): Promise<FeatureResult> {
  const { run } = progress;
  const action = await progress.decide({ input: "confidence", confidence: progress.confidence() }, `confidence ${progress.confidence()}`);
  if (action.type !== "commit") return leaveStaged(progress);
  for (let round = 1; round <= MAX_REVIEWS; round++) {
    const ready = await passGates(run.change, `commit-${round}`);
    if (ready.ok && ready.value === null) return failed(progress, "given up by a person");
    const outcome = ready.ok
      ? await land(run.change, round, { ...wordsOfCommit(run.id), proven: () => run.ledger.assertRecorded(run.ref.run_id) })
      : await gatesFailed(progress, round, "failure" in ready ? ready.failure.message : ready.reply);
    if (outcome.status === "merged") {
      const { commit: sha } = outcome.landing;
      await writeBundle(progress, build, `merged-${round}`, outcome.landing);
      return { feature_id: run.id, status: "merged", landing: outcome.landing, words: [...wordsOf(progress), `commit: ${sha}`] };
    }
    if (outcome.status === "rejected") return failed(progress, "a person rejected the change");
    if (!(await answerComment(progress, build, round, outcome.comment))) return failed(progress, "given up by a person");
  }
  return failed(progress, `sent back ${MAX_REVIEWS} times`);
}

/** One commit on the base, where the policy allows it: `git revert` takes back a range only without merge commits. */
function wordsOfCommit(id: string): CommitWords {
  return { subject: `feat(${id}): pipeline complete`, trailers: ["Co-authored-by: pipeline"], strategies: ["squash", "rebase"] };
}

/** The gates had passed before the review; what changed since then has to pass them, too. */
async function gatesFailed(
  { run }: ForgeProgress,
  round: number,
  message: string,
): Promise<{ readonly status: "changes"; readonly comment: string }> {
  await sendBack(run.change, `gates-${round}`, `the gates fail: ${message}`);
  return { status: "changes", comment: message };
}

/** A person's comment, or a gate on a moved base: fixed and verified. While rounds are left, the reviewers see it, too. */
async function answerComment(progress: ForgeProgress, build: Build, round: number, comment: string): Promise<boolean> {
  if (!(await fixAll(progress, build, `sent-back-${round}`, comment))) return false;
  const { code_round } = progress.state().counters;
  if (code_round < 2) {
    progress.go({ type: "fix" });
    progress.go({ type: "go", step: "7" });
    await review(progress, { scope: "code", round: code_round + 1, risk: progress.state().overall_risk ?? "🟡" });
  } else {
    const text = `Changed after the last review round, on this request: ${comment.split("\n")[0] ?? ""}`;
    progress.addIssues([{ severity: "Minor", text, from: "approval" }]);
  }
  await writeBundle(progress, build, `sent-back-${round}`, null);
  return true;
}

/** The worktree keeps the staged change for a person; its locks are released. */
async function leaveStaged(progress: ForgeProgress): Promise<FeatureResult> {
  const { run } = progress;
  const { features } = run.change.services.kernel;
  await mustPerform(run.change, "stage:low", (call) => features.stage(call, { feature_id: run.id }), { asksAlways: true });
  const reason = "confidence Low: not committed; the changes are staged in the worktree for your review";
  await run.ctx.step("left-staged", () => endFeature(run.change.services.kernel, callOf(run, "left-staged"), run.id, reason));
  const { worktree_path } = await run.ctx.step("worktree", async () => (await features.getState(run.id)).state);
  return {
    feature_id: run.id,
    status: "failed",
    landing: null,
    words: [
      ...wordsOf(progress),
      "The change is not committed, because the confidence is Low.",
      `It is staged in ${worktree_path}: git -C ${worktree_path} diff --staged`,
    ],
  };
}

async function failed(progress: ForgeProgress, reason: string): Promise<FeatureResult> {
  const { run } = progress;
  await run.ctx.step("failed", () => endFeature(run.change.services.kernel, callOf(run, "failed"), run.id, reason));
  return { feature_id: run.id, status: "failed", landing: null, words: [...wordsOf(progress), reason] };
}

function wordsOf(progress: ForgeProgress): string[] {
  const { files } = progress.run;
  const issues = progress.issues().map(({ severity, text }) => `known issue (${severity}): ${text}`);
  return [`confidence: ${progress.confidence()}`, `evidence: .slipway/runs/${files.folder}/evidence-bundle.md`, ...issues];
}
