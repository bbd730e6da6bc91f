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
import { readSpec } from "./spec/read-spec.ts";

/** Files that decide how the project is compiled and tested; the repository's own are kept. */
const PROJECT_FILES = ["package.json", "tsconfig.json", "pyproject.toml", "Cargo.toml", "go.mod", "pom.xml", "CMakeLists.txt"];

/** The input of a run. Configuration and specification are checked before anything is recorded. */
export async function prepareCriticality({ kernel, records }: Starter, { text, options = {}, cwd, env }: RunRequest): Promise<Prepared> {
  const read = committedFiles(kernel);
  const configText = await read(CONFIG_FILE);
  const { config, warnings } = parseConfig(configText, CONFIG_FILE);
  if (config.verifier !== null) assertVerifierInstalled(config.verifier, CONFIG_FILE);
  const file = options["spec"];
  if (file !== undefined && text !== null)
    throw new SlipwayError("invalid_cli_args", "Give an idea for the interview or --spec FILE, not both.", {
      suggested_next_actions: ["For example: `slipway criticality --spec spec.toml`."],
    });
  await assertTools(config.project.language, env);
  const bytes = file === undefined ? null : await readFileOf(cwd, file);
  const spec = bytes === null || file === undefined ? null : readSpec(file, bytes);
  const project = projectName(spec?.system.name ?? config.project.name ?? text);
  const files = await Promise.all(PROJECT_FILES.map(async (path) => [path, await read(path)] as const));
  const projectFiles = Object.fromEntries(files.filter((entry): entry is readonly [string, string] => entry[1] !== null));
  if (config.project.language === "typescript" && "tsconfig.json" in projectFiles) await assertStrict(projectFiles);
  const input: CriticalityInput = {
    project,
    idea: text,
    spec_digest: bytes === null ? null : await records.objects.put(bytes),
    config_text: configText,
    project_files: projectFiles,
  };
  return { input, slug: project, ...(warnings.length === 0 ? {} : { note: `\n${warnings.join("\n")}` }) };
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

/** The compile check refuses settings that are not strict, and no model may change them: said before a model is called. */
async function assertStrict(projectFiles: SourceTree): Promise<void> {
  const { strictProblems } = await import("@slipway/languages/typescript/oracle/strict");
  const [first] = strictProblems(projectFiles);
  if (first === undefined) return;
  throw new SlipwayError("config_invalid", first.message, {
    file: first.file,
    suggested_next_actions: ["Write it there, because `extends` is not followed, and commit it."],
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
