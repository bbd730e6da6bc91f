import { jsonLine } from "@slipway/protocols/surface/escape";
import { SlipwayError } from "./errors.ts";
import { toFailure } from "@slipway/durable/errors";
import type { CommandSpec } from "@slipway/protocols/surface/command";
import { COMMANDS, COMMON_OPTIONS } from "./commands.ts";
import { EXIT, type ExitCode } from "@slipway/protocols/surface/exit-codes";
import { commandHelp, overview } from "./help.ts";
import type { Io } from "@slipway/protocols/surface/io";
import { processIo } from "./io.ts";
import { nextActions } from "@slipway/protocols/surface/next-actions";
import { parseCommandLine } from "./parse.ts";
import { surfaceOf } from "./surface.ts";
import { closest } from "@slipway/kernel/schema/hint";
import { translateSystemError } from "@slipway/kernel/host/files/system-errors";
import { VERSION } from "./version.ts";

export async function main(argv: readonly string[], io: Io = processIo()): Promise<ExitCode> {
  try {
    return await dispatch(argv, io);
  } catch (error) {
    return report(translateSystemError(error), argv, io);
  }
}

async function dispatch(argv: readonly string[], io: Io): Promise<ExitCode> {
  const [name, ...rest] = argv;
  if (name === "--version" || name === "-v") return print(io, argv.includes("--json") ? jsonLine({ version: VERSION }).trimEnd() : VERSION);
  if (name === undefined || name === "--help" || name === "-h" || name === "help") return help(rest, io);
  const { command, words } = withSubcommand(find(name), rest);
  const args = parseCommandLine(command, words);
  if (args.flag("help")) return print(io, commandHelp(command).trimEnd());
  const { run } = await command.load();
  return run(args, surfaceOf(io));
}

function help([name, ...rest]: readonly string[], io: Io): ExitCode {
  if (name === undefined || name.startsWith("-")) return print(io, overview().trimEnd());
  return print(io, commandHelp(withSubcommand(find(name), rest).command).trimEnd());
}

/** The subcommand named by the first word; only options that every command takes may precede it. */
function withSubcommand(
  command: CommandSpec,
  words: readonly string[],
): { readonly command: CommandSpec; readonly words: readonly string[] } {
  const at = words.findIndex((word) => !Object.hasOwn(COMMON_OPTIONS, word.replace(/^--/, "")));
  const own = command.subcommands?.find(({ name }) => name === words[at]);
  if (own === undefined) return { command, words };
  return withSubcommand({ ...own, name: `${command.name} ${own.name}` }, words.toSpliced(at, 1));
}

function find(name: string): CommandSpec {
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command !== undefined) return command;
  const meant = closest(
    name,
    COMMANDS.map((candidate) => candidate.name),
  );
  throw new SlipwayError("invalid_cli_args", `There is no command '${name}'${meant === null ? "." : `; did you mean '${meant}'?`}`, {
    suggested_next_actions: ["Run `slipway --help` to see them all."],
  });
}

function print(io: Io, text: string): ExitCode {
  io.out(`${text}\n`);
  return EXIT.done;
}

/** The only place that catches errors: prints `code: message`, then the next actions. */
function report(error: unknown, argv: readonly string[], io: Io): ExitCode {
  const failure = toFailure(error);
  if (argv.includes("--json")) io.out(jsonLine({ ok: false, error: failure }));
  else {
    io.err(`${failure.code}: ${failure.message}\n`);
    for (const action of nextActions(failure)) io.err(`  next: ${action}\n`);
    if (failure.code === "internal_error")
      io.err("  next: This is a bug in Slipway; run again with --verbose and report what it prints.\n");
  }
  if (argv.includes("--verbose") && error instanceof Error) io.err(`${error.stack ?? ""}\n`);
  return exitCodeFor(error);
}

const FAILED_WORK = new Set([
  "gate_failed",
  "merge_failed",
  "journal_broken",
  "run_crashed_too_often",
  "checkout_in_the_way",
  "base_moved",
  "download_failed",
]);

const PERSON_NEEDED = new Set(["user_approval_required", "worktree_edited", "configuration_not_trusted"]);

function exitCodeFor(error: unknown): ExitCode {
  if (!(error instanceof SlipwayError) || error.code === "internal_error") return EXIT.bug;
  if (PERSON_NEEDED.has(error.code)) return EXIT.personNeeded;
  return FAILED_WORK.has(error.code) ? EXIT.failed : EXIT.usage;
}
