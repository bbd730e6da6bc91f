import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { digestOf } from "@slipway/durable/canonical";
import type { OutputStream, ProcessOutcome, Sandbox } from "@slipway/kernel/sandbox/contract";
import { openSandbox } from "@slipway/kernel/sandbox/sandbox";
import { sandboxWorksHere } from "@slipway/kernel/sandbox/testing/scratch";
import { unsandboxed } from "@slipway/kernel/sandbox/unsandboxed";
import type { LanguageReader, ModuleReading } from "@slipway/languages/language";
import { openTypeScript } from "@slipway/languages/typescript/reader";

type Chunk = readonly [OutputStream, Uint8Array];

let walls: Promise<Sandbox> | null = null;
const runs = new Map<string, { readonly outcome: ProcessOutcome; readonly chunks: readonly Chunk[] }>();

/** The real sandbox; the same command in a folder with the same content is run once in a test file, and said again after that. */
export async function rememberingSandbox(): Promise<Sandbox> {
  walls ??= sandboxWorksHere() ? openSandbox() : Promise.resolve(unsandboxed({ reason: "no bubblewrap here", by: "test" }));
  const real = await walls;
  return {
    kind: real.kind,
    async run(request) {
      const key = digestOf([request.command, contentOf(request.worktree)]);
      let known = runs.get(key);
      if (known === undefined) {
        const chunks: Chunk[] = [];
        const said = (text: Uint8Array) => Buffer.from(Buffer.from(text).toString("utf8").replaceAll(request.worktree, PLACE));
        const outcome = await real.run({ ...request, onOutput: (stream, chunk) => chunks.push([stream, said(chunk)]) });
        known = { outcome, chunks };
        // One that was stopped says nothing about the next.
        if (request.signal?.aborted !== true) runs.set(key, known);
      }
      for (const [stream, chunk] of known.chunks) {
        request.onOutput?.(stream, Buffer.from(Buffer.from(chunk).toString("utf8").replaceAll(PLACE, request.worktree)));
      }
      return known.outcome;
    },
  };
}

const PLACE = "/the-place-of-the-run";

function contentOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((path) => `${path.slice(folder.length)}\n${readFileSync(path, "utf8")}`);
}

/** The real compiler, asked once about the same code. */
export function rememberingReader(): LanguageReader {
  const real = openTypeScript();
  const readings = new Map<string, ModuleReading>();
  return {
    readModule(sources, contract) {
      const key = digestOf([sources, contract]);
      const known = readings.get(key) ?? real.readModule(sources, contract);
      readings.set(key, known);
      return known;
    },
    elementsOf: (files) => real.elementsOf(files),
    close: () => real.close(),
  };
}
