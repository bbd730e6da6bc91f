import type { Child } from "../launcher/child.ts";
import { Readable } from "node:stream";
import type { ReadableStream as WebStream } from "node:stream/web";
import type { SandboxRequest } from "./contract.ts";

/** Ignores write errors: a command may end before it has read everything, and its exit code counts. */
export function feedInput(child: Child, input: SandboxRequest["input"]): void {
  const { stdin } = child;
  if (stdin === null || input === undefined) return;
  stdin.on("error", () => undefined);
  if (typeof input === "string") return void stdin.end(input);
  const source = Readable.fromWeb(input as WebStream<Uint8Array>);
  // A failed stream ends the input.
  source.on("error", () => stdin.end());
  source.pipe(stdin);
  child.once("exit", () => source.destroy());
}
