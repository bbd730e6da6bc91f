import { API, type Diagnostic, type Snapshot } from "typescript/unstable/async";
import { endWithUs } from "@slipway/kernel/host/sandbox/end-with-us";
import { residentBytes } from "@slipway/kernel/host/sandbox/watch";
import { SlipwayError } from "@slipway/kernel/schema/errors";
import type { SourceProblem, SourceTree } from "../../adapter.ts";
import { projectConfig } from "../compiler.ts";
import { Overlay, VIRTUAL } from "../overlay.ts";
import { checkedOptions } from "./compiler-options.ts";
import { positionAt } from "../source/program.ts";

/** The parts of the API's client that it does not export: its process must be killed if it does not answer. */
interface Client {
  connect(): Promise<void>;
  readonly process?: Child;
}

interface Child {
  readonly pid?: number | undefined;
  readonly exitCode: number | null;
  readonly signalCode: string | null;
  readonly stdin: { write: (data: unknown, ...rest: unknown[]) => boolean };
  kill(signal: "SIGKILL"): boolean;
  once(event: "exit", listener: () => void): unknown;
  off(event: "exit", listener: () => void): unknown;
  unref(): void;
}

/** Generated tests and what they share import packages that the compiler does not see. */
const NOT_CHECKED = ["**/*.test.ts", "tests/support/**/*.ts"];
const LOOK_MS = 200;
const ROOT = `${VIRTUAL}/tree`;
const CONFIG = `${ROOT}/tsconfig.json`;

export interface CheckLimits {
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  readonly signal: AbortSignal | undefined;
}

/** The compiler ended by itself. A repetition may succeed. */
export class CompilerCrash extends Error {}

/** One process of TypeScript 7 with one tree open in it. The API is asynchronous, so a compiler that hangs can be killed. */
export class CompilerProcess {
  readonly #overlay = new Overlay();
  readonly #api = new API({ cwd: VIRTUAL, fs: this.#overlay.fileSystem });
  #snapshot: Snapshot | null = null;
  readonly #created = new Set<string>();
  readonly #changed = new Set<string>();
  readonly #deleted = new Set<string>();
  #texts: Record<string, string> = {};

