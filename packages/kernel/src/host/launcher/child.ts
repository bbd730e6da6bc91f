import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";

/** A started process, a child of ours or of the launcher. */
export interface Child extends EventEmitter {
  readonly pid?: number | undefined;
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  readonly stdio: readonly (Readable | Writable | null | undefined)[];
  readonly exitCode: number | null;
  readonly signalCode: NodeJS.Signals | null;
  ref(): void;
  unref(): void;
}

/** A child of the launcher. It emits "exit" and, after its streams have ended, "close", like a child of our own. */
export class RemoteChild extends EventEmitter implements Child {
  readonly pid: number;
  readonly stdio: readonly (Socket | null)[];
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
  readonly #hold: () => void;
  readonly #release: () => void;
  #held = false;

  /** `hold` keeps this process alive while it waits for the child; `release` undoes that. */
  constructor(pid: number, stdio: readonly (Socket | null)[], hold: () => void, release: () => void) {
    super();
    this.pid = pid;
    this.stdio = stdio;
    this.#hold = hold;
    this.#release = release;
    for (const stream of stdio) stream?.ref().on("error", () => undefined);
    this.ref();
  }

  get stdin(): Socket | null {
    return this.stdio[0] ?? null;
  }

  get stdout(): Socket | null {
    return this.stdio[1] ?? null;
  }

  get stderr(): Socket | null {
    return this.stdio[2] ?? null;
  }

  ref(): void {
    if (!this.#held && !this.#ended) this.#hold();
    this.#held = !this.#ended;
  }

  unref(): void {
    if (this.#held) this.#release();
    this.#held = false;
  }

  get #ended(): boolean {
    return this.exitCode !== null || this.signalCode !== null;
  }

  /** Called once, when the launcher reports its end. */
  end(code: number | null, signal: NodeJS.Signals | null): void {
    this.exitCode = code;
    this.signalCode = signal;
    this.unref();
    const [stdin, ...others] = this.stdio;
    stdin?.destroy();
    this.emit("exit", code, signal);
    const open = [stdin, ...others].filter((stream): stream is Socket => stream !== null && stream !== undefined && !stream.closed);
    let left = open.length;
    const close = () => void (left-- <= 1 && this.emit("close", code, signal));
    if (left === 0) setImmediate(close);
    for (const stream of open) stream.once("close", close);
    // Drain unread streams, which would otherwise never end.
    for (const stream of open) if (stream.readableFlowing === null) stream.resume();
  }
}
