import { existsSync } from "node:fs";
import { join, dirname } from "node:path";
import type { Clock } from "@slipway/durable/environment";
import { parseStrictJson } from "@slipway/kernel/config/json";
import { nodeFileSystem } from "@slipway/kernel/files/file-system";
import { ensureDirectory, writeFileAtomic } from "@slipway/kernel/files/write-atomic";
import { CASSETTE_FILE, entryPath, type CassetteEntry } from "./cassette.ts";
import type { Provider, ProviderReply, ProviderRequest } from "./provider.ts";

export interface RecordOptions {
  readonly folder: string;
  readonly description: string;
  readonly clock: Clock;
}

/** The same provider; every answer it gives is also written to a cassette, whole or not at all. */
export function recording(provider: Provider, { folder, description, clock }: RecordOptions): Provider {
  let head: Promise<void> | null = null;
  return {
    name: provider.name,
    works: provider.works,
    async invoke(request, signal) {
      const started = clock.monotonic();
      const reply = await provider.invoke(request, signal);
      const entry = entryOf(request, reply, clock.monotonic() - started);
      await (head ??= describe(folder, { version: 1, created: new Date(clock.now()).toISOString(), description }));
      await writeJson(join(folder, entryPath(entry)), entry);
      return reply;
    },
  };
}

/** A cassette that is recorded again keeps what it says about itself. */
async function describe(folder: string, about: object): Promise<void> {
  const file = join(folder, CASSETTE_FILE);
  if (!existsSync(file)) await writeJson(file, about);
}

function entryOf(
  { role, subject, attempt, repair, promptDigest }: ProviderRequest,
  { text, usage, model }: ProviderReply,
  elapsedMs: number,
): CassetteEntry {
  const json = parseStrictJson(text);
  // As a value where that gives back the same text, because people read and edit cassettes.
  const answer = json.ok && JSON.stringify(json.value) === text ? { output: json.value } : { text };
  const timed = { ...usage, duration_ms: usage.duration_ms ?? Math.round(elapsedMs) };
  return { role, subject, attempt, repair, prompt_digest: promptDigest, model, ...answer, usage: timed };
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await ensureDirectory(nodeFileSystem, dirname(path));
  await writeFileAtomic(nodeFileSystem, path, Buffer.from(`${JSON.stringify(value, null, 2)}\n`));
}
