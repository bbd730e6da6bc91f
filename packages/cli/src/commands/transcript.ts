import { jsonLine } from "@slipway/protocols/surface/escape";
import { readTranscript } from "@slipway/agents/transcripts/read";
import { SlipwayError } from "../errors.ts";
import { ANY_STATUS, chooseRun } from "@slipway/runtime/choose";
import type { Arguments, RunCommand } from "@slipway/protocols/surface/command";
import { EXIT } from "@slipway/protocols/surface/exit-codes";
import type { Io } from "@slipway/protocols/surface/io";
import { withReader } from "@slipway/runtime/reader";
import { chooseTranscript, transcriptsOf, type FoundTranscript } from "../transcripts/find.ts";
import { transcriptsOfFeature } from "../transcripts/of-feature.ts";
import { partOf, STATES, summaryLine } from "../transcripts/render.ts";

const PAGE = 200;

/** Shows the prompt and answer of an agent. Without a step, lists the invocations. */
export const run: RunCommand = (args, io) =>
  withReader(io, async ({ records, engine }) => {
    const [named, step] = args.positionals;
    const ofFeature = named === undefined || (await engine.run(named)) !== undefined ? null : await transcriptsOfFeature(records, named);
    const { runId } = ofFeature ?? (await chooseRun(engine, named, ANY_STATUS));
    const all = ofFeature?.found ?? (await transcriptsOf(records, runId));
    if (ofFeature !== null && !args.flag("json")) ofFeature.notes.forEach((note) => io.out(`${note}\n`));
    if (step === undefined) list(all, runId, args, io);
    else await show(chooseTranscript(all, runId, step), ofFeature === null ? runId : ofFeature.name, args, io);
    return EXIT.done;
  });

function list(all: readonly FoundTranscript[], runId: string, args: Arguments, io: Io): void {
  if (args.flag("json")) return all.forEach((found) => io.out(jsonLine({ run: runId, ...found })));
  io.out(`run ${runId}\n`);
  if (all.length === 0) io.out("No agent was called yet.\n");
  for (const found of all) io.out(`${summaryLine(found)}\n`);
}

async function show(found: FoundTranscript, runId: string, args: Arguments, io: Io): Promise<void> {
  const { file, digest, name, state } = found;
  const json = args.flag("json");
  const shown = { full: args.flag("full"), raw: args.flag("raw") };
  const from = wholeNumber(args, "from", 1);
  const limit = wholeNumber(args, "limit", json ? Number.MAX_SAFE_INTEGER : PAGE);
  if (!json) io.out(`${summaryLine(found)}\n`);
  let number = 0;
  for await (const line of readTranscript(file, digest)) {
    const parts = json ? [jsonLine(line).trimEnd()] : partOf(line, shown);
    if (parts.length === 0 || ++number < from) continue;
    if (number >= from + limit) return io.out(`\n… more: slipway transcript ${runId} ${name} --from ${number}\n`);
    io.out(`${parts.join("\n")}\n`);
  }
  if (!json && state !== "done") io.out(`\nThis transcript ${STATES[state]}.\n`);
}

function wholeNumber(args: Arguments, option: string, otherwise: number): number {
  const text = args.text(option);
  if (text === undefined) return otherwise;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new SlipwayError("invalid_cli_args", `--${option} takes a whole number from 1, not '${text}'.`, {
    suggested_next_actions: ["Run `slipway transcript --help`."],
  });
}
