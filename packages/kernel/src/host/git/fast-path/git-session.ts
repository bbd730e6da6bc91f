import type { Child } from "../../launcher/child.ts";
import { SlipwayError } from "../../../schema/errors.ts";
import { killGroup } from "../process.ts";
import { IDLE_MS, letWait, use } from "./prestarted-git.ts";

/**
 * A long-lived git process: a query is cheaper than a start. It ends when it has been idle for `IDLE_MS`,
 * and with this process, which closes its input.
 */
export interface GitSession {
  /** One at a time, in order. */
  ask(question: Uint8Array | string, ending: SessionEnding): Promise<Buffer>;
}

/** The end of an answer: this text, or a function of the bytes so far that returns the number of bytes needed. */
export type SessionEnding = string | ((answer: Buffer) => number);

const ANSWER_MS = 300_000;
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
const MAX_STDERR_BYTES = 65_536;

export function openGitSession(name: string, start: () => Child | Promise<Child>): GitSession {
  let running: Child | undefined;
  let idle: NodeJS.Timeout | undefined;
  let line: Promise<unknown> = Promise.resolve();

  async function wake(): Promise<Child> {
    clearTimeout(idle);
    const child = running ?? (await begin());
    use(child);
    return child;
  }

  async function begin(): Promise<Child> {
    const child = await start();
    running = child;
    // Ignore write errors after its end; "exit" reports the end.
    child.stdin?.on("error", () => undefined);
    child.once("exit", () => {
      if (running === child) running = undefined;
    });
    return child;
  }

  function rest(child: Child): void {
    if (running !== child) return;
    letWait(child);
    idle = setTimeout(() => dismiss(child), IDLE_MS).unref();
  }

  /** Ends the process; the next query starts another one. */
  function dismiss(child: Child): void {
    if (running === child) running = undefined;
    child.stdin?.end();
  }

  async function answer(question: Uint8Array | string, ending: SessionEnding): Promise<Buffer> {
    const child = await wake();
    try {
      return await exchange(name, child, question, ending);
    } catch (error) {
      running = undefined;
      killGroup(child, "SIGKILL");
      throw error;
    } finally {
      rest(child);
    }
  }

  return {
    ask(question, ending) {
      const turn = line.then(() => answer(question, ending));
      // The caller gets the error; the queue continues.
      line = turn.catch(() => undefined);
      return turn;
    },
  };
}

function exchange(name: string, child: Child, question: Uint8Array | string, ending: SessionEnding): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const isWhole = typeof ending === "string" ? endsWith(Buffer.from(ending)) : hasEnough(ending);
  const chunks: Buffer[] = [];
  let bytes = 0;
  let stderr = "";
  const fail = (reason: string) =>
    reject(new SlipwayError("git_failed", `git ${name} failed: ${reason}`, { command: name, stderr, killed: child.signalCode !== null }));
  const onData = (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (isWhole(chunks, bytes)) resolve(Buffer.concat(chunks));
    else if (bytes > MAX_ANSWER_BYTES) fail("it wrote too much output");
  };
  const onError = (chunk: Buffer) => void (stderr.length < MAX_STDERR_BYTES && (stderr += chunk.toString("utf8")));
  // "close" is emitted after the last output.
  const onClose = () => fail(stderr.trim().split("\n")[0] || `it ended (${child.signalCode ?? child.exitCode})`);
  const onFailure = ({ message }: Error) => fail(message);
  const timer = setTimeout(() => fail(`it did not answer within ${ANSWER_MS} ms`), ANSWER_MS);
  child.stdout?.on("data", onData);
  child.stderr?.on("data", onError);
  child.once("close", onClose);
  child.once("error", onFailure);
  child.stdin?.write(question);
  return promise.finally(() => {
    clearTimeout(timer);
    child.stdout?.off("data", onData);
    child.stderr?.off("data", onError);
    child.off("close", onClose);
    child.off("error", onFailure);
  });
}

type IsWhole = (chunks: readonly Buffer[], bytes: number) => boolean;

function endsWith(ending: Buffer): IsWhole {
  let tail = Buffer.alloc(0);
  return (chunks) => {
    tail = Buffer.concat([tail, chunks.at(-1) ?? tail]).subarray(-ending.length);
    return tail.equals(ending);
  };
}

/** Concatenates the chunks only when enough bytes have arrived. */
function hasEnough(wanted: (answer: Buffer) => number): IsWhole {
  let least = 1;
  return (chunks, bytes) => {
    if (bytes < least) return false;
    least = wanted(Buffer.concat(chunks));
    return least <= bytes;
  };
}
