import { SlipwayError } from "@slipway/agents/errors";
import type { Arguments, RunCommand } from "../../surface/command.ts";
import { personOf } from "../../surface/caller.ts";
import { jsonLine } from "../../surface/escape.ts";
import { EXIT, type ExitCode } from "../../surface/exit-codes.ts";
import type { Surface } from "../../surface/surface.ts";
import { answerFrom } from "../../surface/answer-value.ts";
import { oneLine } from "../../narration/one-line.ts";
import { blockingQuery, openQuestions, queryLines, type BlockingQuery } from "./blocking-query.ts";
import { chosenRun, openRun } from "./with-run.ts";

/** Answers the question that blocks a run, and continues the run. */
export const run: RunCommand = async (args, io) => {
  const found = await findBlock(args, io);
  if (found === null || found.query === null) return sayNothingBlocked(args, io, found?.waiting ?? []);
  const { query, runId } = found;
  if (query.asked === null) {
    if (!args.flag("json")) io.out(`${query.id} is answered already; the run continues.\n`);
    return io.resume(args, runId);
  }
  const [number] = args.positionals;
  if (number === undefined && (!io.interactive || args.flag("json"))) return showQuery(args, io, query);
  const answer =
    number === undefined ? await askPerson(args, io, query) : { option: numbered(query, number), comment: args.text("comment") };
  if (answer === null) return EXIT.personNeeded;
  const { id } = query.asked;
  const value = answerFrom(query.asked, answer.option, answer.comment);
  await io.reader(({ records }) => records.answer({ id, value, by: personOf(io) }));
  if (!args.flag("json")) io.out(`${query.id}: ${answer.option}\n`);
  return io.resume(args, runId);
};

interface FoundBlock {
  readonly runId: string;
  readonly query: BlockingQuery | null;
  /** Titles of other questions that wait. */
  readonly waiting: readonly string[];
}

function findBlock(args: Arguments, io: Surface): Promise<FoundBlock | null> {
  return io.reader(async (reader) => {
    const info = await chosenRun(reader, args.text("run"));
    if (info === null) return null;
    const open = await openQuestions(reader.records, info.runId);
    const { state } = await openRun(reader, info);
    return { runId: info.runId, query: blockingQuery(state, open), waiting: open.map(({ title }) => title) };
  });
}

function sayNothingBlocked(args: Arguments, io: Surface, waiting: readonly string[]): ExitCode {
  if (args.flag("json")) io.out(jsonLine({ blocked: false }));
  else {
    io.out("Nothing is blocked.\n");
    for (const title of waiting) io.out(`  a question waits: ${oneLine(title)}\n  next: slipway resume\n`);
  }
  return EXIT.done;
}

/** Where nobody can be asked. */
function showQuery(args: Arguments, io: Surface, query: BlockingQuery): ExitCode {
  const { id, question, options } = query;
  if (args.flag("json")) io.out(jsonLine({ blocked: true, query: { id, severity: "blocking", question, options } }));
  else io.out(`${queryLines(query).join("\n")}\n  next: slipway criticality resolve NUMBER\n`);
  return EXIT.personNeeded;
}

function numbered({ options }: BlockingQuery, given: string): string {
  const option = /^[1-9]\d*$/.test(given) ? options[Number(given) - 1] : options.find(({ id }) => id === given);
  if (option !== undefined) return option.id;
  throw new SlipwayError(
    "invalid_cli_args",
    `There is no option ${JSON.stringify(given.slice(0, 80))}: give a number from 1 to ${options.length}.`,
    {
      suggested_next_actions: options.map(({ label }, index) => `${index + 1}: ${label}`),
    },
  );
}

interface ChosenOption {
  readonly option: string;
  readonly comment: string | undefined;
}

const LATER = "later";

/** Null if the person leaves the block as it is. */
async function askPerson(args: Arguments, io: Surface, query: BlockingQuery): Promise<ChosenOption | null> {
  io.out(`${queryLines(query).join("\n")}\n`);
  const options = query.options.map(({ id, label }) => ({ value: id, label }));
  // Enter alone decides nothing.
  const option = await io.prompt.choose("What should happen?", [...options, { value: LATER, label: "Leave it blocked" }], LATER);
  if (option === null || option === LATER) return null;
  const comment = args.text("comment") ?? (await askWords(io, NEEDS_WORDS.has(option)));
  return comment === null ? null : { option, comment: comment === "" ? undefined : comment };
}

/** Options whose effect is what the person writes. */
const NEEDS_WORDS: ReadonlySet<string> = new Set(["hybrid", "decide", "clarify"]);

async function askWords(io: Surface, needed: boolean): Promise<string | null> {
  for (;;) {
    const written =
      (await io.prompt.write(needed ? "Your words: they are recorded and enforced" : "A comment (may be empty)"))?.trim() ?? null;
    if (written !== "" || !needed) return written;
  }
}
