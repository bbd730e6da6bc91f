import { SlipwayError } from "@slipway/kernel/schema/errors";
import { assertCanonicalPath } from "@slipway/kernel/paths/paths";
import type { CompileOracle, CompileResult, SourceProblem, SourceTree, ToolRun } from "../../adapter.ts";
import { CompilerCrash, CompilerProcess, type CheckLimits } from "./compiler-process.ts";
import { strictProblems } from "./strict.ts";
import { suppressions } from "./suppressions.ts";

const TIMEOUT_MS = 30_000;
/** A tree of ten thousand files needs less than half of it. */
const MEMORY_BYTES = 4 * 1024 ** 3;

interface OracleOptions extends Pick<ToolRun, "timeoutMs" | "signal"> {
  readonly memoryBytes?: number;
}

export interface OpenOracle extends CompileOracle {
  /** The compiler's process; null before the first check and after `close`. */
  readonly pid: number | null;
}

/**
 * Holds a tree in a compiler of its own. Calls are done one after another. The compiler starts with the first of them, is started again
 * after a crash, and is killed when it does not answer in time.
 */
export function openOracle(tree: SourceTree, options: OracleOptions = {}): OpenOracle {
  const { timeoutMs = TIMEOUT_MS, memoryBytes = MEMORY_BYTES, signal } = options;
  const state = new OracleState(tree);
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
  const limits = { timeoutMs, memoryBytes, signal };
  return {
    get pid() {
      return state.pid;
    },
    check: () =>
      inTurn(async () => {
        const own = Object.entries(state.texts).flatMap(([path, text]) => suppressions(path, text));
        return resultOf([...strictProblems(state.texts), ...own, ...(await state.problems(null, limits))]);
      }),
    checkFile: (path, text) => {
      const file = assertCanonicalPath(path);
      return inTurn(() =>
        state.trying(file, text, async () => resultOf([...suppressions(file, text), ...(await state.problems(file, limits))])),
      );
    },
    accept: (path, text) => inTurn(async () => state.accept(assertCanonicalPath(path), text)),
    close: () => inTurn(async () => state.close()),
  };
}

class OracleState {
  readonly texts: Record<string, string>;
  #process: CompilerProcess | null = null;
  #trial: { readonly path: string; readonly text: string } | null = null;

  constructor(tree: SourceTree) {
    this.texts = Object.fromEntries(Object.entries(tree).map(([path, text]) => [assertCanonicalPath(path), text]));
  }

  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  accept(path: string, text: string): void {
    this.texts[path] = text;
    this.#process?.set(path, text);
  }

  /** The tree has its former text again afterwards. */
  async trying<T>(path: string, text: string, work: () => Promise<T>): Promise<T> {
    this.#trial = { path, text };
    this.#process?.set(path, text);
    try {
      return await work();
    } finally {
      this.#trial = null;
      this.#process?.set(path, this.texts[path] ?? null);
    }
  }

  /** Reading has no side effects, so a check that ended with a crash is done once more. */
  async problems(path: string | null, limits: CheckLimits): Promise<SourceProblem[]> {
    limits.signal?.throwIfAborted();
    try {
      return await this.#attempt(path, limits);
    } catch (error) {
      if (!(error instanceof CompilerCrash)) throw error;
    }
    try {
      return await this.#attempt(path, limits);
    } catch (error) {
      if (!(error instanceof CompilerCrash)) throw error;
      const suggested_next_actions = ["Simplify the types of the last change."];
      throw new SlipwayError(
        "compiler_failed",
        `TypeScript ended twice during one check: ${error.message}`,
        { suggested_next_actions },
        { cause: error },
      );
    }
  }

  async #attempt(path: string | null, limits: CheckLimits): Promise<SourceProblem[]> {
    const trial = this.#trial === null ? {} : { [this.#trial.path]: this.#trial.text };
    this.#process ??= new CompilerProcess({ ...this.texts, ...trial });
    try {
      return await this.#process.problems(path, limits);
    } catch (error) {
      this.#process = null;
      throw error;
    }
  }

  close(): void {
    this.#process?.kill();
    this.#process = null;
  }
}

function resultOf(problems: readonly SourceProblem[]): CompileResult {
  const sorted = problems.toSorted(
    (a, b) => compare(a.file ?? "", b.file ?? "") || a.line - b.line || a.column - b.column || compare(a.message, b.message),
  );
  return { passed: sorted.length === 0, problems: sorted };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
