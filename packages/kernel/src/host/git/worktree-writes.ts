import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { placeOf, recordFolder } from "./worktree-record.ts";
import type { Repository } from "./repository.ts";

/**
 * What the harness last set out to do to the files and the branch of a worktree, written down before it does it. A record that
 * still says `from` afterwards tells that it was cut off: whatever of `to` is found there is the harness's own.
 */
const writingSchema = z.strictObject({
  from: z.string(),
  /** Null while a gate runs there, which may write anything. */
  to: z.string().nullable(),
  /** Where the branch goes with it. */
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

/** Null as well for a file torn by a power cut: then what is found is asked about. */
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
