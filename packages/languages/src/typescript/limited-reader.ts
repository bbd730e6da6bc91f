import { extname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { endWithUs } from "@slipway/kernel/host/sandbox/end-with-us";
import { residentBytes } from "@slipway/kernel/host/sandbox/watch";
import { SlipwayError } from "@slipway/kernel/schema/errors";
import type { LanguageReader, ModuleReading } from "../language.ts";
import type { ReadingOrder, ReadingAnswer } from "./reading-thread.ts";

export interface ReadingLimits {
  readonly timeoutMs: number;
  readonly memoryBytes: number;
}

const LIMITS: ReadingLimits = { timeoutMs: 30_000, memoryBytes: 2 * 1024 ** 3 };
const LOOK_MS = 100;

type Result = Extract<ReadingAnswer, { kind: "read" }>["result"];

/**
 * Reads TypeScript modules that somebody else wrote: a few lines of types can keep the compiler busy for ever. The compiler is a process
 * that is killed beyond its limits, or on an abort, and a thread of its own waits for it.
 */
export function openLimitedReader(limits: ReadingLimits = LIMITS): LanguageReader {
  let thread: Thread | null = null;
  let last: Promise<unknown> = Promise.resolve();

  function ask(asked: ReadingOrder, signal: AbortSignal | undefined): Promise<Result> {
    const next = last.then(() => {
      signal?.throwIfAborted();
      thread ??= openThread(() => (thread = null));
      return thread.ask(asked, limits, signal);
    });
    last = next.catch(() => undefined);
    return next;
  }

  return {
    async readModule(sources, contract, signal) {
      try {
        return (await ask({ kind: "module", sources, contract }, signal)) as ModuleReading;
      } catch (error) {
        if (!(error instanceof SlipwayError) || error.code !== "compiler_failed") throw error;
        const modes = { sync: false, async: false, notes: contract.modes.notes };
        const delivered = { inputs: [], outputs: [], error_surfaces: [], effects: [], modes };
        return { delivered, problems: [error.message], exported: [], imports: [], tests: [] };
      }
    },
    elementsOf: async (files, signal) => (await ask({ kind: "elements", files }, signal)) as ReadonlyMap<string, string>,
    close: () => thread?.end(),
  };
}

interface Thread {
  ask(asked: ReadingOrder, limits: ReadingLimits, signal: AbortSignal | undefined): Promise<Result>;
  end(): void;
}

function openThread(onEnd: () => void): Thread {
  const suffix = extname(import.meta.filename) === ".ts" ? ".ts" : ".js";
  const worker = new Worker(join(import.meta.dirname, `reading-thread${suffix}`), {
    // Sources import other packages as sources.
    execArgv: suffix === ".ts" ? ["--conditions=slipway-source"] : [],
  });
  worker.unref();
  let compiler: number | null = null;
  let watcher = nothing;
  const end = () => {
    onEnd();
    watcher();
    // Before the compiler is killed: the thread would start another one.
    void worker.terminate();
    if (compiler !== null) kill(compiler);
    compiler = null;
  };
  worker.on("message", (said: ReadingAnswer) => {
    if (said.kind !== "started") return;
    watcher();
    compiler = said.pid;
    watcher = endWithUs(said.pid);
  });
  return {
    end,
    ask(asked, { timeoutMs, memoryBytes }, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      const stop = (error: unknown) => {
        end();
        reject(error);
      };
      const hear = (said: ReadingAnswer) => {
        if (said.kind === "read") resolve(said.result);
        if (said.kind === "failed") stop(failed(`TypeScript could not read the module: ${said.message}`));
      };
      const timer = setTimeout(() => stop(failed(`TypeScript did not finish within ${timeoutMs / 1000} s and was stopped.`)), timeoutMs);
      const looking = setInterval(() => {
        if (compiler === null || residentBytes(compiler) <= memoryBytes) return;
        stop(failed(`TypeScript used more than ${Math.round(memoryBytes / 1024 ** 2)} MiB of memory and was stopped.`));
      }, LOOK_MS);
      const onAbort = () => stop(signal?.reason);
      const onError = (error: Error) => stop(error);
      signal?.addEventListener("abort", onAbort, { once: true });
      worker.on("message", hear).on("error", onError).ref();
      worker.postMessage(asked);
      return promise.finally(() => {
        clearTimeout(timer);
        clearInterval(looking);
        signal?.removeEventListener("abort", onAbort);
        worker.off("message", hear).off("error", onError).unref();
      });
    },
  };
}

function nothing(): void {
  // No compiler runs yet.
}

function failed(message: string): SlipwayError {
  return new SlipwayError("compiler_failed", message, {
    suggested_next_actions: ["Look for types that expand without end."],
  });
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
