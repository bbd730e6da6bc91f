import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ChildCall } from "./kernel-child.ts";

export interface KernelProcess {
  /** The result of the call in the other process: "done", or the error's code. */
  call(call: ChildCall): Promise<string>;
  end(): Promise<void>;
}

/** Another process with its own kernel; see kernel-child.ts. */
export function startKernelProcess(): KernelProcess {
  const script = fileURLToPath(new URL("kernel-child.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=slipway-source", script], { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map<string, (answer: string) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, answer } = JSON.parse(line) as { id: string; answer: string };
    waiting.get(id)?.(answer);
  });
  return {
    call(call) {
      const answered = new Promise<string>((resolve) => waiting.set(call.id, resolve));
      child.stdin.write(`${JSON.stringify(call)}\n`);
      return answered;
    },
    async end() {
      child.stdin.end();
      if (child.exitCode === null) await once(child, "close");
    },
  };
}
