import { SlipwayError } from "@slipway/agents/errors";
import { LANGUAGE_IDS, type LanguageId } from "@slipway/languages/adapter";
import { languageFacts, type LanguageFacts } from "@slipway/languages/language-facts";
import type { RunCommand } from "../../surface/command.ts";
import { jsonLine } from "../../surface/escape.ts";
import { EXIT } from "../../surface/exit-codes.ts";
import { paint } from "../../surface/paint.ts";

/** Target languages: their tools on this machine, and how contracts, witnesses and claims are checked in each. */
export const run: RunCommand = async (args, io) => {
  const [named] = args.positionals;
  const found: LanguageFacts[] = [];
  const machine = { env: io.env };
  for (const id of named === undefined ? LANGUAGE_IDS : [languageNamed(named)]) found.push(await languageFacts(id, machine));
  io.out(args.flag("json") ? jsonLine(found) : `${found.map((facts) => factLines(facts, io.color).join("\n")).join("\n\n")}\n`);
  return EXIT.done;
};

function languageNamed(named: string): LanguageId {
  const found = LANGUAGE_IDS.find((id) => id === named);
  if (found !== undefined) return found;
  throw new SlipwayError("invalid_cli_args", `There is no target language ${JSON.stringify(named)}.`, {
    suggested_next_actions: [`Choose one of ${LANGUAGE_IDS.join(", ")}.`],
  });
}

function factLines({ id, title, support, missing, scanners, witness, type_system, claims }: LanguageFacts, color: boolean): string[] {
  const { bold, dim, green, yellow } = paint(color);
  const features = Object.entries(type_system).map(([feature, how]) => `${feature} ${how}`);
  return [
    bold(`${title} (${id}): ${support} support`),
    missing.length === 0 ? `  tools: ${green("all installed")}` : "  tools",
    ...missing.map(({ tool, neededFor, install }) => `    ${yellow("missing")} ${tool}, for ${neededFor}: ${install}`),
    ...scanners.map(({ tool, installed, install }) =>
      installed ? `  scanner: ${tool}` : `  scanner: ${tool} is not installed ${dim(`(${install})`)}`,
    ),
    `  witnesses: ${witness.level} (tier ${witness.tier})`,
    ...(features.length === 0 ? [] : [`  type system: ${features.join(", ")}`]),
    ...claims.map(({ type, test, framework, missing: why }) =>
      why === null ? `  ${type} claim: ${test}, ${framework}` : `  ${type} claim: untested; ${why}`,
    ),
  ];
}
