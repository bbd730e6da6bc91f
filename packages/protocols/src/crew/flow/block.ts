import { z } from "zod";
import { endFeature } from "../../change/end-feature.ts";
import type { FeatureResult } from "../../change/feature-run.ts";
import { reopenCancelledGate } from "../decisions/resume.ts";
import { callOf } from "../crew-run.ts";
import { blocked, type CrewStatus } from "../session/status.ts";
import { mayMoveTask, withTaskStatus } from "../session/task-moves.ts";
import type { TasksFile } from "../session/tasks.ts";
import type { CrewSession } from "./crew-session.ts";
import { finalWords } from "./finish.ts";
import { nextName } from "./progress.ts";
import type { Blocked } from "./stops.ts";

const answerSchema = z.strictObject({ decision: z.enum(["resume", "end"]), comment: z.string().optional() });

/** BLOCKED: tells the user why, and waits until they resume the session or end it. The result, if they end it. */
export async function block(session: CrewSession, cause: Blocked): Promise<FeatureResult | null> {
  const { run, progress } = session;
  await enter(session, cause);
  const words = await finalWords(session, cause.recovery, cause.unsaved);
  const answer = await run.ctx.ask(nextName(progress, "blocked"), {
    kind: "crew_blocked",
    title: `${run.id} is blocked: ${cause.blocker}`,
    body: words.join("\n"),
    options: [
      { value: "resume", label: "go on where it stopped; the comment is passed to the agents" },
      { value: "end", label: "end the session; its files and its work stay reachable" },
    ],
    schema: answerSchema,
    context: { feature_id: run.id, session: run.session, blocker: cause.blocker, unsaved: cause.unsaved },
    answerableBy: ["person"],
  });
  if (answer.decision === "end") return endSession(session, answer.comment ?? `blocked: ${cause.blocker}`);
  if (answer.comment !== undefined) progress.constraints.push(`The user says: ${answer.comment}`);
  await resume(session, cause);
  return null;
}

/** The row is written in any case; where the file cannot be, the text says so. */
async function enter(session: CrewSession, { blocker, message, recovery, taskId }: Blocked): Promise<void> {
  const before = session.tasks();
  const tasks = taskId === null || before === null ? before : withBlocked(before, taskId);
  await session.block({
    why: message,
    blockers: [blocker],
    ...(tasks === before ? {} : { tasks }),
    status: (status) => blocked(status, blocker, message, recovery),
  });
}

function withBlocked(tasks: TasksFile, id: string): TasksFile {
  const task = tasks.tasks.find((each) => each.id === id);
  return task !== undefined && mayMoveTask(task.status, "blocked") ? withTaskStatus(tasks, id, "blocked") : tasks;
}

async function resume(session: CrewSession, { blocker }: Blocked): Promise<void> {
  const to = session.blockedFrom();
  if (to === null) return;
  await session.move(to, {
    why: "a person resumed the session",
    status: (status, at) => ({ ...withoutBlocker(status, blocker), user_decisions: reopenCancelledGate(status.user_decisions, at) }),
  });
}

/** What stopped the session is no issue of its result. */
function withoutBlocker({ blocker: _blocker, ...status }: CrewStatus, code: string): CrewStatus {
  const last = status.known_issues.at(-1);
  return { ...status, known_issues: last?.startsWith(`${code}: `) === true ? status.known_issues.slice(0, -1) : status.known_issues };
}

async function endSession({ run }: CrewSession, reason: string): Promise<FeatureResult> {
  await run.ctx.step("ended", () => endFeature(run.change.services.kernel, callOf(run, "ended"), run.id, reason));
  return {
    feature_id: run.id,
    status: "failed",
    landing: null,
    words: [`The session was ended while it was blocked; its files are in .slipway/runs/${run.folder}`],
  };
}

/** A rejected change has nothing to resume. */
export async function reject(session: CrewSession, reason: string): Promise<FeatureResult> {
  const { run } = session;
  await session.block({
    why: reason,
    blockers: ["change_rejected"],
    status: (status) => blocked(status, "change_rejected", reason, "Start a new session with what is to be different."),
  });
  return {
    feature_id: run.id,
    status: "failed",
    landing: null,
    words: await finalWords(session, "start a new session with what is to be different."),
  };
}
