import type { Child } from "../launcher/child.ts";
import { Readable } from "node:stream";
import type { ReadableStream as WebStream } from "node:stream/web";
import type { SandboxRequest } from "./contract.ts";

/** What a command that ends early has not read is of no interest; its exit code says the rest. */
export function feedInput(child: Child, input: SandboxRequest["input"]): void {
  const { stdin } = child;
  if (stdin === null || input === undefined) return;
  stdin.on("error", () => undefined);
  if (typeof input === "string") return void stdin.end(input);
  const source = Readable.fromWeb(input as WebStream<Uint8Array>);
  // A stream that fails has nothing more to say.
  source.on("error", () => stdin.end());
  source.pipe(stdin);
  child.once("exit", () => source.destroy());
}
