import { jsonLine } from "../../surface/escape.ts";
import { openProjects } from "../projects/projects.ts";
import { projectStatus, type ProjectRows } from "../project/project.ts";
import { LARGE, type ProjectView } from "../project/status.ts";
import type { RunCommand } from "../../surface/command.ts";
import { EXIT } from "../../surface/exit-codes.ts";
import { oneLine } from "../../narration/one-line.ts";

/** Reads the summary row, so the cost does not grow with the project. */
export const run: RunCommand = (args, io) =>
  io.reader(async ({ records }) => {
    const projects: ProjectRows = openProjects({ db: records.database.db, door: records.door });
    const head = await projectStatus({ projects });
    if (args.flag("json")) io.out(jsonLine(head));
    else if (head === null) io.out("No project yet: its spec is not approved. `slipway inbox` shows what waits for you.\n");
    else io.out(`${lines(head.project_id, head.spec_version, head.summary).join("\n")}\n`);
    return EXIT.done;
  });

function lines(project: string, version: string, view: ProjectView): string[] {
  const { counts, pillars, in_progress, next, halted, total, complete, large } = view;
  return [
    `${project} (spec ${version}): ${counts.SHIPPED} of ${total} tasks shipped${complete ? "; complete" : ""}`,
    `  ${inWords(counts)}`,
    ...Object.entries(pillars).map(([name, of]) => `  ${name}: ${inWords(of)}`),
    ...(large ? [`  large: more than ${LARGE} tasks; check this status while it runs`] : []),
    ...(in_progress === null ? [] : [`in progress: ${in_progress}`]),
    ...(next === null ? [] : [`next: ${next}`]),
    ...halted.map(({ task, reason, escalation_ref }) => `halted: ${task} (${escalation_ref ?? ""}): ${oneLine(reason ?? "")}`),
    ...(halted.length === 0 ? [] : ["  next: slipway inbox"]),
  ];
}

function inWords(counts: ProjectView["counts"]): string {
  const there = Object.entries(counts).filter(([, count]) => count > 0);
  return there.map(([status, count]) => `${count} ${status}`).join(", ");
}
