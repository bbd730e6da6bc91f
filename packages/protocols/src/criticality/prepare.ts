import { SlipwayError } from "@slipway/agents/errors";
import { readerAt } from "@slipway/kernel/config/committed-files";
import { featureIdOf } from "@slipway/kernel/change/plan/specs/feature-id";
import { readSpec as readFileOf } from "@slipway/kernel/change/plan/specs/read";
import type { LanguageId, SourceTree } from "@slipway/languages/adapter";
import type { Kernel } from "@slipway/kernel/kernel";
import type { Prepared, RunRequest } from "../protocol.ts";
import type { Starter } from "../surface/surface.ts";
import { CONFIG_FILE, parseConfig } from "./config/config.ts";
import { assertVerifierInstalled } from "./injection/formal-check.ts";
import type { CriticalityInput } from "./input.ts";
import { testCommand } from "./lattice/test-command.ts";
import { projectTemplate } from "./lattice/target.ts";
import { readSpec } from "./spec/read-spec.ts";
import { assertTestLibraries } from "./workspace/test-libraries.ts";

/** Files that decide how the project is compiled and tested; the repository's own are kept. */
const PROJECT_FILES = ["package.json", "tsconfig.json", "pyproject.toml", "Cargo.toml", "go.mod", "pom.xml", "CMakeLists.txt"];

/** The input of a run. Configuration and specification are checked before anything is recorded. */
export async function prepareCriticality(starter: Starter, { text, options = {}, cwd, env }: RunRequest): Promise<Prepared> {
  const file = options["spec"];
  if (file !== undefined && text !== null)
    throw new SlipwayError("invalid_cli_args", "Give an idea for the interview or --spec FILE, not both.", {
      suggested_next_actions: ["For example: `slipway criticality --spec spec.toml`."],
    });
  const spec = file === undefined ? null : { file, bytes: await readFileOf(cwd, file) };
  const { input, notes } = await programInput(starter, { idea: text, spec, env });
  return { input, slug: input.project, ...(notes.length === 0 ? {} : { note: `\n${notes.join("\n")}` }) };
}

export interface WantedProgram {
  readonly idea: string | null;
  readonly spec: { readonly file: string; readonly bytes: Uint8Array } | null;
  readonly env: RunRequest["env"];
}

export async function programInput(
  { kernel, records }: Pick<Starter, "kernel" | "records">,
  { idea, spec, env }: WantedProgram,
): Promise<{ readonly input: CriticalityInput; readonly notes: readonly string[] }> {
  const read = committedFiles(kernel);
  const configText = await read(CONFIG_FILE);
  const { config, warnings } = parseConfig(configText, CONFIG_FILE);
  if (config.verifier !== null) assertVerifierInstalled(config.verifier, CONFIG_FILE);
  const { language } = config.project;
  await assertTools(language, env);
  await assertTestLibraries(language, read);
  const named = spec === null ? null : readSpec(spec.file, spec.bytes).system.name;
  const files = await Promise.all(PROJECT_FILES.map(async (path) => [path, await read(path)] as const));
  const ownFiles = Object.fromEntries(files.filter((entry): entry is readonly [string, string] => entry[1] !== null));
  const settings = language === "typescript" ? await compilerSettings(ownFiles, read) : { files: {}, notes: [] };
  const projectFiles = { ...ownFiles, ...settings.files };
  const input: CriticalityInput = {
    project: projectName(named ?? config.project.name ?? idea),
    idea,
    spec_digest: spec === null ? null : await records.objects.put(spec.bytes),
    config_text: configText,
    project_files: projectFiles,
  };
  return { input, notes: [...warnings, ...settings.notes, ...reportNotes(kernel, language, projectFiles)] };
}

/** Files that the compiler settings of the repository consist of, and what to say about them. */
async function compilerSettings(ownFiles: SourceTree, read: (path: string) => Promise<string | null>) {
  const text = ownFiles["tsconfig.json"];
  if (text === undefined) return { files: {}, notes: [] };
  const { assertCompilerSettings, extendedFiles, uncheckedSettings } = await import("./workspace/compiler-settings.ts");
  const files = await extendedFiles(text, read);
  await assertCompilerSettings({ ...ownFiles, ...files });
  return { files, notes: uncheckedSettings(files) };
}

/** A program whose tests the gate does not report cannot merge. Only told: the gate can be corrected until the program is finished. */
function reportNotes({ configuration: { gates, policy } }: Kernel, id: LanguageId, projectFiles: SourceTree): string[] {
  const mode = policy.required_merge_mode;
  const { tests, coverage } = gates.parsers ?? {};
  const reports = [tests, coverage?.type === "junit_xml" ? coverage : undefined];
  if (reports.some((report) => report !== undefined && (report.modes?.some((one) => one === mode) ?? true))) return [];
  const command = testCommand(id, { ...projectTemplate({ id }, "program"), ...projectFiles });
  return [
    `slipway/gates.yaml names no test report for ${mode}, so a finished program waits until a step reports that its tests ran, such as ${JSON.stringify(command)} with parsers.tests.`,
  ];
}

/** A run needs its compiler and its test runner: said before a model is called. */
async function assertTools(id: LanguageId, env: RunRequest["env"]): Promise<void> {
  const { languageAdapter } = await import("@slipway/languages/adapters");
  const missing = (await (await languageAdapter(id, { env })).missingTools()).filter(({ isOptional }) => isOptional !== true);
  if (missing.length === 0) return;
  const said = missing.map(({ tool, neededFor }) => `${tool} is not installed. It is needed for ${neededFor}.`);
  throw new SlipwayError("tool_missing", said.join(" "), {
    tools: missing.map(({ tool }) => tool),
    suggested_next_actions: missing.map(({ install }) => install),
  });
}

/** A file of the base branch; null if it is not committed there. */
export function committedFiles({ repository, configuration }: Kernel): (path: string) => Promise<string | null> {
  const read = readerAt(repository, `refs/heads/${configuration.policy.worktree.base_branch}`);
  return async (path) => {
    try {
      const bytes = await read(path);
      return bytes === null ? null : Buffer.from(bytes).toString("utf8");
    } catch (error) {
      if (error instanceof SlipwayError && error.code === "config_missing") return null;
      throw error;
    }
  };
}

const LONGEST_NAME = 40;

function projectName(said: string | null | undefined): string {
  const words = (said ?? "program")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  return featureIdOf(`${words.slice(0, LONGEST_NAME).replace(/-+$/, "") || "program"}.md`);
}
