import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { SlipwayError } from "@slipway/agents/errors";
import { parseStrictJson } from "@slipway/kernel/schema/json";
import { questionAbout } from "../views/escalations.ts";
import { answerFrom } from "../../surface/answer-value.ts";
import type { Arguments, RunCommand } from "../../surface/command.ts";
import { withFactory } from "./with-factory.ts";
import { giveAnswer } from "../../surface/give-answer.ts";
import type { Surface } from "../../surface/surface.ts";

/** Answers the question of an escalation, found by the id of the escalation. */
export const run: RunCommand = (args, io) =>
  withFactory(io, async ({ records, questions }) => {
    const [id = "", action] = args.positionals;
    const open = await questions();
    const about = questionAbout(open, id);
    const question = open.find((one) => one.id === about?.id);
    if (question === undefined) throw notAsked(id);
    const file = args.text("json-file");
    const given = file === undefined ? action : whole(args, io, file, action);
    return giveAnswer(records, question, answerFrom(question, given, args.text("comment")), io, args.flag("json"));
  });

/** Reads the payload from a file; the action is in the file or on the command line. */
function whole(args: Arguments, io: Surface, file: string, action: string | undefined): string {
  if (args.text("comment") !== undefined) throw invalid("--comment and --json-file cannot both be given: put the text into the file.");
  const parsed = parseStrictJson(readFileSync(resolve(io.cwd, file), "utf8"));
  if (!parsed.ok) throw invalid(`${file}: ${parsed.problem}`);
  const { value } = parsed;
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalid(`${file} does not hold a JSON object.`);
  return JSON.stringify(action === undefined ? value : { ...value, action });
}

function invalid(message: string): SlipwayError {
  return new SlipwayError("invalid_cli_args", message, { suggested_next_actions: ["Run `slipway factory resolve --help`."] });
}

function notAsked(id: string): SlipwayError {
  return new SlipwayError("question_not_found", `${JSON.stringify(id.slice(0, 80))} has no open question.`, {
    suggested_next_actions: ["`slipway factory escalation` lists the open ones; `slipway resume` applies given answers."],
  });
}
