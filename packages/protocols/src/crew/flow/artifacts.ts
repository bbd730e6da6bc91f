import { valueOf } from "../contract/problems.ts";
import { readmeProblems } from "../session/documents.ts";
import { parseAcceptance, type Criterion } from "../session/acceptance.ts";
import { artifactProblems } from "../session/artifact-checks.ts";
import { reportProblems } from "../session/report.ts";
import { leavingProblems, doneProblems, type CriterionResult, type SessionFacts } from "../states/leaving.ts";
import type { CrewState } from "../states/states.ts";
import { missingRoles } from "../rules/review-gates.ts";
import { signalled } from "../prompts/signals.ts";
import { researcherTrigger, designerTrigger } from "../prompts/role-triggers.ts";
import { BLOCKERS } from "../session/status.ts";
import type { CrewSession, SessionChange } from "./crew-session.ts";
import { nextName } from "./progress.ts";
import { Blocked } from "./stops.ts";

/** A recorded file of the session, read in a step. */
export function readFileOf({ run, progress }: CrewSession, name: string): Promise<string | null> {
  return run.ctx.step(nextName(progress, `read:${name}`), () => run.files.text(name));
}

export async function readCriteria(session: CrewSession): Promise<readonly Criterion[]> {
  return valueOf(parseAcceptance((await readFileOf(session, "acceptance.json")) ?? "")) ?? [];
}

/** What is wrong with each file that exists. */
async function artifactsNow(session: CrewSession): Promise<SessionFacts["artifacts"]> {
  const { run, progress } = session;
  const { files, change, id } = run;
  return run.ctx.step(nextName(progress, "artifacts"), async () => {
    const names = (await files.paths()).filter((name) => name !== "status.json");
    const texts = await Promise.all(names.map(async (name) => [name, (await files.text(name)) ?? ""] as const));
    const issues = session.status()?.known_issues ?? [];
    const readme = await change.services.kernel.features.readAt(id, "now", "README.md");
    const found = texts.map(
      ([name, text]) => [name, name === "report.md" ? reportProblems(text, issues) : artifactProblems(name, text, session.mode())] as const,
    );
    return {
      ...Object.fromEntries(found),
      ...(session.status() === null ? {} : { "status.json": [] }),
      ...(readme === null ? {} : { "README.md": readmeProblems(readme) }),
    };
  });
}

/** The recorded facts by which a state is left. */
export async function stateFacts(session: CrewSession, criteria: readonly CriterionResult[] = []): Promise<SessionFacts> {
  const { progress } = session;
  const artifacts = await artifactsNow(session);
  const names = Object.keys(artifacts);
  const architect = progress.notes.get("Architect") ?? [];
  const spec = progress.notes.get("SpecAgent") ?? [];
  const { dispatched, behaviourChanged, touchesSecurity, build } = progress;
  const inRelease = session.state() === "RELEASE";
  return {
    mode: session.mode(),
    decisions: session.decisions(),
    // Every write of a decision is compared with the file before the session goes on.
    verified: new Set(session.decisions().map(({ decision_id }) => decision_id)),
    artifacts,
    tasks: session.tasks(),
    risks: signalled(architect, "risk"),
    research: { requested: researcherTrigger(spec).runs, files: names.filter((name) => name.startsWith("research/")) },
    design: { involvesUi: designerTrigger([...spec, ...architect]).runs, files: names.filter((name) => name.startsWith("design-specs/")) },
    finalReview: "not_needed",
    missingRoles: missingRoles(session.mode(), { dispatched, behaviourChanged, touchesSecurity }).filter(
      (role) => inRelease || (role !== "Integrator" && role !== "Docs"),
    ),
    commands: build?.commands ?? [],
    ci: { exists: build !== null, result: session.status()?.last_ci_result ?? "unknown" },
    releasedBy: progress.releasedBy,
    readmeIsCurrent: artifacts["README.md"]?.length === 0,
    criteria,
    repaired: true,
  };
}

/** Leaves a state along the main line; what it needs and has not is a blocker. */
export async function leave(
  session: CrewSession,
  to: CrewState,
  change: SessionChange,
  criteria: readonly CriterionResult[] = [],
): Promise<void> {
  const problems = leavingProblems(session.state(), await stateFacts(session, criteria));
  if (problems.length > 0) throw unmet(session, problems);
  await session.move(to, change);
}

export async function assertDone(session: CrewSession, criteria: readonly CriterionResult[]): Promise<void> {
  const problems = doneProblems(await stateFacts(session, criteria));
  if (problems.length > 0) throw unmet(session, problems);
}

function unmet(session: CrewSession, problems: readonly string[]): Blocked {
  return new Blocked(BLOCKERS.precondition, `${session.state()} cannot be left: ${problems.join("; ")}.`);
}
