import type { PillarBranch, TaskLine } from "../views/tasks.ts";
import { paint } from "../../surface/paint.ts";
import { oneLine } from "../../narration/one-line.ts";

export function pillarLines({ pillar, epics }: PillarBranch, color: boolean): string[] {
  const { bold } = paint(color);
  return [
    bold(pillar),
    ...epics.flatMap(({ epic, stories }) => [
      `  ${epic}`,
      ...stories.flatMap(({ story, tasks }) => [
        `    ${story}`,
        ...tasks.flatMap((task) => taskLines(task, color).map((line) => `      ${line}`)),
      ]),
    ]),
  ];
}

const MARKS: Readonly<Record<TaskLine["status"], string>> = {
  PENDING: "·",
  IN_PROGRESS: ">",
  SHIPPED: "+",
  HALTED: "!",
  BLOCKED: "-",
  ABANDONED: "x",
};

function taskLines(task: TaskLine, color: boolean): string[] {
  const { green, red, yellow, dim } = paint(color);
  const { task_id, status, module_refs, halted_reason, escalation_ref, superseded_by } = task;
  const tint = { SHIPPED: green, HALTED: red, BLOCKED: yellow, ABANDONED: dim, PENDING: dim, IN_PROGRESS: (text: string) => text }[status];
  return [
    `${tint(`${MARKS[status]} ${status.padEnd(11)}`)} ${task_id}${module_refs.length === 0 ? "" : `  ${module_refs.join(", ")}`}`,
    ...(status === "HALTED" ? [`    ${escalation_ref ?? ""}: ${oneLine(halted_reason ?? "")}`] : []),
    ...(superseded_by.length === 0 ? [] : [`    split into ${superseded_by.join(", ")}`]),
    ...whyItWaits(task),
  ];
}

function whyItWaits({ status, waits_for, blocked_by }: TaskLine): string[] {
  if (status === "BLOCKED") {
    const behind = blocked_by.map(
      ({ task, status: its, escalation_ref }) => `${task} (${its}${escalation_ref === null ? "" : `, ${escalation_ref}`})`,
    );
    return [`    blocked by ${behind.join(", ") || waits_for.map(({ task }) => task).join(", ")}`];
  }
  return status === "PENDING" && waits_for.length > 0 ? [`    after ${waits_for.map(({ task }) => task).join(", ")}`] : [];
}
