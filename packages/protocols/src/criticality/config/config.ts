import { SlipwayError } from "@slipway/agents/errors";
import { decodeText } from "@slipway/kernel/schema/text";
import { checkSchema, pathOf, type SchemaViolation } from "@slipway/kernel/schema/violations";
import { parse, TomlError } from "smol-toml";
import type { z } from "zod";
import { assertContextWindows } from "../routing/roles.ts";
import { isTable, replaceOldKeys, type TomlTable } from "./old-keys.ts";
import { configSchema } from "./sections.ts";

export type CriticalityConfig = z.output<typeof configSchema>;

export const CONFIG_FILE = "slipway/criticality.toml";

export interface ReadConfig {
  readonly config: CriticalityConfig;
  /** One line each: unknown and deprecated keys. */
  readonly warnings: readonly string[];
}

/** Reads the configuration; null is a repository without the file. */
export function parseConfig(text: string | null, file: string = CONFIG_FILE): ReadConfig {
  const table = text === null ? {} : tableOf(decodeText(file, text), file);
  assertOneLanguage(table, file);
  const warnings = [...replaceOldKeys(table), ...dropUnknownKeys(table)];
  const checked = checkSchema(configSchema, table);
  if (!checked.ok) throw invalid(file, checked.violations);
  assertContextWindows(checked.value.models.context as Parameters<typeof assertContextWindows>[0], file);
  if (checked.value.notifications !== null) warnings.push("[notifications] has no effect here: write it to slipway/policy.yaml.");
  return { config: checked.value, warnings: warnings.map((warning) => `${file}: ${warning}`) };
}

function tableOf(text: string, file: string): TomlTable {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const { line, column } = error;
    throw new SlipwayError("config_invalid", `${file}, line ${line}, column ${column}: it is not valid TOML.`, {
      file,
      line,
      column,
      suggested_next_actions: [`Correct ${file} at line ${line}, then run the command again.`],
    });
  }
}

function assertOneLanguage({ project }: TomlTable, file: string): void {
  if (!isTable(project)) return;
  const several = Array.isArray(project["language"]) ? "language" : Object.hasOwn(project, "languages") ? "languages" : null;
  if (several === null) return;
  throw new SlipwayError("config_invalid", `${file}, project.${several}: a project has exactly one target language.`, {
    file,
    field: `project.${several}`,
    suggested_next_actions: ['Write one language, such as language = "typescript".'],
  });
}

/** Removes keys that the schema does not know, in place, and names each. */
function dropUnknownKeys(table: TomlTable): string[] {
  const checked = checkSchema(configSchema, table);
  if (checked.ok) return [];
  const unknown = checked.violations.filter(({ rule, pointer }) => rule === "unknown_field" && !pointer.startsWith("/models/endpoints"));
  return unknown.map(({ pointer }) => {
    const path = pathOf(pointer);
    const key = path.pop() ?? "";
    let parent: unknown = table;
    for (const name of path) parent = (parent as Record<string, unknown>)[name];
    if (isTable(parent)) delete parent[key];
    return `the key ${keyPath(pointer)} is unknown and has no effect.`;
  });
}

function invalid(file: string, violations: readonly SchemaViolation[]): SlipwayError {
  const lines = violations.map(({ pointer, message }) => `  ${keyPath(pointer)}: ${message}`);
  return new SlipwayError("config_invalid", `${file} is not valid:\n${lines.join("\n")}`, {
    file,
    field: keyPath(violations[0]?.pointer ?? ""),
    violations,
    suggested_next_actions: [`Correct ${file}, then run the command again.`],
  });
}

/** `circuit_breaker.phase_failure_rate`. */
function keyPath(pointer: string): string {
  return pathOf(pointer)
    .map((key) => (/^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key)))
    .join(".");
}
