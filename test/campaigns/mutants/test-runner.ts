import { fork, type ChildProcess } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface TestRequest {
  /** A source that is not as it was in the last run. */
  readonly changed: string | null;
  readonly files: readonly string[];
}

export interface TestOutcome {
  readonly failures: readonly { readonly file: string; readonly title: string; readonly why: string }[];
  readonly ran: number;
}

export interface TestRunner {
  /** Every test file of the package. */
  readonly files: readonly string[];
  /** Null if the tests did not end in time: a broken line may wait or loop for ever. */
  run(request: TestRequest): Promise<TestOutcome | null>;
  close(): Promise<void>;
}

const MARK = "SLIPWAY_MUTANTS";
/** A broken line may wait or loop for ever. A busy machine is slow, too: then the same files are slow with the line as it was. */
const longestFor = (files: number) => 90_000 + files * 60_000;

/** Runs tests of one package in a process that stays, because loading Vitest and the sources costs more than most tests. */
export async function startTests(base: string, log: string): Promise<TestRunner> {
  const mark = `${process.pid}-${Math.trunc(performance.now())}`;
  let started = await start(base, log, mark);
  return {
    files: started.files,
    async run(request) {
      const outcome = await answer<TestOutcome>(started.child, longestFor(request.files.length), () => started.child.send(request));
      if (outcome !== null) return outcome;
      await end(started.child, mark);
      started = await start(base, log, mark);
      return null;
    },
    close: () => end(started.child, mark),
  };
}

async function start(base: string, log: string, mark: string): Promise<{ child: ChildProcess; files: readonly string[] }> {
  const output = openSync(log, "a");
  const child = fork(join(import.meta.dirname, "test-process.ts"), {
    cwd: base,
    env: { ...process.env, [MARK]: mark, NODE_ENV: "test", VITEST: "true", TEST: "true" },
    execArgv: ["--disable-warning=ExperimentalWarning"],
    stdio: ["ignore", output, output, "ipc"],
  });
  closeSync(output);
  const ready = await answer<{ files: readonly string[] }>(child, 300_000, () => true);
  if (ready === null) throw new Error(`Vitest does not start in ${base}; see ${log}`);
  return { child, files: ready.files };
}

/** Null after `longestMs`, and when the process ends instead. */
async function answer<T>(child: ChildProcess, longestMs: number, ask: () => unknown): Promise<T | null> {
  const { promise, resolve } = Promise.withResolvers<T | null>();
  const timer = setTimeout(() => resolve(null), longestMs);
  const ended = () => resolve(null);
  child.once("message", (message) => resolve(message as T)).once("exit", ended);
  ask();
  const result = await promise;
  clearTimeout(timer);
  child.removeAllListeners("message").off("exit", ended);
  return result;
}

async function end(child: ChildProcess, mark: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (child.exitCode !== null || child.signalCode !== null) resolve();
  child.once("exit", () => resolve());
  child.kill("SIGKILL");
  await promise;
  for (const pid of leftovers(mark)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended since.
    }
  }
}

/** Workers, and programs that tests had started: what has our mark in its environment. */
function leftovers(mark: string): number[] {
  const pids = process.platform === "linux" ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  return pids.map(Number).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(`${MARK}=${mark}`);
    } catch {
      return false;
    }
  });
}
