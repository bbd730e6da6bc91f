import { SlipwayError } from "@slipway/agents/errors";
import type { PatternDefinition, SmellDefinition, TransformationCatalog } from "../catalog/catalog.ts";
import { loadCatalog } from "../catalog/load-catalog.ts";
import { RISK } from "../catalog/risk.ts";
import { SMELL_CATEGORIES } from "../catalog/schema.ts";
import type { RunCommand } from "../../surface/command.ts";
import { jsonLine } from "../../surface/escape.ts";
import { EXIT } from "../../surface/exit-codes.ts";
import { paint } from "../../surface/paint.ts";

/** Smells by category and the patterns against each; or everything about one smell or pattern. */
export const run: RunCommand = async (args, io) => {
  const [id] = args.positionals;
  const { catalog } = await loadCatalog();
  const all = SMELL_CATEGORIES.map((category) => ({ category, smells: catalog.getSmellsByCategory(category) }));
  if (id !== undefined) {
    const found = catalog.getSmell(id) ?? catalog.getPattern(id);
    if (found === null) throw unknown(id, catalog);
    io.out(args.flag("json") ? jsonLine(found) : `${("category" in found ? smellLines(found) : patternLines(found)).join("\n")}\n`);
  } else if (args.flag("json")) io.out(jsonLine(all));
  else {
    const { bold } = paint(io.color);
    const lines = all.flatMap(({ category, smells }) => [bold(category), ...smells.map(smellLine)]);
    io.out(`${lines.join("\n")}\n`);
  }
  return EXIT.done;
};

function unknown(id: string, catalog: TransformationCatalog): SlipwayError {
  const known = [
    ...SMELL_CATEGORIES.flatMap((category) => catalog.getSmellsByCategory(category).map((one) => one.id)),
    ...catalog.patternIds(),
  ];
  return new SlipwayError("invalid_cli_args", `The catalog has neither a smell nor a pattern ${JSON.stringify(id)}.`, {
    suggested_next_actions: [`It has ${known.join(", ")}.`],
  });
}

function smellLine({ id, applicablePatterns }: SmellDefinition): string {
  return `  ${id}: ${applicablePatterns.length === 0 ? "no pattern" : applicablePatterns.map(({ patternId }) => patternId).join(", ")}`;
}

function smellLines({ id, name, category, description, detection, applicablePatterns }: SmellDefinition): string[] {
  return [
    `${id}: ${name} (${category})`,
    `  ${description}`,
    ...Object.entries(detection.thresholds).map(([measure, limit]) => `  above ${measure} ${limit}`),
    ...applicablePatterns.map(({ patternId, risk, rationale }) => `  ${patternId} (risk ${risk}): ${rationale}`),
  ];
}

function patternLines({ id, name, description, risk, riskRationale, guards, enables }: PatternDefinition): string[] {
  return [
    `${id}: ${name}`,
    `  ${description}`,
    `  risk ${risk}, verified by ${RISK[risk].required.join(", ")}: ${riskRationale}`,
    ...guards.map((guard) => `  not if ${guard}`),
    ...(enables.length === 0 ? [] : [`  makes possible: ${enables.join(", ")}`]),
  ];
}
