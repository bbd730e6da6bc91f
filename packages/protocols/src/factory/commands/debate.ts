import { jsonLine } from "../../surface/escape.ts";
import { SlipwayError } from "@slipway/agents/errors";
import { debatesOf } from "../views/debates.ts";
import type { RunCommand } from "../../surface/command.ts";
import { EXIT } from "../../surface/exit-codes.ts";
import { withFactory, type OpenFactory } from "./with-factory.ts";
import { debateLines } from "./render-debate.ts";

/** Shows the debates about the modules of a task, round by round. */
export const run: RunCommand = (args, io) =>
  withFactory(io, async (factory) => {
    const named = args.positionals[0] ?? atWork(factory);
    const debates = await debatesOf(factory.documents, named.startsWith("MM-") ? { module: named } : { task: named });
    if (args.flag("json")) io.out(jsonLine({ of: named, debates }));
    else if (debates.length > 0) io.out(`${debates.flatMap((debate) => debateLines(debate, io.color)).join("\n")}\n`);
    else io.out(`${await noDebateText(factory, named)}\n`);
    return EXIT.done;
  });

/** The task in progress, or the one that halted. */
function atWork({ head }: OpenFactory): string {
  const task = head?.summary.in_progress ?? head?.summary.halted[0]?.task;
  if (task !== undefined) return task;
  throw new SlipwayError("invalid_cli_args", "No task is in progress or halted; name one.", {
    suggested_next_actions: ["`slipway factory tasks` lists them; a module id (MM-…) works too."],
  });
}

async function noDebateText({ tasks }: OpenFactory, named: string): Promise<string> {
  if (named.startsWith("MM-")) return `No module ${named} has been planned here. \`slipway factory tasks\` names the modules that shipped.`;
  const task = (await tasks()).get(named);
  if (task !== undefined) return `${named} is ${task.status}: it has no locked plan yet, so there is no debate.`;
  throw new SlipwayError("invalid_cli_args", `There is no task ${JSON.stringify(named.slice(0, 140))} in the project.`, {
    suggested_next_actions: ["`slipway factory tasks` lists them."],
  });
}
