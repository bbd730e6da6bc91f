import { designerTrigger, researcherTrigger } from "../prompts/role-triggers.ts";
import { author, takeAuthorAnswers } from "./authors.ts";
import { leave } from "./artifacts.ts";
import type { CrewSession } from "./crew-session.ts";

export async function intake(session: CrewSession): Promise<void> {
  takeAuthorAnswers(session);
  const { progress } = session;
  if (!(await author(session, "SpecAgent", "the request becomes a specification"))) return;
  if (session.mode() === "lean") return leave(session, "IMPLEMENT_LOOP", { why: "specification and task are there" });
  const { reason } = researcherTrigger(progress.notes.get("SpecAgent") ?? []);
  await leave(session, "DESIGN", { why: `specification and criteria are there; research: ${reason}` });
}

/** Research if it was asked for, then the architecture, then a design-spec if users will see it. */
export async function design(session: CrewSession): Promise<void> {
  takeAuthorAnswers(session);
  const { progress } = session;
  const spec = progress.notes.get("SpecAgent") ?? [];
  const research = researcherTrigger(spec);
  if (research.runs) {
    const wanted = { researchQuestion: research.reason };
    if (!(await author(session, "Researcher", `research: ${research.reason}`, wanted))) return;
  }
  const why = research.runs ? "research is there" : `no research: ${research.reason}`;
  if (!(await author(session, "Architect", `the architecture; ${why}`))) return;
  const ui = designerTrigger([...spec, ...(progress.notes.get("Architect") ?? [])]);
  if (ui.runs && !(await author(session, "Designer", `design: ${ui.reason}`))) return;
  await leave(session, "APPROVE_DESIGN", { why: `the design is complete; Designer ${ui.runs ? "ran" : "did not run"}: ${ui.reason}` });
}

export async function plan(session: CrewSession): Promise<void> {
  takeAuthorAnswers(session);
  if (!(await author(session, "Planner", "the approved design becomes tasks"))) return;
  await leave(session, "REVIEW_STRATEGY", { why: "every task can be checked" });
}
