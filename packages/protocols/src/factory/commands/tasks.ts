import { jsonLine } from "../../surface/escape.ts";
import { taskTree } from "../views/tasks.ts";
import type { RunCommand } from "../../surface/command.ts";
import { EXIT } from "../../surface/exit-codes.ts";
import { NO_PROJECT, withFactory } from "./with-factory.ts";
import { pillarLines } from "./render-tasks.ts";

/** Lists every task of the current project in its tree. */
export const run: RunCommand = (args, io) =>
  withFactory(io, async ({ head, tasks }) => {
    if (head === null) {
      io.out(args.flag("json") ? "null\n" : NO_PROJECT);
      return EXIT.done;
    }
    const { project_id, spec_version } = head;
    const pillars = taskTree(await tasks());
    if (args.flag("json")) io.out(jsonLine({ project_id, spec_version, pillars }));
    else io.out(`${pillars.flatMap((pillar) => pillarLines(pillar, io.color)).join("\n")}\n`);
    return EXIT.done;
  });
