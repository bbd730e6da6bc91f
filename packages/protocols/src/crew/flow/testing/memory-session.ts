import type { UserDecision } from "../../decisions/decision.ts";
import { findTask, type TasksFile } from "../../session/tasks.ts";
import { sampleStatus } from "../../session/testing/samples.ts";
import type { CrewStatus } from "../../session/status.ts";
import { assertMove } from "../../states/moves.ts";
import type { CrewState } from "../../states/states.ts";
import type { CrewRun } from "../../crew-run.ts";
import type { CrewSession, SessionChange } from "../crew-session.ts";
import { noProgress, type AskedAbout } from "../progress.ts";

const AT = "2026-11-18T10:00:00.000Z";

/** A session whose files are in memory, for rules that dispatch nobody. Its moves are those of the table. */
export function memorySession({
  state = "IMPLEMENT_LOOP" as CrewState,
  status = sampleStatus() as CrewStatus | null,
  tasks = null as TasksFile | null,
  run = {} as Partial<CrewRun>,
} = {}) {
  const saved: string[] = [];
  async function save({ why, status: change }: SessionChange): Promise<void> {
    saved.push(why);
    if (status !== null) status = change?.(status, AT) ?? status;
  }
  const session: CrewSession = {
    run: run as CrewRun,
    request: "Format dates.",
    progress: noProgress(),
    state: () => state,
    mode: () => "full",
    status: () => status,
    decisions: () => status?.user_decisions ?? [],
    tasks: () => tasks,
    task: (id) => (tasks === null ? null : findTask(tasks, id)),
    blockedFrom: () => null,
    save,
    async move(to, change) {
      assertMove(state, to, { mode: "full", enteredFrom: null });
      state = to;
      await save(change);
    },
    block: () => Promise.reject(new Error("not a rule that dispatches nobody")),
  };
  return { session, saved };
}

const asked = { question: "?", asked_at: AT, state_context: "IMPLEMENT_LOOP" } as const;

export function answered(answer: string, changes: Partial<UserDecision> = {}): UserDecision {
  return {
    ...asked,
    decision_id: "UD-1",
    status: "answered",
    answer,
    resolved_at: AT,
    resolution_reason: null,
    ...changes,
  } as UserDecision;
}

export function cancelled(reason: string, changes: Partial<UserDecision> = {}): UserDecision {
  const resolved = { status: "cancelled", answer: null, resolved_at: AT, resolution_reason: reason } as const;
  return { ...asked, decision_id: "UD-1", ...resolved, ...changes } as UserDecision;
}

/** The session after its last question was answered so. */
export function afterQuestion(about: AskedAbout, decisions: readonly UserDecision[], state: CrewState = "IMPLEMENT_LOOP") {
  const made = memorySession({ state, status: sampleStatus({ user_decisions: [...decisions] }) });
  made.session.progress.asked = { about, ids: decisions.map(({ decision_id }) => decision_id) };
  return made;
}
