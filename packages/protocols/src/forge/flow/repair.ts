import { gate, gateAll } from "../../change/gate.ts";
import type { ForgeProgress } from "../progress.ts";
import type { ReviewFinding, ReviewPayload } from "../schemas/review.ts";
import { filesOf } from "./baseline.ts";
import { buildTasks, type Build } from "./build.ts";
import { findingTexts } from "./design.ts";
import { review } from "./review.ts";

/** Step 7: at most two rounds. Between them the affected tasks are fixed and verified again. False if a person gave up. */
export async function reviewUntilApproved(progress: ForgeProgress, build: Build): Promise<boolean> {
  if (!(await passRepositoryGates(progress, build, "review"))) return false;
  for (;;) {
    const round = progress.state().counters.code_round;
    const { action, reviews } = await review(progress, { scope: "code", round, risk: progress.state().overall_risk ?? "🟡" });
    if (action.type !== "fix") return true;
    const findings = findingsByTask(build, reviews);
    const lot = { name: `fix-r${round}`, ids: [...findings.keys()], mode: "fix", findings, wave: null } as const;
    if (!(await buildTasks(progress, build, lot))) return false;
    progress.go({ type: "go", step: "7" });
  }
}

/** The gates of the repository must pass on the whole change. A failure is repaired once; then it is a known issue, and the confidence is Low. */
async function passRepositoryGates(progress: ForgeProgress, build: Build, name: string): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    const problem = await gateProblem(progress, `${name}-${attempt}`);
    if (problem === null) return true;
    if (attempt === 2) {
      progress.lower("verification-exhausted", {
        severity: "Critical",
        text: `the gates of the repository fail: ${problem}`,
        from: "gates",
      });
      return true;
    }
    if (!(await fixAll(progress, build, `gates-${name}`, problem))) return false;
  }
}

async function gateProblem({ run }: ForgeProgress, name: string): Promise<string | null> {
  const { features } = run.change.services.kernel;
  const { files } = await run.ctx.step(`changed:${name}`, async () => ({ files: (await features.changedFiles(run.id)).length }));
  if (files === 0) return null;
  const fast = await gate(run.change, "fast", name);
  const passed = fast.ok ? await gateAll(run.change, name) : fast;
  if (passed.ok) return null;
  const log = await run.ctx.step(`gate-log:${name}`, () => features.lastFailedLog(run.id));
  return `${passed.failure.message}\n${(log ?? "").slice(-LOG_CHARACTERS)}`;
}

const LOG_CHARACTERS = 4_000;

/** Everything that is part of the change is fixed for a problem of the whole. False if a person gave up. */
export async function fixAll(progress: ForgeProgress, build: Build, name: string, problem: string): Promise<boolean> {
  const ids = build.plan.tasks.map(({ id }) => id).filter((id) => !build.reverted.has(id));
  if (ids.length === 0) return true;
  const findings = new Map(ids.map((id) => [id, [problem]]));
  // Its iterations are counted from one, like those of a wave.
  progress.go({ type: "next-wave" });
  const done = await buildTasks(progress, build, { name, ids, mode: "fix", findings, wave: null });
  progress.go({ type: "go", step: "7" });
  return done;
}

/** The tasks that a finding names by file; a finding without one concerns every task. */
function findingsByTask({ plan, reverted }: Build, reviews: readonly ReviewPayload[]): Map<string, string[]> {
  const open = plan.tasks.filter(({ id }) => !reverted.has(id));
  const byTask = new Map<string, string[]>();
  for (const one of reviews.filter(({ verdict }) => verdict !== "approve")) {
    for (const finding of one.findings) {
      const text = findingTexts({ ...one, findings: [finding] });
      const named = open.filter((task) => filesOf(task).some((path) => mentions(finding, path)));
      for (const { id } of named.length === 0 ? open : named) byTask.set(id, [...(byTask.get(id) ?? []), ...text]);
    }
  }
  return byTask;
}

function mentions({ affected_artifacts }: ReviewFinding, path: string): boolean {
  return affected_artifacts.some((artifact) => artifact.includes(path));
}
