import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Reply, Request, Timed } from "./serve.ts";

/** One of the two compared sides, in its own process. One request at a time. */
export interface Side {
  open(root: string, options?: Readonly<Record<string, unknown>>): Promise<void>;
  /** Milliseconds of one call. */
  call(tool: string, args?: Readonly<Record<string, unknown>>): Promise<number>;
  /** Milliseconds of many calls in a row. */
  repeat(times: number, tool: string, args?: Readonly<Record<string, unknown>>): Promise<readonly number[]>;
  memoryBytes(): Promise<number>;
  close(): Promise<void>;
}

export function startSide(program: "ours.ts" | "theirs.ts", args: readonly string[] = []): Side {
  const child = fork(join(import.meta.dirname, program), args, {
    execArgv: ["--conditions=slipway-source", "--disable-warning=ExperimentalWarning"],
    // The peer logs a line to standard error for every call.
    stdio: ["ignore", "ignore", program === "theirs.ts" ? "ignore" : "inherit", "ipc"],
  });
  const ended = once(child, "exit");

  async function ask(request: Request): Promise<Timed> {
    child.send(request);
    const reply = await Promise.race([once(child, "message"), ended.then(() => null)]);
    if (reply === null) throw new Error(`${program} ended in the middle of ${request.kind}.`);
    const [answer] = reply as [Reply];
    if (answer.ok) return answer.value;
    throw new Error(`${program}: ${answer.message}`);
  }

  const repeat = async (times: number, tool: string, callArgs = {}) => (await ask({ kind: "call", tool, args: callArgs, times })).ms;
  return {
    async open(root, options = {}) {
      await ask({ kind: "open", root, options });
    },
    async call(tool, callArgs) {
      const [ms = Number.NaN] = await repeat(1, tool, callArgs);
      return ms;
    },
    repeat,
    memoryBytes: async () => (await ask({ kind: "memory" })).data as number,
    async close() {
      child.disconnect();
      await ended;
    },
  };
}