  constructor(tree: SourceTree) {
    this.#overlay.set(CONFIG, projectConfig(this.#overlay, NOT_CHECKED, checkedOptions(tree)));
    for (const [path, text] of Object.entries(tree)) this.set(path, text);
    this.#created.clear();
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** A configuration counts only when the process starts. */
  set(path: string, text: string | null): void {
    if (/(?:^|\/)tsconfig[^/]*\.json$/.test(path)) return;
    const file = `${ROOT}/${path}`;
    const isKnown = this.#texts[path] !== undefined;
    for (const changes of [this.#created, this.#changed, this.#deleted]) changes.delete(file);
    if (text === null) {
      if (isKnown) this.#deleted.add(file);
      this.#overlay.removeFile(file);
      delete this.#texts[path];
      return;
    }
    (isKnown ? this.#changed : this.#created).add(file);
    this.#overlay.set(file, text);
    this.#texts[path] = text;
  }

  /** Problems of one file, or of all. Throws `CompilerCrash`, or `compiler_failed` after the time limit; the process is then dead. */
  async problems(path: string | null, { timeoutMs, memoryBytes, signal }: CheckLimits): Promise<SourceProblem[]> {
    const finished = new AbortController();
    try {
      const child = await this.#connect();
      return await Promise.race([
        this.#read(path),
        ended(child, finished.signal),
        expired(timeoutMs, finished.signal),
        overgrown(child.pid ?? 0, memoryBytes, finished.signal),
        aborted(signal, finished.signal),
      ]);
    } catch (error) {
      this.kill();
      throw error;
    } finally {
      finished.abort();
    }
  }

  async #connect(): Promise<Child> {
    const known = this.#child;
    if (known !== undefined) return known;
    await this.#client.connect();
    const child = this.#child;
    if (child === undefined) throw new CompilerCrash("TypeScript did not start.");
    child.unref();
    ignoreWriteErrors(child);
    // TypeScript does not notice the end of its starter while it waits for a file.
    if (child.pid !== undefined) child.once("exit", endWithUs(child.pid));
    return child;
  }

  async #read(path: string | null): Promise<SourceProblem[]> {
    try {
      await this.#update();
      const program = this.#snapshot?.getProject(CONFIG)?.program;
      if (program === undefined) throw new Error("TypeScript did not open the project.");
      const file = path === null ? undefined : `${ROOT}/${path}`;
      const found = [...(await program.getSyntacticDiagnostics(file)), ...(await program.getSemanticDiagnostics(file))];
      const ofOptions =
        path === null ? [...(await program.getConfigFileParsingDiagnostics()), ...(await program.getProgramDiagnostics())] : [];
      return [...ofOptions, ...found].map((one) => this.#problem(one));
    } catch (error) {
      throw new CompilerCrash(error instanceof Error ? error.message : String(error));
    }
  }

  async #update(): Promise<void> {
    const [created = [], changed = [], deleted = []] = [this.#created, this.#changed, this.#deleted].map((set) => [...set]);
    for (const set of [this.#created, this.#changed, this.#deleted]) set.clear();
    if (this.#snapshot === null) return this.#take({ openProjects: [CONFIG] });
    if (created.length > 0 || deleted.length > 0) return this.#take({ fileChanges: { created, changed, deleted } });
    // With one changed file the compiler keeps the rest of its program; with two it builds a new one, which takes ten times as long.
    for (const file of changed) await this.#take({ fileChanges: { changed: [file] } });
  }

  async #take(update: Parameters<API["updateSnapshot"]>[0]): Promise<void> {
    const former = this.#snapshot;
    this.#snapshot = await this.#api.updateSnapshot(update);
    await former?.dispose();
  }

  #problem({ fileName, pos, text, messageChain }: Diagnostic): SourceProblem {
    const file = fileName?.startsWith(`${ROOT}/`) === true ? fileName.slice(ROOT.length + 1) : null;
    const place = file === null ? { line: 1, column: 1 } : positionAt(this.#texts[file] ?? "", pos);
    return { file, ...place, message: [text, ...chained(messageChain)].join("\n").replaceAll(`${ROOT}/`, "") };
  }

  get #client(): Client {
    return (this.#api as unknown as { readonly client: Client }).client;
  }

  get #child(): Child | undefined {
    return this.#client.process;
  }

  /** What is pending stays pending: `API.close` would write to the process, and nothing waits for an answer any more. */
  kill(): void {
    this.#child?.kill("SIGKILL");
  }
}

/** The API's connection leaves a rejected promise without a handler for each write that fails. The end of the process is seen by `ended`. */
function ignoreWriteErrors({ stdin }: Child): void {
  const write = stdin.write.bind(stdin);
  stdin.write = (data, ...rest) => {
    const done = rest.pop();
    return write(data, ...rest, () => void (typeof done === "function" && (done as () => void)()));
  };
}

function ended(child: Child, finished: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const crash = () => reject(new CompilerCrash("TypeScript ended during a check."));
    if (child.exitCode !== null || child.signalCode !== null) crash();
    child.once("exit", crash);
    finished.addEventListener("abort", () => child.off("exit", crash));
  });
}

function chained(chain: readonly Diagnostic[] = [], depth = 1): string[] {
  return chain.flatMap(({ text, messageChain }) => [`${"  ".repeat(depth)}${text}`, ...chained(messageChain, depth + 1)]);
}

function expired(timeoutMs: number, finished: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const timer = setTimeout(() => {
      reject(
        new SlipwayError("compiler_failed", `TypeScript did not answer within ${timeoutMs} ms and was stopped.`, {
          timeout_ms: timeoutMs,
          suggested_next_actions: ["Look for types in this file that expand without end."],
        }),
      );
    }, timeoutMs);
    finished.addEventListener("abort", () => clearTimeout(timer));
  });
}

function overgrown(pid: number, memoryBytes: number, finished: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const looking = setInterval(() => {
      if (residentBytes(pid) <= memoryBytes) return;
      reject(
        new SlipwayError(
          "compiler_failed",
          `TypeScript used more than ${Math.round(memoryBytes / 1024 ** 2)} MiB of memory and was stopped.`,
          {
            suggested_next_actions: ["Look for types in this file that expand without end."],
          },
        ),
      );
    }, LOOK_MS);
    finished.addEventListener("abort", () => clearInterval(looking));
  });
}

function aborted(signal: AbortSignal | undefined, finished: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(signal?.reason as Error);
    if (signal?.aborted === true) abort();
    signal?.addEventListener("abort", abort, { signal: finished });
  });
}
