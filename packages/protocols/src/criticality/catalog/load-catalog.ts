import { readdir, readFile } from "node:fs/promises";
import { SlipwayError } from "@slipway/agents/errors";
import { decodeText } from "@slipway/kernel/schema/text";
import { checkSchema } from "@slipway/kernel/schema/violations";
import { parse, TomlError } from "smol-toml";
import type { z } from "zod";
import { openCatalog, type PatternDefinition, type SmellDefinition, type TransformationCatalog } from "./catalog.ts";
import { patternFileSchema, smellFileSchema, type PatternFile, type SmellFile } from "./schema.ts";

/** Catalog files are below `src` in an installation, too, like the files of roles. */
const BUILTIN = new URL("../../../src/criticality/catalog/", import.meta.url);

export interface LoadedCatalog {
  readonly catalog: TransformationCatalog;
  readonly smells: readonly SmellDefinition[];
  readonly patterns: readonly PatternDefinition[];
  /** References to patterns that the catalog does not have. They are left out. */
  readonly warnings: readonly string[];
}

export function loadCatalog(): Promise<LoadedCatalog> {
  return readCatalog(BUILTIN);
}

/** Reads `patterns/*.toml` and `smells/<category>/*.toml`. A broken file is refused with its name and field. */
export async function readCatalog(folder: URL): Promise<LoadedCatalog> {
  const files = new Map<string, Uint8Array>();
  for (const part of ["patterns", "smells"])
    for (const path of await tomlFiles(new URL(`${part}/`, folder)))
      files.set(`${part}/${path}`, await readFile(new URL(`${part}/${path}`, folder)));
  return catalogOf(files);
}

async function tomlFiles(folder: URL): Promise<string[]> {
  const paths = await readdir(folder, { recursive: true });
  return paths
    .filter((path) => path.endsWith(".toml"))
    .map((path) => path.replaceAll("\\", "/"))
    .toSorted();
}

/** The catalog from contents by path. */
export function catalogOf(files: ReadonlyMap<string, string | Uint8Array>): LoadedCatalog {
  const patternFiles = new Map<string, PatternFile>();
  const smellFiles = new Map<string, SmellFile>();
  for (const [path, content] of files) {
    if (path.startsWith("patterns/")) {
      const file = parsed(path, content, patternFileSchema);
      assertPlace(path, `patterns/${file.pattern.id}.toml`, "pattern.id");
      patternFiles.set(path, file);
    } else {
      const file = parsed(path, content, smellFileSchema);
      assertPlace(path, `smells/${file.smell.category}/${file.smell.id}.toml`, "smell.id or smell.category");
      smellFiles.set(path, file);
    }
  }
  const risks = new Map([...patternFiles.values()].map(({ pattern }) => [pattern.id, pattern.risk]));
  const warnings: string[] = [];
  const isKnown = (path: string, field: string, id: string) => {
    if (risks.has(id)) return true;
    warnings.push(`${path}, ${field}: there is no pattern ${id}; it is left out.`);
    return false;
  };
  const patterns = [...patternFiles].map(([path, file]) => patternOf(file, (id) => isKnown(path, "enables.patterns", id)));
  const smells = [...smellFiles].map(([path, file]) =>
    smellOf(file, ({ pattern, risk }) => {
      if (!isKnown(path, "applicable_patterns", pattern)) return false;
      if (risks.get(pattern) === risk) return true;
      throw broken(path, "applicable_patterns", `risk ${risk} of ${pattern} differs from the risk ${risks.get(pattern)} of the pattern`);
    }),
  );
  return { catalog: openCatalog(smells, patterns), smells, patterns, warnings };
}

function parsed<S extends z.ZodType>(path: string, content: string | Uint8Array, schema: S): z.output<S> {
  const checked = checkSchema(schema, parsedToml(path, decodeText(path, content)));
  if (checked.ok) return checked.value;
  const [first] = checked.violations;
  throw broken(path, first?.pointer.slice(1).replaceAll("/", ".") ?? "", first?.message ?? "");
}

function parsedToml(path: string, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw broken(path, `line ${error.line}`, error.message.split("\n")[0] ?? "");
  }
}

function assertPlace(path: string, expected: string, field: string): void {
  if (path !== expected) throw broken(path, field, `belongs to ${expected}`);
}

function broken(file: string, field: string, problem: string): SlipwayError {
  return new SlipwayError("config_invalid", `${file}, ${field}: ${problem}`, {
    file,
    field,
    suggested_next_actions: [`Correct ${file} of the catalog, or install Slipway again.`],
  });
}

function patternOf({ pattern, verification, guards, enables, prompt }: PatternFile, isKnown: (id: string) => boolean): PatternDefinition {
  const { id, name, description, risk, risk_rationale: riskRationale, languages = null } = pattern;
  return {
    id,
    name,
    description,
    risk,
    riskRationale,
    languages,
    verification: verification.required,
    guards: guards.conditions,
    checks: guards.checks,
    enables: enables.patterns.filter(isKnown),
    prompt,
  };
}

function smellOf(
  { smell, detection: { tools, heuristics, ...thresholds }, applicable_patterns }: SmellFile,
  isKnown: (reference: SmellFile["applicable_patterns"][number]) => boolean,
): SmellDefinition {
  return {
    ...smell,
    detection: { thresholds, tools, heuristics: heuristics.patterns },
    applicablePatterns: applicable_patterns
      .filter(isKnown)
      .map(({ pattern, risk, rationale }) => ({ patternId: pattern, risk, rationale })),
  };
}
