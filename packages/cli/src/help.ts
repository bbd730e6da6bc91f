import type { CommandSpec, OptionSpec } from "@slipway/protocols/surface/command";
import { COMMANDS, COMMON_OPTIONS } from "./commands.ts";

export function overview(): string {
  const rows = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(10)} ${summary}`);
  return [
    "Slipway turns a specification into shipped software with evidence.",
    "",
    "Usage: slipway <command> [options]",
    "",
    ...rows,
    "",
    "Every command takes --json and --help. Exit codes: 0 done, 1 bug, 2 usage, 3 ended in failure, 23 a person is needed.",
    "New here? Try `slipway demo`.",
    "",
  ].join("\n");
}

export function commandHelp(command: CommandSpec): string {
  const usage = command.positionals.map(({ name, required, many }) => {
    const text = many === true ? `${name}…` : name;
    return required ? `<${text}>` : `[${text}]`;
  });
  return [
    `slipway ${command.name}: ${command.summary}`,
    "",
    `Usage: slipway ${[command.name, ...usage, "[options]"].join(" ")}`,
    "",
    ...command.positionals.flatMap(({ name, describe, values = [] }) => [
      row(name, describe),
      ...values.map((value) => row(`  ${value.name}`, value.summary)),
    ]),
    ...Object.entries({ ...command.options, ...COMMON_OPTIONS }).map(([name, option]) => row(optionLabel(name, option), option.describe)),
    ...(command.subcommands === undefined
      ? []
      : ["", "Besides:", ...command.subcommands.map(({ name, summary }) => row(`${command.name} ${name}`, summary))]),
    "",
    `Example: ${command.example}`,
    "",
  ].join("\n");
}

function optionLabel(name: string, { short, hint }: OptionSpec): string {
  return `${short === undefined ? "" : `-${short}, `}--${name}${hint === undefined ? "" : ` ${hint}`}`;
}

function row(label: string, text: string): string {
  return `  ${label.padEnd(30)} ${text}`;
}
