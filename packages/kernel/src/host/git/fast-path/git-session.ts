import type { Child } from "../../launcher/child.ts";
import { SlipwayError } from "../../../schema/errors.ts";
import { killGroup } from "../process.ts";
import { IDLE_MS, letWait, use } from "./prestarted-git.ts";

/**
 * A git process that stays for a while: answering costs it less than starting one. It ends when nobody has asked for a moment,
 * and with us, because then its input ends.
 */
export interface Resident {
  /** One at a time, in order. */
  ask(question: Uint8Array | string, ending: SessionEnding): Promise<Buffer>;
}

/** How an answer ends: with these words, or when, asked about what has come so far, nothing more than that is needed. */
export type SessionEnding = string | ((answer: Buffer) => number);

const ANSWER_MS = 300_000;
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
const MAX_STDERR_BYTES = 65_536;

export function resident(name: string, start: () => Child | Promise<Child>): Resident {
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
    // One that has ended cannot be written to; that it has ended is told by its exit.
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

  /** From here on it is on its way out: whoever asks next gets another. */
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
      // Whoever asked has been told.
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
    else if (bytes > MAX_ANSWER_BYTES) fail("it wrote more than can be kept");
  };
  const onError = (chunk: Buffer) => void (stderr.length < MAX_STDERR_BYTES && (stderr += chunk.toString("utf8")));
  // "close" comes after the last of its output.
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

/** What has come is put together only when there is as much as was wanted. */
function hasEnough(wanted: (answer: Buffer) => number): IsWhole {
  let least = 1;
  return (chunks, bytes) => {
    if (bytes < least) return false;
    least = wanted(Buffer.concat(chunks));
    return least <= bytes;
  };
}
