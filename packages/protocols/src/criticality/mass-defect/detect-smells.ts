import type { ParsedSource, SourceTree } from "@slipway/languages/adapter";
import type { DetectedSmell } from "@slipway/languages/analysis/smells";
import { z } from "zod";
import type { TransformationCatalog } from "../catalog/catalog.ts";
import { SMELL_CATEGORIES } from "../catalog/schema.ts";
import type { CriticalityRun } from "../criticality-run.ts";
import { functionId, parseSources, subjectOf } from "../lattice/lattice.ts";
import { functionText } from "./splice.ts";

/** Smells that a model has found in a function, as long as its text is the same. */
export interface ReportedSmells {
  readonly text: string;
  readonly smells: readonly DetectedSmell[];
}

const MOST_SMELLS = 20;

const smellsAnswer = z.strictObject({
  smells: z.array(z.strictObject({ id: z.string(), lines: z.array(z.int().min(1)).min(1) })).max(MOST_SMELLS),
});

/** Asks about every function that has changed since it was asked about. `pass` is part of the names of steps. */
export async function detectSmells(
  run: CriticalityRun,
  catalog: TransformationCatalog,
  tree: SourceTree,
  pass: string,
  reported: Map<string, ReportedSmells>,
): Promise<void> {
  const { language } = run.services;
  for (const [path, ast] of parseSources(tree, language))
    for (const { name, line } of ast.functions.filter(({ isHole }) => !isHole)) {
      const id = functionId(path, name);
      const text = functionText(ast, name);
      if (reported.get(id)?.text === text) continue;
      const known = new Set(language.smells(ast, name).map((smell) => smell.id));
      const { smells } = await run.askModel(`reduce:smells:${id}:${pass}`, {
        phase: "massDefect",
        skill: "detect_smells",
        alias: "architect_model",
        subject: subjectOf(id),
        attempt: `smells.${pass}`,
        artifacts: [
          { title: "Smells of the catalog", kind: "catalog", text: catalogText(catalog) },
          { title: "Measured smells", kind: "smells", text: known.size === 0 ? "(none)" : [...known].join("\n") },
          { title: `Function ${name}`, kind: "code", text },
        ],
        schema: smellsAnswer,
      });
      const others = smells.filter((smell) => catalog.getSmell(smell.id) !== null && !known.has(smell.id));
      const placed = others.map((smell) => ({
        id: smell.id,
        function: name,
        line: line + Math.min(...smell.lines) - 1,
        measured: null,
        detail: "found by a model",
      }));
      reported.set(id, { text, smells: placed });
    }
}

/** What a model has found in the function as it is now. */
export function reportedIn(reported: ReadonlyMap<string, ReportedSmells>, id: string, ast: ParsedSource, name: string) {
  const found = reported.get(id);
  return found !== undefined && found.text === functionText(ast, name) ? found.smells : [];
}

function catalogText(catalog: TransformationCatalog): string {
  return SMELL_CATEGORIES.flatMap((category) =>
    catalog.getSmellsByCategory(category).map(({ id, description }) => `${id} (${category}): ${description}`),
  ).join("\n");
}
