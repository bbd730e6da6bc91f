import { jsonLine } from "@slipway/protocols/surface/escape";
import { SlipwayError } from "../errors.ts";
import type { Arguments, RunCommand } from "@slipway/protocols/surface/command";
import { EXIT, type ExitCode } from "@slipway/protocols/surface/exit-codes";
import type { Io } from "@slipway/protocols/surface/io";
import { placesOf } from "@slipway/protocols/surface/caller";
import type { ChainVerdict } from "@slipway/durable/chain";
import type { Tampered } from "@slipway/kernel/record/facts/compare";
import { REPOSITORY_STREAM } from "@slipway/kernel/record/journal/repository";
import type { Records } from "@slipway/kernel/record/storage";
import { streamNames, verifyFacts, verifyJournal } from "@slipway/kernel/record/journal/heads";
import { withReader, type RunReader } from "@slipway/runtime/reader";

const DAY_MS = 24 * 60 * 60 * 1000;

const ACTIONS: Readonly<Record<string, (reader: RunReader, args: Arguments, io: Io) => Promise<ExitCode>>> = { show, verify, prune };

export const run: RunCommand = (args, io) => {
  const [name = ""] = args.positionals;
  const action = ACTIONS[name];
  if (action === undefined)
    throw new SlipwayError("invalid_cli_args", `slipway journal has no action '${name}'.`, {
      suggested_next_actions: ["Use show, verify or prune."],
    });
  return withReader(io, (reader) => action(reader, args, io));
};

async function show({ engine, records }: RunReader, args: Arguments, io: Io): Promise<ExitCode> {
  const limit = wholeNumber(args.text("limit") ?? "50", "--limit");
  const named = args.positionals[1];
  const streams = (await streamNames(records)).filter((stream) => named === undefined || stream === named);
  assertKnown(streams, named);
  for (const stream of streams) {
    const { seq } = await engine.head(stream);
    for (const event of await engine.events(stream, Math.max(1, seq - limit + 1), limit)) {
      if (args.flag("json")) io.out(jsonLine(event));
      else
        io.out(
          `${new Date(event.at).toISOString()}  ${event.stream} ${String(event.seq).padStart(4)}  ${event.kind.padEnd(10)} ${event.name}  ${event.hash.slice(0, 12)}\n`,
        );
    }
  }
  return EXIT.done;
}

async function verify({ records }: RunReader, args: Arguments, io: Io): Promise<ExitCode> {
  const verdicts = await verifyJournal(placesOf(io).stateHome, records);
  const named = args.positionals[1];
  const wanted = [...verdicts].filter(([stream]) => named === undefined || stream === named);
  assertKnown(wanted, named);
  const broken = wanted.filter(([, verdict]) => !verdict.ok);
  const rows = await tamperedRows(records, verdicts, named);
  const whole = broken.length === 0 && rows.length === 0;
  if (args.flag("json")) io.out(jsonLine({ ok: whole, streams: Object.fromEntries(wanted), rows }));
  else {
    for (const [stream, verdict] of wanted) {
      io.out(
        verdict.ok
          ? `ok      ${stream}: ${verdict.events} events, head ${verdict.head.hash.slice(0, 16)}\n`
          : `BROKEN  ${stream}: ${verdict.broken.reason} at event ${verdict.broken.seq}. ${verdict.broken.message}\n`,
      );
    }
    for (const { message } of rows) io.out(`BROKEN  ${message}\n`);
    io.out(
      whole
        ? `The journal is intact (${wanted.length} streams).\n`
        : `The journal has been changed. Keep a copy of ${records.layout.truth} before you do anything else.\n`,
    );
  }
  return whole ? EXIT.done : EXIT.failed;
}

/** Rows of checks, approvals and merges that are not as the journal recorded them; they say nothing if the journal itself is broken. */
async function tamperedRows(records: Records, verdicts: ReadonlyMap<string, ChainVerdict>, named: string | undefined): Promise<Tampered[]> {
  const whole = verdicts.get(REPOSITORY_STREAM)?.ok === true;
  return whole && (named === undefined || named === REPOSITORY_STREAM) ? verifyFacts(records) : [];
}

async function prune({ engine, records }: RunReader, args: Arguments, io: Io): Promise<ExitCode> {
  const days = wholeNumber(args.text("older-than") ?? "90", "--older-than");
  const pruned = await engine.prune({ finishedBefore: records.clock.now() - days * DAY_MS, keep: 0 });
  if (args.flag("json")) io.out(jsonLine({ ok: true, ...pruned }));
  else io.out(`${pruned.events} events of ${pruned.runs} finished runs were dropped; count and head of each are kept.\n`);
  return EXIT.done;
}

/** An unknown stream must not be reported as intact. */
function assertKnown(streams: readonly unknown[], named: string | undefined): void {
  if (named === undefined || streams.length > 0) return;
  throw new SlipwayError("run_not_found", `The journal has no stream ${named}.`, {
    suggested_next_actions: ["Use a run id, `repository`, or no name for all of them; `slipway journal show` lists them."],
  });
}

function wholeNumber(text: string, option: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new SlipwayError("invalid_cli_args", `${option} takes a whole number, not '${text}'.`, {
    suggested_next_actions: ["Run `slipway journal --help`."],
  });
}
