import { existsSync } from "node:fs";
import { recordedFeatures } from "@slipway/kernel/change/feature/recorded-features";
import { jsonLine } from "@slipway/protocols/surface/escape";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import type { Records } from "@slipway/kernel/record/storage";
import { chooseQuestion } from "@slipway/runtime/choose";
import type { RunCommand } from "@slipway/protocols/surface/command";
import { EXIT } from "@slipway/protocols/surface/exit-codes";
import { withReader } from "@slipway/runtime/reader";
import { paint } from "@slipway/protocols/surface/paint";
import { oneLine } from "@slipway/protocols/narration/one-line";
import { answerCommand } from "../render/questions.ts";

export const run: RunCommand = (args, io) =>
  withReader(io, async ({ records }) => {
    const [named] = args.positionals;
    const shown = named === undefined ? await listed(records, args.flag("all")) : [await chooseQuestion(records, named)];
    if (args.flag("json")) io.out(jsonLine(shown.map((question) => ({ ...question, command: answerCommand(question) }))));
    else if (shown.length === 0) io.out("Nothing waits for you.\n");
    else {
      const numbers = await records.inbox.numbers();
      for (const question of shown)
        io.out(describe(question, named ?? `Q${numbers.get(question.id)}`, await missingWorktree(records, question), io.color));
    }
    return EXIT.done;
  });

async function listed({ inbox }: Records, all: boolean): Promise<InboxQuestion[]> {
  return [...(await inbox.listOpen()), ...(all ? await inbox.listClosed() : [])];
}

/** The question names a worktree that may have been removed since. */
async function missingWorktree(records: Records, { body, context }: InboxQuestion): Promise<string[]> {
  const id = context["feature_id"];
  const feature = typeof id === "string" ? await recordedFeatures(records).ifAny(id) : undefined;
  if (feature === undefined || !body.includes(feature.worktree) || existsSync(feature.worktree)) return [];
  return [`The worktree is gone: \`slipway resume\` recreates it when needed; \`slipway diff ${feature.id}\` works without it.`];
}

function describe(question: InboxQuestion, name: string, more: readonly string[], color: boolean): string {
  const { bold, dim } = paint(color);
  const options = question.options.map(({ value, label }) => `     ${value}: ${label}`);
  const head =
    question.status === "open"
      ? bold(`${name}  ${oneLine(question.title)}`)
      : dim(`    ${oneLine(question.title)} (${question.status}${question.answeredBy === null ? "" : ` by ${question.answeredBy}`})`);
  if (question.status !== "open") return `${head}\n`;
  return (
    [head, ...indented([question.body.trimEnd(), ...more].join("\n")), ...options, dim(`     → ${answerCommand(question, name)}`), ""].join(
      "\n",
    ) + "\n"
  );
}

function indented(text: string): string[] {
  return text === ""
    ? []
    : text
        .trimEnd()
        .split("\n")
        .map((line) => `     ${line}`);
}
