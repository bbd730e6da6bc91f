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
 * The real sandbox; the same command in a folder with the same content is run once in a test file, and said again after that. What a
 * module's tests say depends on the module, which is in the folder beside theirs.
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
      // The process of a module has nobody to answer when all its tests are remembered.
      const isModule = request.command.includes("--permission");
      if (isModule && (remembered.get(place) ?? 0) >= files) return ENDED;
      if (known === undefined) {
        const chunks: Chunk[] = [];
        const said = (text: Uint8Array) => Buffer.from(Buffer.from(text).toString("utf8").replaceAll(request.worktree, PLACE));
        // At once: another process may wait for it.
        const onOutput = (stream: OutputStream, chunk: Uint8Array) => {
          chunks.push([stream, said(chunk)]);
          request.onOutput?.(stream, chunk);
        };
        const outcome = await real.run({ ...request, onOutput });
        // One that was stopped says nothing about the next.
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
