import { SlipwayError } from "@slipway/agents/errors";
import { commitNow } from "@slipway/kernel/host/git/commit-now";
import { readTreeTexts } from "@slipway/kernel/host/git/tree-texts";
import type { Kernel } from "@slipway/kernel/kernel";
import type { LanguageAdapter, SourceFunction, SourceTree } from "@slipway/languages/adapter";
import { languageAdapter } from "@slipway/languages/adapters";
import type { CriticalityConfig } from "../config/config.ts";
import { functionId, isSource } from "../lattice/lattice.ts";
import { committedConfig } from "./committed-artifacts.ts";
import type { ServerGuard } from "./guard.ts";

/** The program at one commit. */
export interface CommittedCode {
  readonly commit: string;
  readonly language: LanguageAdapter;
  readonly config: CriticalityConfig;
  /** Project files and everything below `src`. */
  readonly sources: SourceTree;
  readonly tests: SourceTree;
}

const LIMITS = { maxFiles: 5_000, maxFileBytes: 1024 * 1024, maxBytes: 32 * 1024 * 1024 };

/** Reads the commit of the base branch, or of the branch that the session names. Nothing of the checkout is read. */
export async function committedCode(kernel: Kernel, { ref, env }: Pick<ServerGuard, "ref" | "env">): Promise<CommittedCode> {
  const { repository, configuration } = kernel;
  const branch = ref ?? configuration.policy.worktree.base_branch;
  const commit = await commitNow(repository, `refs/heads/${branch}`);
  if (commit === null) throw noBranch(branch);
  const config = await committedConfig(kernel);
  const language = await languageAdapter(config.project.language, { env });
  const texts = await readTreeTexts(repository, commit, { ...LIMITS, wanted: isOfProgram });
  const paths = Object.keys(texts);
  const pick = (isTest: boolean) =>
    Object.fromEntries(paths.filter((path) => isTestPath(path) === isTest).map((path) => [path, texts[path] ?? ""]));
  return { commit, language, config, sources: pick(false), tests: pick(true) };
}

/** Files of the root folder say how the program is compiled. */
function isOfProgram(path: string): boolean {
  return !path.includes("/") || /^(?:src|tests)\//.test(path);
}

function isTestPath(path: string): boolean {
  return path.startsWith("tests/") || /(?:_test|\.test)\.[a-z]+$/.test(path);
}

export interface CommittedFunction {
  readonly id: string;
  readonly path: string;
  readonly declared: SourceFunction;
}

/** The functions of the program. A file that does not parse has none. */
export function functionsOf({ sources, language }: Pick<CommittedCode, "sources" | "language">): CommittedFunction[] {
  const paths = Object.keys(sources).filter((path) => isSource(path, language));
  return paths.toSorted().flatMap((path) => {
    try {
      const { functions } = language.parseAst(sources[path] ?? "");
      return functions.map((declared) => ({ id: functionId(path, declared.name), path, declared }));
    } catch (error) {
      if (error instanceof SlipwayError && error.code === "source_syntax") return [];
      throw error;
    }
  });
}

const MOST_CANDIDATES = 20;

/** `PATH#NAME`, or a name that only one function has. */
export function findFunction(code: Pick<CommittedCode, "sources" | "language">, wanted: string): CommittedFunction {
  const all = functionsOf(code);
  const found = all.filter(({ id, declared }) => id === wanted || declared.name === wanted);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const many = found.length > 1;
  const candidates = (many ? found : all).slice(0, MOST_CANDIDATES).map(({ id }) => id);
  throw new SlipwayError("function_not_found", many ? "Several functions have that name." : "The committed code has no such function.", {
    candidates,
    suggested_next_actions: candidates.length === 0 ? ["Commit the code first."] : [`Name one as PATH#NAME: ${candidates.join(", ")}.`],
  });
}

function noBranch(branch: string): SlipwayError {
  return new SlipwayError("input_path_not_found", `There is no branch ${JSON.stringify(branch)}.`, {
    suggested_next_actions: ["Start the server with --ref and the name of a branch, or without --ref."],
  });
}
