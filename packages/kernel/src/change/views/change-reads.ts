import { isUtf8 } from "node:buffer";
import { diffBytes } from "../../host/git/change.ts";
import { changeWithRenames, type ChangedPath } from "../../host/git/change-with-renames.ts";
import { readRegularFile } from "../../host/git/tree-files.ts";
import { canonicalPath } from "../../paths/paths.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { findFeature } from "../feature/store.ts";

export interface ChangeText {
  readonly text: string;
  /** Only the beginning is included. */
  readonly truncated: boolean;
  /** The size of the whole diff. */
  readonly bytes: number;
}

const MAX_DIFF_BYTES = 512 * 1024;

export async function changedFiles({ db, repository }: FeatureDependencies, id: string): Promise<ChangedPath[]> {
  const { base_commit, tree } = await findFeature(db, id);
  return changeWithRenames(repository, base_commit, tree);
}

/** The recorded change as a unified diff. A binary file is named, but not shown. */
export async function textOfChange(
  { db, repository }: FeatureDependencies,
  id: string,
  { max_bytes = MAX_DIFF_BYTES }: { readonly max_bytes?: number | undefined } = {},
): Promise<ChangeText> {
  const { base_commit, tree } = await findFeature(db, id);
  const diff = await diffBytes(repository, base_commit, tree);
  if (diff.length <= max_bytes) return { text: diff.toString("utf8"), truncated: false, bytes: diff.length };
  let end = max_bytes;
  // Not within a character.
  while (end > 0 && ((diff[end] ?? 0) & 0xc0) === 0x80) end--;
  return { text: diff.toString("utf8", 0, end), truncated: true, bytes: diff.length };
}

/** A file of the base commit or of the recorded tree; null if it is absent, no regular file, or not text. */
export async function readAt(
  { db, repository }: FeatureDependencies,
  id: string,
  when: "base" | "now",
  path: string,
): Promise<string | null> {
  const { base_commit, tree } = await findFeature(db, id);
  const canonical = canonicalPath(path);
  if (!canonical.ok || canonical.path !== path) return null;
  const bytes = await readRegularFile(repository, when === "base" ? base_commit : tree, path);
  return bytes === null || bytes.includes(0) || !isUtf8(bytes) ? null : bytes.toString("utf8");
}
