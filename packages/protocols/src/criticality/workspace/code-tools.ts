import type { CompileOracle, CompileResult, LanguageAdapter, SourceTree } from "@slipway/languages/adapter";
import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import type { TestRun } from "@slipway/languages/typescript/test-run";
import { openProjectFolders, type ProjectFolders } from "./project-folders.ts";

/** Compiler and test runner of a run, started on first use: a replay of recorded steps starts neither. */
export interface CodeTools {
  readonly language: LanguageAdapter;
  readonly folders: ProjectFolders;
  readonly sandbox: () => Promise<Sandbox>;
  /** The compiler with this tree open. */
  oracleFor(tree: SourceTree): Promise<CompileOracle>;
  /** Checks one file of a tree, which may differ from what the compiler has open. */
  compile(tree: SourceTree, path: string): Promise<CompileResult>;
  runTests(tree: SourceTree, files: readonly string[], run: { readonly signal: AbortSignal; readonly timeoutMs: number }): Promise<TestRun>;
  close(): Promise<void>;
}

export interface CodeToolsParts {
  readonly language: LanguageAdapter;
  readonly sandbox: () => Promise<Sandbox>;
}

interface OpenOracle {
  readonly tree: SourceTree;
  readonly oracle: Promise<CompileOracle>;
}

export function openCodeTools({ language, sandbox }: CodeToolsParts): CodeTools {
  const folders = openProjectFolders();
  let open: OpenOracle | null = null;

  async function oracleFor(tree: SourceTree): Promise<CompileOracle> {
    open ??= { tree, oracle: sandbox().then((box) => language.openOracle(tree, { sandbox: box })) };
    const { tree: before, oracle } = open;
    const opened = await oracle;
    if (before === tree) return opened;
    const isSmaller = Object.keys(before).some((path) => !(path in tree));
    if (isSmaller) {
      await opened.close();
      open = null;
      return oracleFor(tree);
    }
    open = { tree, oracle };
    for (const [path, text] of Object.entries(tree)) if (before[path] !== text) await opened.accept(path, text);
    return opened;
  }

  return {
    language,
    folders,
    sandbox,
    oracleFor,
    compile: async (tree, path) => (await oracleFor(tree)).checkFile(path, tree[path] ?? ""),
    runTests: async (tree, files, run) => {
      const box = await sandbox();
      return folders.withTree(tree, (folder) => language.runTests(folder, { sandbox: box, files, ...run }));
    },
    async close() {
      const opened = await open?.oracle.catch(() => null);
      open = null;
      await Promise.all([opened?.close(), folders.close()]);
    },
  };
}
