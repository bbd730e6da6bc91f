import { join } from "node:path";
import { canonicalJson, sha256 } from "@slipway/durable/canonical";
import type { Head } from "@slipway/durable/chain";
import { SlipwayError } from "../../schema/errors.ts";
import { z } from "zod";
import { hasCode, type FileSystem } from "../../host/files/file-system.ts";
import { ensureDirectory, writeFileAtomic } from "../../host/files/write-atomic.ts";

const kept = z.strictObject({ stream: z.string(), seq: z.int().min(1), hash: z.string().regex(/^[0-9a-f]{64}$/) });

/**
 * The last known head of each stream, stored outside the database. A database file replaced by an older copy is consistent in itself; only
 * the kept heads reveal it.
 */
export interface KeptHeads {
  recordHead(stream: string, head: Head): Promise<void>;
  read(stream: string): Promise<Head | undefined>;
  readAll(): Promise<ReadonlyMap<string, Head>>;
}

export function keptHeadsIn(fs: FileSystem, folder: string): KeptHeads {
  const fileOf = (stream: string) => join(folder, `${sha256(stream)}.json`);

  return {
    async recordHead(stream, { seq, hash }) {
      await ensureDirectory(fs, folder, 0o700);
      // Never lower a head: a lower head is the rollback to detect.
      const earlier = await readHead(fs, fileOf(stream));
      if (earlier !== undefined && earlier.seq >= seq) return;
      await writeFileAtomic(fs, fileOf(stream), Buffer.from(canonicalJson({ stream, seq, hash })));
    },
    async read(stream) {
      const head = await readHead(fs, fileOf(stream));
      return head && { seq: head.seq, hash: head.hash };
    },
    async readAll() {
      const names = await fs.list(folder).catch((error: unknown) => absent(error, []));
      const heads = await Promise.all(names.filter((name) => name.endsWith(".json")).map((name) => readHead(fs, join(folder, name))));
      return new Map(heads.filter((head) => head !== undefined).map(({ stream, seq, hash }) => [stream, { seq, hash }]));
    },
  };
}

async function readHead(fs: FileSystem, path: string): Promise<z.infer<typeof kept> | undefined> {
  const bytes = await fs.read(path).catch((error: unknown) => absent(error, undefined));
  if (bytes === undefined) return undefined;
  const parsed = kept.safeParse(parseJson(Buffer.from(bytes).toString("utf8")));
  if (parsed.success) return parsed.data;
  throw new SlipwayError("journal_broken", `${path} does not contain the head of a journal: it was changed outside Slipway.`, {
    file: path,
    suggested_next_actions: ["Restore the file from a backup. If you know why it changed, remove it and run `slipway journal verify`."],
  });
}

function absent<T>(error: unknown, value: T): T {
  if (hasCode(error, "ENOENT")) return value;
  throw error;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
