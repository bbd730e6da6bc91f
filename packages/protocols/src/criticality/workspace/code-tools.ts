import { availableParallelism } from "node:os";
import type { CompileOracle, CompileResult, LanguageAdapter, SourceTree, TestSelection } from "@slipway/languages/adapter";
import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import type { TestRun } from "@slipway/languages/typescript/test-run";
import { openProjectFolders, type ProjectFolders } from "./project-folders.ts";
import { openTurns, type Turns } from "./turns.ts";

/** Compiler and test runner of a run, started on first use: a replay of recorded steps starts neither. */
export interface CodeTools {
  readonly language: LanguageAdapter;
  readonly folders: ProjectFolders;
  /** One for each processor: with more, bodies would exceed their time because others are checked. */
  readonly turns: Turns;
  readonly sandbox: () => Promise<Sandbox>;
  /** The compiler with this tree open. */
  oracleFor(tree: SourceTree): Promise<CompileOracle>;
  /** For a compiler that does not answer: the next call starts another one. */
  dropOracle(): void;
  /** Checks one file of a tree, which may differ from what the compiler has open. */
  compile(tree: SourceTree, path: string): Promise<CompileResult>;
  runTests(tree: SourceTree, files: readonly string[], run: TestRunSettings): Promise<TestRun>;
  close(): Promise<void>;
}

export interface TestRunSettings extends Pick<TestSelection, "coverage"> {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

export interface CodeToolsParts {
  readonly language: LanguageAdapter;
  readonly sandbox: () => Promise<Sandbox>;
  /** Of one check; the adapter's own limit by default. */
  readonly compileTimeoutMs?: number;
}

interface OpenOracle {
  readonly tree: SourceTree;
  readonly oracle: CompileOracle;
}

export function openCodeTools({ language, sandbox, compileTimeoutMs: timeoutMs }: CodeToolsParts): CodeTools {
  const folders = openProjectFolders();
  let current: Promise<OpenOracle> | null = null;

  /** Functions of a wave ask at the same time, so each call waits for the one before. */
  async function oracleFor(tree: SourceTree): Promise<CompileOracle> {
    current = moveTo(current, tree);
    return (await current).oracle;
  }

  /** A compiler that fails on the way is not used again: what it has open is uncertain. */
  async function moveTo(former: Promise<OpenOracle> | null, tree: SourceTree): Promise<OpenOracle> {
    const before = (await former?.catch(() => null)) ?? null;
    if (before?.tree === tree) return before;
    if (before !== null && Object.keys(before.tree).every((path) => path in tree)) {
      const { oracle } = before;
      try {
        for (const [path, text] of Object.entries(tree)) if (before.tree[path] !== text) await oracle.accept(path, text);
        return { tree, oracle };
      } catch {
        // Another one is started below.
      }
    }
    await before?.oracle.close().catch(() => undefined);
    const run = { sandbox: await sandbox(), ...(timeoutMs === undefined ? {} : { timeoutMs }) };
    return { tree, oracle: await language.openOracle(tree, run) };
  }

  function dropOracle(): Promise<void> {
    const dropped = current;
    current = null;
    return dropped === null ? Promise.resolve() : dropped.then(({ oracle }) => oracle.close()).catch(() => undefined);
  }

  return {
    language,
    folders,
    turns: openTurns(availableParallelism()),
    sandbox,
    oracleFor,
    compile: async (tree, path) => (await oracleFor(tree)).checkFile(path, tree[path] ?? ""),
    runTests: async (tree, files, run) => {
      const box = await sandbox();
      return folders.withTree(tree, (folder) => language.runTests(folder, { sandbox: box, files, ...run }));
    },
    dropOracle: () => void dropOracle(),
    async close() {
      await Promise.all([dropOracle(), folders.close()]);
    },
  };
}
