import { jsonLine } from "../../surface/escape.ts";
import { SlipwayError } from "@slipway/durable/errors";
import { debatesOf } from "../views/debates.ts";
import type { RunCommand } from "../../surface/command.ts";
import { EXIT } from "../../surface/exit-codes.ts";
import { withFactory, type FactoryRoom } from "./room.ts";
import { debateLines } from "./render-debate.ts";

/** What was said about the modules of a task, round by round. */
export const run: RunCommand = (args, io) =>
  withFactory(io, async (room) => {
    const named = args.positionals[0] ?? atWork(room);
    const debates = await debatesOf(room.documents, named.startsWith("MM-") ? { module: named } : { task: named });
    if (args.flag("json")) io.out(jsonLine({ of: named, debates }));
    else if (debates.length > 0) io.out(`${debates.flatMap((debate) => debateLines(debate, io.color)).join("\n")}\n`);
    else io.out(`${await nothingSaid(room, named)}\n`);
    return EXIT.done;
  });

/** The task at work, or the one that halted. */
function atWork({ head }: FactoryRoom): string {
  const task = head?.summary.in_progress ?? head?.summary.halted[0]?.task;
  if (task !== undefined) return task;
  throw new SlipwayError("invalid_cli_args", "No task is at work or halted; name the one you mean.", {
    suggested_next_actions: ["`slipway factory tasks` lists them; a module's id (MM-…) will do, too."],
  });
}

async function nothingSaid({ tasks }: FactoryRoom, named: string): Promise<string> {
  if (named.startsWith("MM-")) return `No module ${named} has been planned here. \`slipway factory tasks\` names the modules that shipped.`;
  const task = (await tasks()).get(named);
  if (task !== undefined) return `${named} is ${task.status}: no plan of it has been locked yet, so nothing has been debated.`;
  throw new SlipwayError("invalid_cli_args", `There is no task ${JSON.stringify(named.slice(0, 140))} in the project.`, {
    suggested_next_actions: ["`slipway factory tasks` lists them."],
  });
}
