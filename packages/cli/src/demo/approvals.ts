import { recordedFeatures } from "@slipway/kernel/change/feature/recorded-features";
import { readBoard } from "@slipway/kernel/open-board";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import { giveApproval } from "../give-approval.ts";
import type { Io } from "@slipway/protocols/surface/io";
import { reviewText } from "../review.ts";
import type { Session } from "@slipway/runtime/session";

/** Signs every open approval in the demo's name, and prints it. Returns how many. */
export async function approveAll(
  { records, kernel }: Pick<Session, "records" | "kernel">,
  io: Io,
  say: (text: string) => void,
): Promise<number> {
  const open = (await records.inbox.listOpen()).filter(({ kind }) => kind === "approval");
  const wanted = new Set(
    (await readBoard(records.layout)).features.flatMap(({ waits_for }) => (waits_for?.for === "feature" ? waits_for.features : [])),
  );
  // First those that other features wait for, then by age.
  const inOrder = open.toSorted((left, right) => Number(wanted.has(featureOf(right))) - Number(wanted.has(featureOf(left))));
  for (const question of inOrder) {
    say(await reviewText(records, await recordedFeatures(records).find(featureOf(question)), question, io));
    await giveApproval(records, question, asDemo(io), { policyHash: kernel.configuration.policyHash });
    say(`The demo approves tree ${String(question.context["tree"]).slice(0, 10)} of ${featureOf(question)} itself.\n`);
  }
  return open.length;
}

/** The name under the demo's answers and approvals. */
export function asDemo(io: Io): Io {
  return { ...io, env: { ...io.env, SLIPWAY_USER: "the demo" } };
}

function featureOf({ context }: InboxQuestion): string {
  return String(context["feature_id"]);
}
