import type { Candidate } from "@slipway/kernel/change/land/candidate";
import type { Landing } from "@slipway/kernel/change/land/merge";
import { z } from "zod";
import { certain } from "./attempt.ts";
import type { Site } from "./site.ts";

export type Landed =
  | { readonly status: "merged"; readonly landing: Landing }
  | { readonly status: "changes"; readonly comment: string }
  | { readonly status: "rejected" };

/** Two changes of the same lines: only a person knows which of the two was meant. The work so far stays anchored either way. */
export async function conflicting(site: Site, name: string, candidate: Candidate): Promise<Landed | "retry"> {
  const files = candidate.conflicts.join(", ");
  const answer = await site.ctx.ask(`conflict:${name}`, {
    kind: "conflict",
    title: `${site.id} conflicts with ${candidate.base_branch}`,
    body: `Both changed: ${files}`,
    options: [
      { value: "rebuild", label: "build the change again on the new base, with your comment as guidance" },
      { value: "retry", label: "you have put the base right: look once more" },
      { value: "give_up", label: "end this feature; its work stays reachable" },
    ],
    schema: z.strictObject({ decision: z.enum(["rebuild", "retry", "give_up"]), comment: z.string().optional() }),
    context: { feature_id: site.id, files: candidate.conflicts },
  });
  if (answer.decision === "retry") return "retry";
  if (answer.decision === "give_up") return declined(site, name, { decision: "reject", comment: answer.comment ?? `conflict in ${files}` });
  const { diff } = await certain(site, `restart:${name}`, (call) => site.shop.kernel.features.restart(call, { feature_id: site.id }), {
    asksAlways: true,
  });
  await sendBack(site, name, `conflict with the base in ${files}`);
  return {
    status: "changes",
    comment: `The base moved and your change conflicted in ${files}. Build it again on the current files. ${answer.comment ?? ""}\nYour change was:\n${diff}`,
  };
}

export async function declined(
  site: Site,
  name: string,
  answer: { readonly decision: "changes" | "reject"; readonly comment: string },
): Promise<Landed> {
  if (answer.decision === "changes") {
    await sendBack(site, name, `changes requested: ${answer.comment}`);
    return { status: "changes", comment: answer.comment };
  }
  const reason = `rejected: ${answer.comment}`;
  await certain(site, `reject:${name}`, (call) =>
    site.shop.kernel.features.changeStatus(call, { feature_id: site.id, to: "failed", reason }),
  );
  return { status: "rejected" };
}

/** The matrix has no way back from ready_to_merge but through blocked. */
export async function sendBack(site: Site, name: string, reason: string): Promise<void> {
  const change = (step: string, to: "blocked" | "building", why: string) =>
    certain(site, step, (call) => site.shop.kernel.features.changeStatus(call, { feature_id: site.id, to, reason: why }));
  await change(`send-back:${name}`, "blocked", reason);
  await change(`reopen:${name}`, "building", `building again: ${reason}`);
}
