import { parseArgs } from "node:util";
import { SlipwayError } from "./errors.ts";
import type { Arguments, CommandSpec } from "@slipway/protocols/surface/command";
import { COMMON_OPTIONS } from "./commands.ts";

/** Two-letter options that must never be read as two one-letter ones. */
const WHOLE_OPTION = /^-(f[il])(?==|$)/;

export function parseCommandLine(command: CommandSpec, argv: readonly string[]): Arguments {
  const specs = { ...command.options, ...COMMON_OPTIONS };
  const options = Object.fromEntries(
    Object.entries(specs).map(([name, { type, short }]) => [name, short === undefined ? { type } : { type, short }]),
  );
  const { values, positionals } = strictly(command, () =>
    parseArgs({ args: wholeOptions(argv), options, allowPositionals: true, strict: true }),
  );
  if (values["help"] !== true) checkPositionals(command, positionals);
  return {
    positionals,
    text: (name) => (typeof values[name] === "string" ? values[name] : undefined),
    flag: (name) => values[name] === true,
  };
}

function wholeOptions(argv: readonly string[]): string[] {
  const end = argv.indexOf("--");
  return argv.map((word, index) => (end === -1 || index < end ? word.replace(WHOLE_OPTION, "--$1") : word));
}

function strictly<T>(command: CommandSpec, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    const [reason = "bad arguments"] = (error instanceof Error ? error.message : String(error)).split(/\.\s/);
    throw invalid(command, reason);
  }
}

function checkPositionals(command: CommandSpec, given: readonly string[]): void {
  const missing = command.positionals.find(({ required }, index) => required && given[index] === undefined);
  if (missing !== undefined) throw invalid(command, `missing argument <${missing.name}>: ${missing.describe}`);
  const unlimited = command.positionals.some(({ many }) => many === true);
  if (!unlimited && given.length > command.positionals.length) {
    throw invalid(command, `unexpected argument '${given[command.positionals.length]}'`);
  }
}

function invalid(command: CommandSpec, reason: string): SlipwayError {
  return new SlipwayError("invalid_cli_args", `slipway ${command.name}: ${reason}.`, {
    suggested_next_actions: [`Run \`slipway ${command.name} --help\`.`],
  });
}
