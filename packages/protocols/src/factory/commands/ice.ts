import { jsonLine } from "../../surface/escape.ts";
import { SlipwayError } from "@slipway/agents/errors";
import { exceptionViews, type ExceptionView } from "../views/escalations.ts";
import { answerFrom } from "../../surface/answer-value.ts";
import type { RunCommand } from "../../surface/command.ts";
import { EXIT } from "../../surface/exit-codes.ts";
import { withFactory } from "./with-factory.ts";
import { giveAnswer } from "../../surface/give-answer.ts";
import { decideLate } from "./late-change.ts";
import { exceptionLine, exceptionLines } from "./render-exception.ts";

const DECISIONS = ["APPROVE_CHANGE", "REJECT_CHANGE", "DEFER"] as const;
export type ChangeDecision = (typeof DECISIONS)[number];

/** Lists interface change exceptions, shows one, or decides it. */
export const run: RunCommand = async (args, io) => {
  const [named, word] = args.positionals;
  const json = args.flag("json");
  const decision = word === undefined ? null : decisionFrom(word);
  const later = await withFactory(io, async ({ records, documents, questions }) => {
    const open = await questions();
    const all = await exceptionViews(documents, open);
    if (named === undefined) {
      if (json) io.out(jsonLine(all));
      else if (all.length === 0) io.out("There are no interface change exceptions.\n");
      else io.out(`${all.map((view) => exceptionLine(view, io.color)).join("\n")}\n`);
      return EXIT.done;
    }
    const view = one(all, named);
    if (decision === null) {
      io.out(json ? jsonLine(view) : `${exceptionLines(view, io.color).join("\n")}\n`);
      return EXIT.done;
    }
    const question = open.find(({ id }) => id === view.question);
    if (question === undefined) return { view, decision };
    const answer = answerFrom(question, decision, args.text("comment")) as Record<string, unknown>;
    const afterwards = args.flag("stay-halted") ? "STAY_HALTED" : "REQUEUE";
    const value = decision === "REJECT_CHANGE" ? { ...answer, afterwards } : answer;
    return giveAnswer(records, question, value, io, json);
  });
  return typeof later === "number" ? later : decideLate(args, io, later);
};

function decisionFrom(word: string): ChangeDecision {
  const found = DECISIONS.find((decision) => decision === word.toUpperCase());
  if (found !== undefined) return found;
  throw new SlipwayError("invalid_cli_args", `${JSON.stringify(word.slice(0, 80))} is not a decision about an exception.`, {
    suggested_next_actions: [`Give one of: ${DECISIONS.join(", ")}.`],
  });
}

function one(all: readonly ExceptionView[], id: string): ExceptionView {
  const view = all.find(({ exception }) => exception.exception_id === id);
  if (view !== undefined) return view;
  throw new SlipwayError("invalid_cli_args", `There is no interface change exception ${JSON.stringify(id.slice(0, 80))}.`, {
    suggested_next_actions: ["`slipway factory ice` lists them."],
  });
}
