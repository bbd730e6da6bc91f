import { SlipwayError } from "@slipway/agents/errors";
import { META } from "../contract/names.ts";
import type { CrewInput, CrewRun } from "../crew-run.ts";
import { detectInstructions } from "../dispatch/check.ts";
import { persistenceFailure } from "../decisions/verified-write.ts";
import { returnState } from "../decisions/resume.ts";
import { mayWrite, RUN_LOG, type GrantContext } from "../grants/write-grants.ts";
import { printRunRecord, type DispatchRecord, type RunLogRecord } from "../prompts/run-record.ts";
import { emptyStatus } from "../session/first-status.ts";
import { sessionPath } from "../session/session-name.ts";
import { BLOCKERS, type CrewStatus } from "../session/status.ts";
import { findTask, printTasks, TASKS_FILE, type CrewTask, type TasksFile } from "../session/tasks.ts";
import { assertMove } from "../states/moves.ts";
import { firstState, type CrewMode, type CrewState } from "../states/states.ts";
import { CREW_STEPS } from "../steps.ts";
import { noProgress, type Progress } from "./progress.ts";
import { saveFiles } from "./save.ts";
import { Blocked } from "./stops.ts";

/** What changes with one step of a session. */
export interface SessionChange {
  readonly why: string;
  readonly status?: (before: CrewStatus, at: string) => CrewStatus;
  /** The status as an agent created or edited it. */
  readonly edited?: CrewStatus | null;
  readonly tasks?: TasksFile | null;
  readonly texts?: Readonly<Record<string, string | null>>;
  readonly dispatch?: readonly DispatchRecord[];
  readonly blockers?: readonly string[];
  readonly next?: CrewState | null;
  readonly context?: Readonly<Record<string, string>>;
  /** What people said and this step stores. */
  readonly answers?: Readonly<Record<string, string>>;
}

export interface CrewSession {
  readonly run: CrewRun;
  /** What the user wants, in their words. */
  readonly request: string;
  readonly progress: Progress;
  state(): CrewState;
  mode(): CrewMode;
  /** Null before SpecAgent has created it. */
  status(): CrewStatus | null;
  decisions(): CrewStatus["user_decisions"];
  tasks(): TasksFile | null;
  task(id: string): CrewTask | null;
  blockedFrom(): CrewState | null;
  /** One record of the run log, with everything that the step changes in the session's files. */
  save(change: SessionChange): Promise<void>;
  /** The same with a transition; untabled ones are refused. */
  move(to: CrewState, change: SessionChange): Promise<void>;
  /** Into BLOCKED, whether or not the files can be written. Returns the problem of the file. */
  block(change: SessionChange): Promise<string | null>;
}

export function openCrewSession(run: CrewRun, input: CrewInput, request: string): CrewSession {
  const progress = noProgress();
  const log: string[] = [];
  let status: CrewStatus | null = null;
  let tasks: TasksFile | null = null;
  let state = firstState(input.mode);
  let mode = input.mode;
  let blockedFrom: CrewState | null = null;
  let writes = 0;
  /** The last write left an older status.json on the disk, which says nothing about a person's wish. */
  let isFileBehind = false;

  async function write(to: CrewState, change: SessionChange): Promise<string | null> {
    const from = state;
    // Texts of a dispatch are an agent's, and were judged by its grant.
    if (change.dispatch === undefined) assertOwn(run, { state, mode }, Object.keys(change.texts ?? {}));
    const base = change.edited ?? status;
    const needsStatus = base !== null || to === "BLOCKED";
    const nextTasks = change.tasks === undefined ? tasks : change.tasks;
    log.push(printRunRecord(recordOf(from, to, change)));
    const texts = {
      ...change.texts,
      ...(nextTasks === tasks ? {} : { [TASKS_FILE]: nextTasks === null ? null : printTasks(nextTasks) }),
      [RUN_LOG]: log.join(""),
    };
    const step = CREW_STEPS.state.named(++writes, to);
    const saved = await run.ctx.step(step, () =>
      saveFiles(run, step, {
        texts,
        why: change.why,
        ...(needsStatus
          ? {
              status: async (at: string) => {
                const before = base ?? emptyStatus({ session: run.session, mode, at });
                const made = change.status?.(before, at) ?? before;
                const flags = made.runtime_flags ?? (await detectInstructions(run, at));
                return { ...made, current_state: to, runtime_flags: flags };
              },
            }
          : {}),
      }),
    );
    if (!isFileBehind) for (const gate of saved.revoked) progress.revoked.add(gate);
    isFileBehind = saved.problem !== null;
    status = saved.status;
    tasks = nextTasks;
    state = to;
    mode = status?.mode ?? mode;
    if (to === "BLOCKED" && from !== "BLOCKED") blockedFrom = from;
    return saved.problem;
  }

  async function verified(to: CrewState, change: SessionChange): Promise<void> {
    const problem = await write(to, change);
    if (problem === null) return;
    const { detail, recovery, unsaved } = persistenceFailure("status.json", problem, change.answers ?? {});
    throw new Blocked(BLOCKERS.persistence, detail, { recovery, unsaved });
  }

  function enteredFrom(): CrewState | null {
    if (state === "BLOCKED") return blockedFrom;
    return state === "ASK_USER" ? returnState(status?.user_decisions ?? []) : null;
  }

  return {
    run,
    request,
    progress,
    state: () => state,
    mode: () => mode,
    status: () => status,
    decisions: () => status?.user_decisions ?? [],
    tasks: () => tasks,
    task: (id) => (tasks === null || id === META ? null : findTask(tasks, id)),
    blockedFrom: () => blockedFrom,
    save: (change) => verified(state, change),
    async move(to, change) {
      assertMove(state, to, { mode, enteredFrom: enteredFrom() });
      await verified(to, { next: to, ...change });
    },
    async block(change) {
      if (state !== "BLOCKED") assertMove(state, "BLOCKED", { mode, enteredFrom: null });
      return write("BLOCKED", { next: null, ...change });
    },
  };
}

/** What the orchestrator itself writes in a session. */
function assertOwn({ folder }: CrewRun, now: Pick<GrantContext, "state" | "mode">, names: readonly string[]): void {
  const foreign = names.filter((name) => !mayWrite("Orchestrator", `${sessionPath(folder)}${name}`, { ...now, session: folder }));
  if (foreign.length === 0) return;
  throw new SlipwayError("policy_violation", `The orchestrator may not write ${foreign.join(", ")}.`, {
    paths: foreign,
    stopped_by: "firewall",
    suggested_next_actions: ["This is a defect of the protocol: report it with the run's id."],
  });
}

function recordOf(from: CrewState, to: CrewState, { dispatch = [], why, blockers = [], next = to, context }: SessionChange): RunLogRecord {
  return {
    state: from,
    dispatch: [...dispatch],
    why,
    blockers: [...blockers],
    next_state_hint: next,
    ...(context === undefined ? {} : { context: { ...context } }),
  };
}
