import { commandsIn, MANUAL_PREFIX } from "../contract/names.ts";
import { leanReport } from "../session/report.ts";
import type { CrewSession } from "./crew-session.ts";

/** `report.md` of a lean session, by code. */
export async function writeLeanReport(session: CrewSession): Promise<void> {
  const status = session.status();
  const task = session.tasks()?.tasks[0];
  if (status === null || task === undefined) return;
  const { patchSummary, commands } = session.progress;
  const checks = task.acceptance_checks;
  const testCommands = [...new Set([...commandsIn(checks), ...commands])];
  const manualSteps = checks.filter((check) => check.startsWith(MANUAL_PREFIX)).map((check) => check.slice(MANUAL_PREFIX.length).trim());
  const report = leanReport({ status, task, changes: patchSummary, runCommands: [], testCommands, manualSteps });
  await session.save({ why: "the report is written", next: session.state(), texts: { "report.md": report } });
}
