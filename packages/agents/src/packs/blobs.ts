import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, unlinkSync, writeFileSync, type Stats } from "node:fs";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { SlipwayError } from "../errors.ts";
import type { Repository } from "@slipway/kernel/host/git/repository";
import { readObjects } from "@slipway/kernel/host/git/fast-path/git-queries";
import { blobId, type PackFile } from "./source.ts";
import { inSlices } from "@slipway/kernel/host/sandbox/turns";

/**
 * A cache of contents by id, as read-only files shared by links from all packs. A content is written once, and verified again if its file
 * differs from the one verified last.
 */
export interface PackBlobs {
  /** Writes or verifies each content. Returns the paths in the same order. */
  ensure(files: readonly PackFile[]): Promise<Blob[]>;
}

export interface Blob {
  readonly path: string;
  readonly ino: number;
}

type Seen = Pick<Stats, "ino" | "size" | "mtimeMs" | "mode">;

const MAX_BATCH_BYTES = 32 * 1024 ** 2;

export function openBlobs(folder: string, repo: Repository): PackBlobs {
  const seen = new Map<string, Seen>();

  function isRight(path: string, { oid }: PackFile): boolean {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return false;
    const last = seen.get(path);
    if (last !== undefined && isSame(last, found)) return true;
    const right = found.isFile() && (found.mode & 0o222) === 0 && blobId(readFileSync(path), repo.objectFormat) === oid;
    if (right) seen.set(path, found);
    return right;
  }

  function put(path: string, content: Uint8Array, mode: number): void {
    mkdirSync(join(path, ".."), { recursive: true });
    const temporary = `${path}.${randomBytes(6).toString("hex")}`;
    writeFileSync(temporary, content, { mode: 0o600, flag: "wx" });
    chmodSync(temporary, mode);
    renameSync(temporary, path);
    seen.set(path, lstatSync(path));
  }

  return {
    async ensure(files) {
      const paths = files.map(({ oid, executable }) => join(folder, oid.slice(0, 2), `${oid}${executable ? "x" : ""}`));
      const wrong: { readonly file: PackFile; readonly path: string }[] = [];
      await inSlices([...files.entries()], ([index, file]) => {
        const path = paths[index] ?? "";
        if (!isRight(path, file)) wrong.push({ file, path });
      });
      for (const batch of batches(wrong)) {
        const contents = await contentsOf(repo, batch);
        await inSlices([...batch.entries()], ([index, { file, path }]) =>
          put(path, contents[index] ?? new Uint8Array(), file.executable ? 0o555 : 0o444),
        );
      }
      return paths.map((path) => ({ path, ino: seen.get(path)?.ino ?? -1 }));
    },
  };
}

function isSame(left: Seen, right: Seen): boolean {
  return left.ino === right.ino && left.size === right.size && left.mtimeMs === right.mtimeMs && left.mode === right.mode;
}

function batches<T extends { readonly file: PackFile }>(wanted: readonly T[]): T[][] {
  const all: T[][] = [];
  let left = 0;
  for (const item of wanted) {
    left -= item.file.bytes;
    if (left < 0 || all.length === 0) {
      all.push([]);
      left = MAX_BATCH_BYTES - item.file.bytes;
    }
    all.at(-1)?.push(item);
  }
  return all;
}

async function contentsOf(repo: Repository, batch: readonly { readonly file: PackFile }[]): Promise<Uint8Array[]> {
  const asked = batch.filter(({ file }) => file.content === undefined).map(({ file }) => file.oid);
  const objects = new Map(
    (await readObjects(repo, asked)).flatMap((object) => (object?.type === "blob" ? [[object.oid, object.bytes]] : [])),
  );
  return batch.map(({ file }) => {
    const content = file.content ?? objects.get(file.oid);
    if (content !== undefined) return content;
    throw new SlipwayError("object_missing", `The content of ${file.path} (${file.oid}) is not in the repository.`, {
      file: file.path,
      suggested_next_actions: ["Run `git fsck` in the repository, and fetch the missing objects."],
    });
  });
}

/** Removes contents that no pack links to and that have not been used for a long time. */
export async function sweepBlobs(folder: string, olderThanMs: number, now: number): Promise<void> {
  const shelves = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  await inSlices(shelves, ({ name }) => {
    for (const file of readdirSync(join(folder, name))) {
      const path = join(folder, name, file);
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (found !== undefined && found.nlink === 1 && now - found.mtimeMs > olderThanMs) unlinkSync(path);
    }
  });
}
