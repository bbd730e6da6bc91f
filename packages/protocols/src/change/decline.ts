import type { Candidate } from "@slipway/kernel/change/land/candidate";
import type { Landing } from "@slipway/kernel/change/land/merge";
import { z } from "zod";
import { mustPerform } from "./perform.ts";
import type { ChangeRun } from "./change-run.ts";

export type LandingResult =
  | { readonly status: "merged"; readonly landing: Landing }
  | { readonly status: "changes"; readonly comment: string }
  | { readonly status: "rejected" };

/** The base and the feature changed the same lines: a person decides. The feature's work stays anchored in any case. */
export async function askAboutConflict(change: ChangeRun, name: string, candidate: Candidate): Promise<LandingResult | "retry"> {
  const files = candidate.conflicts.join(", ");
  const answer = await change.ctx.ask(`conflict:${name}`, {
    kind: "conflict",
    title: `${change.id} conflicts with ${candidate.base_branch}`,
    body: `Both changed: ${files}`,
    options: [
      { value: "rebuild", label: "build the change again on the new base, with your comment as guidance" },
      { value: "retry", label: "check again (you have fixed the base)" },
      { value: "give_up", label: "end this feature; its work stays reachable" },
    ],
    schema: z.strictObject({ decision: z.enum(["rebuild", "retry", "give_up"]), comment: z.string().optional() }),
    context: { feature_id: change.id, files: candidate.conflicts },
  });
  if (answer.decision === "retry") return "retry";
  if (answer.decision === "give_up")
    return decline(change, name, { decision: "reject", comment: answer.comment ?? `conflict in ${files}` });
  const { diff } = await mustPerform(
    change,
    `restart:${name}`,
    (call) => change.services.kernel.features.restart(call, { feature_id: change.id }),
    {
      asksAlways: true,
    },
  );
  await sendBack(change, name, `conflict with the base in ${files}`);
  return {
    status: "changes",
    comment: `The base moved and your change conflicted in ${files}. Build it again on the current files. ${answer.comment ?? ""}\nYour change was:\n${diff}`,
  };
}

export async function decline(
  change: ChangeRun,
  name: string,
  answer: { readonly decision: "changes" | "reject"; readonly comment: string },
): Promise<LandingResult> {
  if (answer.decision === "changes") {
    await sendBack(change, name, `changes requested: ${answer.comment}`);
    return { status: "changes", comment: answer.comment };
  }
  const reason = `rejected: ${answer.comment}`;
  await mustPerform(change, `reject:${name}`, (call) =>
    change.services.kernel.features.changeStatus(call, { feature_id: change.id, to: "failed", reason }),
  );
  return { status: "rejected" };
}

/** The only transition out of ready_to_merge leads to blocked, so the feature passes through it. */
export async function sendBack(change: ChangeRun, name: string, reason: string): Promise<void> {
  const setStatus = (step: string, to: "blocked" | "building", why: string) =>
    mustPerform(change, step, (call) => change.services.kernel.features.changeStatus(call, { feature_id: change.id, to, reason: why }));
  await setStatus(`send-back:${name}`, "blocked", reason);
  await setStatus(`reopen:${name}`, "building", `building again: ${reason}`);
}
