import { land } from "../../change/land.ts";
import { sendBack } from "../../change/decline.ts";
import { passGates } from "../../change/pass-gates.ts";
import type { FeatureResult } from "../../change/feature-run.ts";
import { GivenUp } from "../../dispatch/given-up.ts";
import { META } from "../contract/names.ts";
import { finalText } from "../rules/final-text.ts";
import { leavingProblems } from "../states/leaving.ts";
import { BLOCKERS } from "../session/status.ts";
import { assertDone, stateFacts } from "./artifacts.ts";
import { criteriaNow, sessionCommands } from "./ci.ts";
import type { CrewSession } from "./crew-session.ts";
import { negative } from "./repair.ts";
import { Blocked, Rejected } from "./stops.ts";

export type FinishedSession = FeatureResult;

/** The merge, and then DONE: what is done is on the base. A person's wish or a red gate on a moved base goes to FIX_BUILD. */
export async function finish(session: CrewSession): Promise<FinishedSession | null> {
  const { run, progress } = session;
  const criteria = await criteriaNow(session);
  const open = session.state() === "INTEGRATE" ? leavingProblems("INTEGRATE", await stateFacts(session, criteria)) : [];
  if (open.length > 0) throw new Blocked(BLOCKERS.precondition, `${session.state()} cannot be left: ${open.join("; ")}.`);
  await assertDone(session, criteria);
  const round = ++progress.landings;
  const ready = await passGates(run.change, `land-${round}`);
  if (ready.ok && ready.value === null) throw new GivenUp(run.id);
  const outcome = ready.ok
    ? await land(run.change, round)
    : await gatesFailed(session, round, "failure" in ready ? ready.failure.message : ready.reply);
  if (outcome.status === "changes") {
    progress.build = null;
    await negative(session, { loop: "FIX_BUILD", taskId: META, gate: null, findings: [outcome.comment], isRequest: true });
    return null;
  }
  if (outcome.status === "rejected") throw new Rejected("a person rejected the change");
  await session.move("DONE", { why: `merged into ${outcome.landing.base_branch}`, next: "DONE" });
  return { feature_id: run.id, status: "merged", landing: outcome.landing, words: await finalWords(session, null) };
}

async function gatesFailed(
  { run }: CrewSession,
  round: number,
  message: string,
): Promise<{ readonly status: "changes"; readonly comment: string }> {
  await sendBack(run.change, `gates-${round}`, `the gates fail: ${message}`);
  return { status: "changes", comment: message };
}

/** The one text for the user, at DONE or BLOCKED. */
export async function finalWords(
  session: CrewSession,
  workaround: string | null,
  unsaved: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const { run } = session;
  const status = session.status();
  if (status === null) return [];
  const artifacts = await run.ctx.step(`final:${++session.progress.steps}`, () => run.files.paths());
  const commands = workaround === null ? await sessionCommands(session) : [`slipway resume ${run.ctx.runId.split("/")[0]}`];
  const text = finalText({ status: { ...status, session: run.folder }, artifacts, commands, workaround, unsaved });
  return text.trimEnd().split("\n");
}
