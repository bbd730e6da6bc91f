import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { digestOf } from "@slipway/durable/canonical";
import type { OutputStream, ProcessOutcome, Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { openSandbox } from "@slipway/kernel/host/sandbox/sandbox";
import { sandboxWorksHere } from "@slipway/kernel/host/sandbox/testing/scratch";
import { unsandboxed } from "@slipway/kernel/host/sandbox/unsandboxed";
import type { LanguageReader, ModuleReading } from "@slipway/languages/language";
import { openTypeScript } from "@slipway/languages/typescript/reader";

type Chunk = readonly [OutputStream, Uint8Array];

let walls: Promise<Sandbox> | null = null;
const runs = new Map<string, { readonly outcome: ProcessOutcome; readonly chunks: readonly Chunk[] }>();

/**
 * The real sandbox with a cache per test file: a command in a folder with the same content runs once, and later calls return its output.
 * The cache key contains the module, because it is in the same folder as its tests.
 */
export async function rememberingSandbox(): Promise<Sandbox> {
  walls ??= sandboxWorksHere() ? openSandbox() : Promise.resolve(unsandboxed({ reason: "no bubblewrap here", by: "test" }));
  const real = await walls;
  return {
    kind: real.kind,
    async run(request) {
      const content = contentOf(dirname(request.worktree));
      const files = content.filter((file) => /^\S+\.test\.ts\n/.test(file)).length;
      const place = digestOf(content);
      const key = digestOf([request.command, content]);
      const known = runs.get(key);
      // If all tests of a module are cached, its process would wait for requests that never come.
      const isModule = request.command.includes("--permission");
      if (isModule && (remembered.get(place) ?? 0) >= files) return ENDED;
      if (known === undefined) {
        const chunks: Chunk[] = [];
        const said = (text: Uint8Array) => Buffer.from(Buffer.from(text).toString("utf8").replaceAll(request.worktree, PLACE));
        // Forwarded at once: another process may wait for it.
        const onOutput = (stream: OutputStream, chunk: Uint8Array) => {
          chunks.push([stream, said(chunk)]);
          request.onOutput?.(stream, chunk);
        };
        const outcome = await real.run({ ...request, onOutput });
        // The output of an aborted command is not cached.
        if (request.signal?.aborted !== true && !isModule) {
          runs.set(key, { outcome, chunks });
          remembered.set(place, (remembered.get(place) ?? 0) + 1);
        }
        return outcome;
      }
      for (const [stream, chunk] of known.chunks) {
        request.onOutput?.(stream, Buffer.from(Buffer.from(chunk).toString("utf8").replaceAll(PLACE, request.worktree)));
      }
      return known.outcome;
    },
  };
}

const ENDED: ProcessOutcome = { exitCode: 0, signal: null, timedOut: false, aborted: false, limit: null, durationMs: 0 };
/** How many test files of a module have been run, by the content of its folder. */
const remembered = new Map<string, number>();
const PLACE = "/the-place-of-the-run";

function contentOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((path) => `${path.slice(folder.length)}\n${readFileSync(path, "utf8")}`);
}

/** The real compiler with a cache by content. */
export function rememberingReader(): LanguageReader {
  const real = openTypeScript();
  const readings = new Map<string, ModuleReading>();
  return {
    async readModule(sources, contract) {
      const key = digestOf([sources, contract]);
      const known = readings.get(key) ?? (await real.readModule(sources, contract));
      readings.set(key, known);
      return known;
    },
    elementsOf: async (files) => real.elementsOf(files),
    close: () => real.close(),
  };
}
