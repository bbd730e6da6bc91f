import { SlipwayError } from "../../schema/errors.ts";
import { z } from "zod";
import { changeBetween, diffText, type DiffFormat } from "../../host/git/change.ts";
import { readWorktreeFile, type FileText } from "../../host/git/read-file.ts";
import { searchTree, type Search, type GrepResult } from "../../host/git/search.ts";
import { worktreeStatus, type WorktreeStatus } from "../../host/git/worktree-status.ts";
import { latestEvidence, latestEvidenceSchema } from "../judge/latest-evidence.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { findFeature } from "../feature/store.ts";

const MAX_DIFF_BYTES = 512 * 1024;

export const diffSchema = z.strictObject({
  base: z.string().describe("The commit it is compared with."),
  tree: z.string(),
  diff: z.string(),
  truncated: z.boolean().describe("Only the beginning is shown; repo.diff_bundle names a file with all of it."),
});

export const diffBundleSchema = z.strictObject({
  base: z.string(),
  tree: z.string(),
  stat: z.string(),
  diff: z.string().nullable().describe("Null if it is too long to be shown; then it is in the file `diff_path`."),
  diff_path: z.string().nullable(),
  files: z.array(
    z.strictObject({ path: z.string(), status: z.string().describe("A added, M modified, D deleted, T another kind of file.") }),
  ),
  last_gate: latestEvidenceSchema.shape.gate,
});

export async function repoStatus(
  { repository, db }: FeatureDependencies,
  id: string,
): Promise<WorktreeStatus & { readonly worktree_path: string }> {
  const { worktree } = await findFeature(db, id);
  return { worktree_path: worktree, ...(await worktreeStatus(repository, worktree)) };
}

/** The recorded change of the feature against its base; other edits in the worktree are not part of it. */
export async function repoDiff(
  { repository, db }: FeatureDependencies,
  id: string,
  formats: readonly DiffFormat[] = [],
): Promise<z.infer<typeof diffSchema>> {
  const { base_commit, tree } = await findFeature(db, id);
  assertTogether(formats);
  const bytes = Buffer.from(await diffText(repository, base_commit, tree, { formats }));
  const truncated = bytes.length > MAX_DIFF_BYTES;
  // A character that is cut at the end becomes U+FFFD.
  return { base: base_commit, tree, diff: bytes.subarray(0, MAX_DIFF_BYTES).toString("utf8"), truncated };
}

export async function repoReadFile({ repository, db }: FeatureDependencies, id: string, path: string): Promise<FileText> {
  return readWorktreeFile(repository, (await findFeature(db, id)).worktree, path);
}

export async function repoSearch({ repository, db }: FeatureDependencies, id: string, search: Search): Promise<GrepResult> {
  return searchTree(repository, (await findFeature(db, id)).tree, search);
}

export async function repoDiffBundle(dependencies: FeatureDependencies, id: string): Promise<z.infer<typeof diffBundleSchema>> {
  const { repository, db, objects } = dependencies;
  const { base_commit: base, tree } = await findFeature(db, id);
  const [stat, text, { entries }] = await Promise.all([
    diffText(repository, base, tree, { stat: true }),
    diffText(repository, base, tree),
    changeBetween(repository, base, tree),
  ]);
  const bytes = Buffer.from(text);
  const long = bytes.length > MAX_DIFF_BYTES;
  return {
    base,
    tree,
    stat,
    diff: long ? null : text,
    diff_path: long ? objects.pathOf(await objects.put(bytes)) : null,
    files: entries.map(({ path, status }) => ({ path, status })),
    last_gate: (await latestEvidence(dependencies, id)).gate,
  };
}

function assertTogether(formats: readonly DiffFormat[]): void {
  if (!formats.includes("--name-only") || !formats.includes("--name-status")) return;
  throw new SlipwayError("schema_validation_failed", "--name-only and --name-status exclude each other.", {
    violations: [
      { pointer: "/options", rule: "rule", expected: "one of the two", message: "--name-only and --name-status exclude each other" },
    ],
    suggested_next_actions: ["Ask for one of the two."],
  });
}
