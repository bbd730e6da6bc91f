import { stringify } from "yaml";
import { emptyStatus } from "../first-status.ts";
import type { CrewStatus } from "../status.ts";

export const SESSION = "2026-11-18_date-format";
export const AT = "2026-11-18T10:00:00.000Z";

export function sampleStatus(changes: Partial<CrewStatus> = {}): CrewStatus {
  return { ...emptyStatus({ session: SESSION, mode: "full", at: AT }), ...changes };
}

const LEAN_TASK = { id: "T-001", status: "not-started", goal: "Format dates", acceptance_checks: ["cmd: npm test"] };

export function leanTasks(changes: object = {}): string {
  return stringify({ tasks: [{ ...LEAN_TASK, ...changes }] });
}

export function fullTask(id: string, changes: object = {}) {
  return {
    ...LEAN_TASK,
    id,
    type: "feat",
    title: `Task ${id}`,
    depends_on: [],
    non_goals: [],
    context_files: [],
    files_expected: ["src/a.ts"],
    risk_flags: [],
    done_when: ["tests pass"],
    ...changes,
  };
}

export function fullTasks(tasks: readonly object[]): string {
  return stringify({ project: { name: "dates", definition_of_done: ["tests pass"] }, tasks });
}
