import { jsonLine } from "../terminal/escape.ts";
import { taskTree } from "@slipway/protocols/factory/views/tasks";
import type { RunCommand } from "../command.ts";
import { EXIT } from "@slipway/runtime/exit-codes";
import { NO_PROJECT, withFactory } from "../factory-room.ts";
import { pillarLines } from "../render/tasks.ts";

/** Every task of the project at work, in its place. */
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
