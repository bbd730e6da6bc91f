import type { Child } from "../launcher/child.ts";
import type { Readable } from "node:stream";
import { STATUS_FD } from "./arguments.ts";
import type { SpawnError } from "../launcher/protocol.ts";

const KEPT_COMPLAINT_CHARACTERS = 2_000;

/** bubblewrap's status messages, one JSON object per line, on a descriptor that no command can reach. */
export class BubblewrapStatus {
  childPid: number | null = null;
  pidNamespace: number | null = null;
  /** True only if the command started and exited by itself. */
  commandEnded = false;
  ended = false;
  readonly closed: Promise<void>;
  /** Resolves when process 1 of the namespace is known, or never will be. */
  readonly introduced: Promise<void>;
  #introduce: () => void = () => undefined;
  /** The beginning of stderr, where bubblewrap reports a failed set-up. */
  complaint = "";
  #text = "";

  constructor(child: Child) {
    const stream = child.stdio[STATUS_FD] as Readable;
    stream.setEncoding("utf8");
    stream.on("data", (text: string) => this.read(text));
    stream.on("error", () => undefined);
    this.introduced = new Promise((resolve) => (this.#introduce = resolve));
    this.closed = new Promise((resolve) => {
      const end = () => {
        this.ended = true;
        this.#introduce();
        resolve();
      };
      // A process that ends without a message may have ended before we learned that it had started.
      if (stream.closed) end();
      else stream.on("close", end);
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      if (this.complaint.length < KEPT_COMPLAINT_CHARACTERS) this.complaint += chunk.toString("utf8");
    });
  }

  private read(text: string): void {
    const all = this.#text + text;
    const end = all.lastIndexOf("\n") + 1;
    this.#text = all.slice(end);
    for (const line of all.slice(0, end).trimEnd().split("\n").filter(Boolean)) {
      const report = JSON.parse(line) as Record<string, number>;
      this.childPid = report["child-pid"] ?? this.childPid;
      this.pidNamespace = report["pid-namespace"] ?? this.pidNamespace;
      if (this.childPid !== null) this.#introduce();
      this.commandEnded ||= report["exit-code"] !== undefined;
    }
  }
}

export function setupFailure(complaint: string): SpawnError {
  const reason = complaint.trim().split("\n").at(-1) || "bubblewrap ended without starting the command";
  const transient = /Resource temporarily unavailable|Cannot allocate memory|Too many open files/.test(reason);
  return { code: "SANDBOX_SETUP", message: `The sandbox could not be set up: ${reason}`, transient };
}
