import { parentPort } from "node:worker_threads";
import type { Contract } from "../contracts/schema.ts";
import type { ModuleFiles, ModuleReading, ModuleSources } from "../language.ts";
import { openTypeScript } from "./reader.ts";

export type ReadingOrder =
  | { readonly kind: "module"; readonly sources: ModuleSources; readonly contract: Contract }
  | { readonly kind: "elements"; readonly files: ModuleFiles };

export type ReadingAnswer =
  | { readonly kind: "started"; readonly pid: number }
  | { readonly kind: "read"; readonly result: ModuleReading | ReadonlyMap<string, string> }
  | { readonly kind: "failed"; readonly message: string };

/** Runs in a thread of its own, which waits for the compiler. It answers one question after the other. */
const say = (said: ReadingAnswer) => parentPort?.postMessage(said);
const reader = openTypeScript((pid) => say({ kind: "started", pid }));

parentPort?.on("message", (asked: ReadingOrder) => {
  try {
    const result = asked.kind === "module" ? reader.readModule(asked.sources, asked.contract) : reader.elementsOf(asked.files);
    say({ kind: "read", result });
  } catch (error) {
    say({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
  }
});
