import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { placeOf, recordFolder } from "./worktree-record.ts";
import type { Repository } from "./repository.ts";

/**
 * The last intended change to the files and the branch of a worktree, written before the change. If the record of the worktree
 * still has `from` afterwards, the change was interrupted: files that match `to` were written by the harness.
 */
const writingSchema = z.strictObject({
  from: z.string(),
  /** Null while a gate runs, which may write anything. */
  to: z.string().nullable(),
  /** The commit that the branch moves to. */
  base: z.string(),
});
export type Writing = z.infer<typeof writingSchema>;

export async function declareWriting(repo: Repository, worktree: string, writing: Writing): Promise<void> {
  const file = await fileOf(repo, worktree);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, JSON.stringify(writing));
  renameSync(`${file}.new`, file);
}

export async function endWriting(repo: Repository, worktree: string): Promise<void> {
  rmSync(await fileOf(repo, worktree), { force: true });
}

/** Null also for a file torn by a power cut: then a person is asked about the differences. */
export async function readWriting(repo: Repository, worktree: string): Promise<Writing | null> {
  try {
    return writingSchema.safeParse(JSON.parse(readFileSync(await fileOf(repo, worktree), "utf8"))).data ?? null;
  } catch {
    return null;
  }
}

async function fileOf(repo: Repository, worktree: string): Promise<string> {
  return join(recordFolder(repo, (await placeOf(repo, worktree)).key), "writing.json");
}
