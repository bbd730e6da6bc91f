import { SlipwayError } from "../errors.ts";
import { z } from "zod";
import type { InitFinding, FoundStep, GateStepKind } from "./finding.ts";
import { packageManagerOf, type PackageManager } from "./node-manager.ts";
import { at, has, textOf, type InitTarget } from "./target.ts";

const packages = z.record(z.string(), z.unknown()).default({});
const manifestSchema = z.looseObject({
  scripts: z.record(z.string(), z.string()).default({}),
  dependencies: packages,
  devDependencies: packages,
  optionalDependencies: packages,
  packageManager: z.string().optional(),
});

export type NodeManifest = z.output<typeof manifestSchema>;

/** Names of scripts for gates, best first. */
const SCRIPTS: readonly (readonly [GateStepKind, readonly string[]])[] = [
  ["typecheck", ["typecheck", "type-check", "check-types", "check:types", "tsc"]],
  ["lint", ["lint", "lint:check"]],
  ["test", ["test", "test:unit", "test:ci"]],
];

export function detectNode(place: InitTarget): InitFinding | null {
  if (!has(place, "package.json")) return null;
  const manifest = readManifest(place);
  const manager = packageManagerOf(place, manifest.packageManager);
  const notes: string[] = [];
  const steps = SCRIPTS.flatMap(([kind, names]) => chooseScript(place, manifest, manager, kind, names, notes));
  const shared = needsPackages(manifest) ? [installedFolder(place)] : [];
  for (const folder of shared.filter((folder) => !place.machine.here(folder))) {
    notes.push(`${folder} does not exist yet: run \`${manager.install}\` before \`slipway run\`, because gates have no network.`);
  }
  return { steps, commands: [manager.name], shared, home: manager.home, notes };
}

function readManifest(place: InitTarget): NodeManifest {
  const file = at(place, "package.json");
  const result = manifestSchema.safeParse(parseJson(file, textOf(place, "package.json")));
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw unreadable(file, `${issue?.path.join(".") || "the file"}: ${issue?.message}`);
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw unreadable(file, error instanceof Error ? error.message : String(error));
  }
}

function unreadable(file: string, reason: string): SlipwayError {
  return new SlipwayError("config_invalid", `${file} cannot be understood (${reason}). Nothing was written.`, {
    file,
    suggested_next_actions: [`Correct ${file}, then run \`slipway init\` again.`],
  });
}

function chooseScript(
  place: InitTarget,
  manifest: NodeManifest,
  manager: PackageManager,
  kind: GateStepKind,
  names: readonly string[],
  notes: string[],
): FoundStep[] {
  for (const name of names) {
    const script = manifest.scripts[name];
    if (script === undefined) continue;
    const problem = unfit(script);
    if (problem === null) {
      const why = `${at(place, "package.json")} has the script "${name}", run with ${manager.name} because ${manager.because}.`;
      return [{ kind, cmd: manager.run(name), env: { CI: "1", ...manager.env }, why }];
    }
    notes.push(`The script "${name}" of ${at(place, "package.json")} was left out: ${problem}.`);
  }
  return [];
}

const PLACEHOLDER = /no test specified|^\s*(?:(?:echo\b[^&|;]*)?(?:(?:&&|;)?\s*exit\s+\d+)?|true|:)\s*$/i;
const WRITES = /(?:^|\s)(?:--fix|--write|--update-?snapshots?|-u)(?=\s|$)/i;
const WATCHES = /(?:^|\s)--watch(?:All)?(?!=false)(?=[\s=]|$)/;

/** Why a script cannot be a gate, or null. */
function unfit(script: string): string | null {
  if (PLACEHOLDER.test(script)) return "it is a placeholder that tests nothing";
  if (WATCHES.test(script)) return "it watches files and never ends";
  return WRITES.test(script) ? "it changes files, and a gate only looks" : null;
}

function needsPackages(manifest: NodeManifest): boolean {
  return [manifest.dependencies, manifest.devDependencies, manifest.optionalDependencies].some((list) => Object.keys(list).length > 0);
}

/** A workspace package without its own node_modules uses the root's. */
function installedFolder(place: InitTarget): string {
  const own = at(place, "node_modules");
  const inWorkspace = place.tree.exists("package.json") && !place.machine.here(own);
  return inWorkspace ? "node_modules" : own;
}
