import { META } from "../contract/names.ts";
import type { OutputOf } from "../contract/output.ts";
import { reactionTo } from "../rules/reactions.ts";
import { leave } from "./artifacts.ts";
import { takeReviewAnswers } from "./answers.ts";
import { runBuild, type BuildRun } from "./ci.ts";
import type { CrewSession } from "./crew-session.ts";
import { dispatchRole } from "./dispatch-role.ts";
import { orderFor } from "./orders.ts";
import { negative } from "./repair.ts";
import { writeLeanReport } from "./lean-report.ts";
import { finish, type FinishedSession } from "./finish.ts";
import { Blocked } from "./stops.ts";

/** INTEGRATE: the harness builds and checks, Integrator repairs what only the build needs. A lean session ends here. */
export async function integrate(session: CrewSession): Promise<FinishedSession | null> {
  if (await takeReviewAnswers(session)) return null;
  const { progress } = session;
  let built = progress.build ?? (await runBuild(session));
  if (session.mode() === "full" && !progress.integrated) {
    await dispatchIntegrator(session, built);
    progress.integrated = true;
    built = progress.build ?? (await runBuild(session));
  }
  if (built.failedSteps.length > 0) {
    await negative(session, { loop: "FIX_BUILD", taskId: META, gate: null, findings: buildFindings(built) });
    return null;
  }
  if (session.mode() === "full") {
    progress.releasedBy = [];
    await leave(session, "RELEASE", { why: "build and checks passed" });
    return null;
  }
  await writeLeanReport(session);
  return finish(session);
}

export function buildFindings({ failedSteps, gateFailure }: BuildRun): string[] {
  return [`build or checks failed: ${failedSteps.join(", ")}`, ...(gateFailure === null ? [] : [`gates: ${gateFailure}`])];
}

/** Its change of files makes the build run again. */
export async function dispatchIntegrator(session: CrewSession, built: BuildRun): Promise<void> {
  const { progress } = session;
  const order = orderFor(session, "Integrator", META, {
    failedSteps: built.failedSteps,
    facts: [{ title: "build and checks, as the harness ran them", text: built.text }],
  });
  const { output } = await dispatchRole(session, order, "build and CI");
  progress.recommended = output.next.recommended_agent;
  const reaction = reactionTo("Integrator", output as OutputOf<"Integrator">);
  // What it leaves to Coder is a red build, and goes to FIX_BUILD.
  const goesToCoder = output.status === "BLOCKED" && progress.recommended === "Coder" && built.failedSteps.length > 0;
  if (reaction.kind === "blocked" && !goesToCoder) throw new Blocked(reaction.blocker, `Integrator: ${reaction.detail}`);
}
