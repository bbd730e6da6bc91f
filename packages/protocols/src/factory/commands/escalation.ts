import { jsonLine } from "../../surface/escape.ts";
import { SlipwayError } from "@slipway/agents/errors";
import { escalationViews, type EscalationView } from "../views/escalations.ts";
import type { RunCommand } from "../../surface/command.ts";
import { EXIT } from "../../surface/exit-codes.ts";
import { withFactory } from "./with-factory.ts";
import { escalationLines } from "./render-escalation.ts";
import { oneLine } from "../../narration/one-line.ts";

export const run: RunCommand = (args, io) =>
  withFactory(io, async ({ documents, tasks, questions }) => {
    const [named] = args.positionals;
    const json = args.flag("json");
    const all = await escalationViews(documents, await questions(), await tasks());
    if (named !== undefined) {
      const view = one(all, named);
      io.out(json ? jsonLine(view) : `${escalationLines(view, io.color).join("\n")}\n`);
      return EXIT.done;
    }
    const open = all.filter(({ state }) => state !== "resolved");
    if (json) io.out(jsonLine(all));
    else if (open.length > 0) io.out(`${open.flatMap((view) => [...escalationLines(view, io.color), ""]).join("\n")}`);
    else io.out(`${["No task has halted.", ...earlier(all)].join("\n")}\n`);
    return EXIT.done;
  });

export function one(all: readonly EscalationView[], id: string): EscalationView {
  const view = all.find(({ escalation }) => escalation.escalation_id === id);
  if (view !== undefined) return view;
  throw new SlipwayError("invalid_cli_args", `There is no escalation ${JSON.stringify(id.slice(0, 80))}.`, {
    suggested_next_actions: ["`slipway factory escalation` lists them."],
  });
}

function earlier(all: readonly EscalationView[]): string[] {
  return all.map(({ escalation: { escalation_id, task_id, minimal_decision_required, resolution } }) => {
    const answer = resolution === undefined ? "no answer yet" : `${resolution.action} by ${resolution.by}`;
    return `  ${escalation_id} ${task_id}: ${answer} (${oneLine(minimal_decision_required)})`;
  });
}
