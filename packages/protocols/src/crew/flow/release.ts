import { META } from "../contract/names.ts";
import type { OutputOf } from "../contract/output.ts";
import { reactionTo } from "../rules/reactions.ts";
import { leavingProblems } from "../states/leaving.ts";
import { BLOCKERS } from "../session/status.ts";
import { takeReviewAnswers } from "./answers.ts";
import { stateFacts } from "./artifacts.ts";
import { criteriaNow, runBuild } from "./ci.ts";
import type { CrewSession } from "./crew-session.ts";
import { dispatchRole } from "./dispatch-role.ts";
import { finish, type FinishedSession } from "./finish.ts";
import { buildFindings, dispatchIntegrator } from "./integrate.ts";
import { orderFor } from "./orders.ts";
import { negative } from "./repair.ts";
import { Blocked } from "./stops.ts";

/** RELEASE: Docs, then Integrator, then the build once more on what they changed; the merge before DONE. */
export async function release(session: CrewSession): Promise<FinishedSession | null> {
  if (await takeReviewAnswers(session)) return null;
  const { progress } = session;
  if (!progress.releasedBy.includes("Docs")) {
    const issues = session.status()?.known_issues ?? [];
    const facts = [
      { title: "build and checks, as the harness ran them", text: progress.build?.text ?? "not run" },
      {
        title: "known issues, each of which the report lists",
        text: issues.length === 0 ? "none" : issues.map((issue) => `- ${issue}`).join("\n"),
      },
    ];
    const { output } = await dispatchRole(session, orderFor(session, "Docs", META, { facts }), "README and report");
    const reaction = reactionTo("Docs", output as OutputOf<"Docs">);
    if (reaction.kind === "blocked") throw new Blocked(reaction.blocker, `Docs: ${reaction.detail}`);
    progress.releasedBy.push("Docs");
    return null;
  }
  const built = progress.build ?? (await runBuild(session));
  if (!progress.releasedBy.includes("Integrator")) {
    await dispatchIntegrator(session, built);
    progress.releasedBy.push("Integrator");
    return null;
  }
  if (built.failedSteps.length > 0) {
    await negative(session, { loop: "FIX_BUILD", taskId: META, gate: null, findings: buildFindings(built) });
    return null;
  }
  try {
    const problems = leavingProblems("RELEASE", await stateFacts(session, await criteriaNow(session)));
    if (problems.length > 0) throw new Blocked(BLOCKERS.precondition, `RELEASE cannot be left: ${problems.join("; ")}.`);
    return await finish(session);
  } catch (error) {
    // A resumed session releases anew: what is missing is Docs' or Integrator's.
    if (error instanceof Blocked) progress.releasedBy = [];
    throw error;
  }
}
