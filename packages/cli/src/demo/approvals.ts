import { findFeature } from "@slipway/kernel/change/feature/store";
import { glance } from "@slipway/kernel/open-board";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import { giveApproval } from "../give-approval.ts";
import type { Io } from "@slipway/protocols/surface/io";
import { reviewText } from "../review.ts";
import type { Session } from "@slipway/runtime/session";

/** Signs whatever waits for a signature, as a person would who sits beside it. Says so each time. How many there were. */
export async function approveAll({ records, kernel }: Session, io: Io, say: (text: string) => void): Promise<number> {
  const open = (await records.inbox.listOpen()).filter(({ kind }) => kind === "approval");
  const wanted = new Set(
    (await glance(records.layout)).features.flatMap(({ waits_for }) => (waits_for?.for === "feature" ? waits_for.features : [])),
  );
  // Those that others wait for come first; what was asked first comes next.
  const inOrder = open.toSorted((left, right) => Number(wanted.has(featureOf(right))) - Number(wanted.has(featureOf(left))));
  const demo = { ...io, env: { ...io.env, SLIPWAY_USER: "the demo" } };
  for (const question of inOrder) {
    say(await reviewText(records, await findFeature(records.database.db, featureOf(question)), question, io));
    await giveApproval(records, question, demo, { policyHash: kernel.configuration.policyHash });
    say(`The demo approves tree ${String(question.context["tree"]).slice(0, 10)} of ${featureOf(question)} itself.\n`);
  }
  return open.length;
}

function featureOf({ context }: InboxQuestion): string {
  return String(context["feature_id"]);
}
