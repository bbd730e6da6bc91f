import { gateAll, gate } from "../../change/gate.ts";
import { acceptanceCommands, verificationOf } from "../session/acceptance.ts";
import { commandsIn } from "../contract/names.ts";
import type { CommandRun, CriterionResult } from "../states/leaving.ts";
import { readCriteria } from "./artifacts.ts";
import type { CrewSession } from "./crew-session.ts";
import { runChecks, textOfRun } from "./commands.ts";
import { nextName } from "./progress.ts";

/** The failed step that stands for the gates of the repository. */
export const GATES_STEP = "gates";

/** The harness's build: every command of the session's checks, and the repository's gates. */
export interface BuildRun {
  readonly commands: readonly CommandRun[];
  /** The gates of the repository; null if they passed or there are none. */
  readonly gateFailure: string | null;
  readonly failedSteps: readonly string[];
  readonly text: string;
}

/** The commands of the whole session. */
export async function sessionCommands(session: CrewSession): Promise<string[]> {
  const criteria = await readCriteria(session);
  const checks = session.tasks()?.tasks.flatMap(({ acceptance_checks }) => commandsIn(acceptance_checks)) ?? [];
  return [...new Set([...acceptanceCommands(criteria), ...checks])];
}

/** Runs build and CI on what is recorded now, and stores the result. */
export async function runBuild(session: CrewSession): Promise<BuildRun> {
  const { run, progress } = session;
  const name = nextName(progress, "build").replace(":", "-");
  const commands = (await sessionCommands(session)).filter((command) => !progress.waivedCommands.has(command));
  const ran = await runChecks(run.change, name, commands);
  const gateFailure = await runGates(session, name);
  const results = ran?.commands ?? [];
  const failedSteps = [
    ...results.filter(({ exitCode }) => exitCode !== 0).map(({ command }) => command),
    ...(gateFailure === null ? [] : [GATES_STEP]),
  ];
  const text = [
    ran === null ? "No command to run." : textOfRun(ran),
    gateFailure === null ? "The gates of the repository passed." : `gates: ${gateFailure}`,
  ].join("\n\n");
  const build: BuildRun = { commands: results, gateFailure, failedSteps, text };
  progress.build = build;
  const result = failedSteps.length === 0 ? "green" : "red";
  await session.save({
    why: failedSteps.length === 0 ? "build and checks passed" : `build or checks failed: ${failedSteps.join(", ")}`,
    next: session.state(),
    status: (before) => ({ ...before, last_ci_result: result }),
  });
  return build;
}

/** Without leaving the status in which agents may still change files. */
async function runGates({ run: { change } }: CrewSession, name: string): Promise<string | null> {
  const planned = await change.ctx.step(
    `planned:${name}`,
    async () => (await change.services.kernel.features.acceptedPlan(change.id)) !== null,
  );
  if (!planned) return null;
  const fast = await gate(change, "fast", name);
  const all = fast.ok ? await gateAll(change, name) : fast;
  return all.ok ? null : all.failure.message;
}

/** A criterion is met if its commands passed; one without a command, if QA has passed it. */
export async function criteriaNow(session: CrewSession): Promise<CriterionResult[]> {
  const { build, waivedCommands } = session.progress;
  const criteria = await readCriteria(session);
  const passed = new Set((build?.commands ?? []).filter(({ exitCode }) => exitCode === 0).map(({ command }) => command));
  return criteria.map(({ id, verify }) => {
    const commands = verify
      .map(verificationOf)
      .filter(({ kind }) => kind === "command")
      .map(({ text }) => text);
    const open = commands.filter((command) => !passed.has(command));
    return {
      id,
      met: build !== null && open.length === 0,
      waivedBy: open.map((command) => waivedCommands.get(command)).find((by) => by !== undefined) ?? null,
    };
  });
}
