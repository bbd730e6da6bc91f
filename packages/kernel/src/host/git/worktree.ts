import { copyFile, lstat, mkdir, readdir, readFile, rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { SlipwayError } from "../../schema/errors.ts";
import { removeTree } from "../files/remove-tree.ts";
import { assertFeatureBranch, branchHead, ensureBranch, moveBranch } from "./branch.ts";
import { alignIndex, findCheckouts } from "./checkout.ts";
import { dropDraft, isDraft, pointerOf } from "./unfinished-worktree.ts";
import {
  assertPointer,
  enterScratch,
  leaveScratch,
  placeOf,
  readRecord,
  swapped,
  writeRecord,
  type GitPlace,
  type WorktreeRecord,
} from "./worktree-record.ts";
import { connect, isFolder, isForeign, listRegistrations, pointerTo, register, unregister, type Registration } from "./registration.ts";
import type { Repository } from "./repository.ts";
import { bringFiles, snapshotTree, worktreeChanged, type SnapshotOptions } from "./snapshot.ts";

export interface WorktreeRequest {
  readonly featureId: string;
  readonly branch: string;
  /** The start of a new branch: a ref or a commit. */
  readonly baseRef?: string;
  readonly baseCommit?: string;
  readonly path: string;
  /** The content of a rebuilt worktree: the last anchored commit or tree; by default the branch's tree. */
  readonly expectedTree?: string;
  readonly protectedBranches?: readonly string[];
}

export interface EnsuredWorktree {
  readonly path: string;
  readonly branch: string;
  readonly baseCommit: string;
  readonly created: boolean;
  readonly rebuilt: boolean;
}

/**
 * Idempotent, also after a kill at any point. A new worktree is built elsewhere and put in place by one rename;
 * an existing one is never reset. A missing registration or pointer of existing files is restored.
 */
export async function ensureWorktree(repo: Repository, request: WorktreeRequest): Promise<EnsuredWorktree> {
  const { branch, featureId, baseRef, protectedBranches = [] } = request;
  await assertFeatureBranch(repo, {
    featureId,
    branch,
    taken: baseRef === undefined ? protectedBranches : [...protectedBranches, baseRef],
  });
  const place = await placeOf(repo, request.path);
  const found = await readRecord(repo, place.key);
  const record = found?.branch === branch ? found : undefined;
  const healthy = await isHealthy(repo, place, branch);
  // Checked before the branch is made, so that a refusal leaves nothing behind.
  if (!healthy && record === undefined) await assertNobodys(repo, place);
  const head = await ensureBranch(repo, { branch, base: request.baseCommit ?? baseRef, recorded: record?.baseCommit });
  if (!healthy) await buildWorktree(repo, place, { ...request, head, record });
  const baseCommit = record?.baseCommit ?? head;
  if (record === undefined) await writeRecord(repo, place.key, { featureId, branch, path: place.path, baseCommit });
  return { path: place.path, branch, baseCommit, created: !healthy && record === undefined, rebuilt: !healthy && record !== undefined };
}

/** Moves a worktree and its branch to another base, with the tree that was built there. Idempotent. */
export async function rebaseWorktree(
  repo: Repository,
  input: {
    readonly path: string;
    readonly branch: string;
    readonly onto: string;
    /** The current tree of the files, and the new one. */
    readonly from: string;
    readonly tree: string;
  } & SnapshotOptions,
): Promise<void> {
  const place = await placeOf(repo, input.path);
  const found = await snapshotTree(repo, place.path, input);
  if (found !== input.from && found !== input.tree) throw worktreeChanged(place.path, ["edited a moment ago"]);
  await bringBranch(repo, input.branch, place.path, input.onto);
  await bringFiles(repo, place.path, { from: found, to: input.tree }, input);
  await alignIndex(repo, place.path, input.onto);
  const record = await readRecord(repo, place.key);
  if (record !== undefined) await writeRecord(repo, place.key, { ...record, baseCommit: input.onto });
}

/** Moves the branch unless it is checked out elsewhere, where a moved branch would look like reverted work. */
export async function bringBranch(repo: Repository, branch: string, worktree: string, to: string): Promise<void> {
  const head = await branchHead(repo, branch);
  if (head === to || (await findCheckouts(repo, branch)).some(({ root }) => root !== worktree)) return;
  await moveBranch(repo, branch, to, head);
}

async function isHealthy(repo: Repository, place: GitPlace, branch: string): Promise<boolean> {
  const registrations = await listRegistrations(repo);
  const mine = registrations.find(({ path }) => path === place.path) ?? (await reconnect(repo, place, registrations));
  for (const other of registrations) {
    if (other.branch !== branch || other.id === mine?.id) continue;
    if (isDraft(place, other)) await dropDraft(repo, dirname(other.path));
    else if (await isForeign(repo, other)) await unregister(repo, other.id);
    else throw occupied(branch, other.path);
  }
  if (mine === undefined || !(await isFolder(place.path)) || (await assertPointer(repo, place.path)) === null) return false;
  if (mine.branch !== branch) throw swapped(place.path, `is on ${mine.branch ?? "no branch"} instead of ${branch}`);
  return true;
}

/** Repairs the registration that a kill right after the rename left pointing to the draft. */
export async function reconnect(repo: Repository, place: GitPlace, known: readonly Registration[]): Promise<Registration | undefined> {
  const pointer = await pointerOf(place.path);
  const draft = known.find((other) => isDraft(place, other) && pointer === pointerTo(repo, other.id));
  if (draft !== undefined) await connect(repo, draft.id, place.path);
  return draft;
}

/** Builds the worktree around existing files, or with the files of the tree. */
export async function buildWorktree(
  repo: Repository,
  place: GitPlace,
  request: WorktreeRequest & { head: string; record: WorktreeRecord | undefined },
): Promise<void> {
  const mine = (await listRegistrations(repo)).find(({ path }) => path === place.path);
  const hasFiles = await holdsFiles(place.path);
  if (hasFiles && mine !== undefined) return connect(repo, mine.id, place.path);
  if (request.record === undefined) await assertNobodys(repo, place);
  if (mine !== undefined) await unregister(repo, mine.id);
  const folder = await enterScratch(place, "new");
  try {
    await draw(repo, place, folder, hasFiles, request);
  } catch (error) {
    await dropDraft(repo, folder);
    throw error;
  }
}

async function assertNobodys(repo: Repository, place: GitPlace): Promise<void> {
  if (!(await holdsFiles(place.path)) || (await listRegistrations(repo)).some(({ path }) => path === place.path)) return;
  throw new SlipwayError(
    "operation_conflict",
    `The folder ${place.path} exists and is not a worktree of this repository. It was not changed.`,
    {
      file: place.path,
      requires_human: true,
      suggested_next_actions: [`Move ${place.path} away, or choose another feature id.`],
    },
  );
}

async function draw(repo: Repository, place: GitPlace, folder: string, hasFiles: boolean, request: HeadRequest): Promise<void> {
  // git names the registration after the folder.
  const draft = join(folder, request.featureId);
  await register(repo, draft, request.branch);
  const id = basename((await readFile(join(draft, ".git"), "utf8")).trim());
  if (!hasFiles) {
    await fill(repo, place, draft, id, request);
    await removeTree(place.path);
    await rename(draft, place.path);
  } else {
    // Without an index, `git status` would show every file as deleted, and a commit would delete them.
    const git = await repo.vault({ workTree: place.path, indexFile: join(repo.commonDir, "worktrees", id, "index") });
    await git.run(["read-tree", "--end-of-options", request.head]);
  }
  await connect(repo, id, place.path);
  await leaveScratch(place, folder);
}

/** Whether there is anything besides git's pointer. Refuses anything else in the pointer's place. */
async function holdsFiles(path: string): Promise<boolean> {
  const names = await readdir(path).catch(() => []);
  const pointer = await lstat(join(path, ".git")).catch(() => undefined);
  if (pointer !== undefined && !pointer.isFile()) throw swapped(path, "has a .git that is not the file git put there");
  return names.some((name) => name !== ".git");
}

type HeadRequest = WorktreeRequest & { readonly head: string };

/** Writes all files from the objects, byte for byte, with an index for snapshots and a copy of it for `git status`. */
async function fill(repo: Repository, place: GitPlace, draft: string, id: string, request: HeadRequest): Promise<void> {
  await mkdir(dirname(place.indexFile), { recursive: true });
  for (const file of [place.indexFile, `${place.indexFile}.lock`]) await removeTree(file);
  const git = await repo.vault({ workTree: draft, indexFile: place.indexFile });
  await git.run(["read-tree", "--reset", "-u", "--end-of-options", request.head]);
  await copyFile(place.indexFile, join(repo.commonDir, "worktrees", id, "index"));
  if (request.expectedTree !== undefined) await git.run(["read-tree", "--reset", "-u", "--end-of-options", request.expectedTree]);
}

function occupied(branch: string, path: string): SlipwayError {
  return new SlipwayError("operation_conflict", `The branch "${branch}" is checked out in another worktree: ${path}`, {
    branch,
    file: path,
    requires_human: true,
    suggested_next_actions: [
      `Remove that worktree (\`git worktree remove ${path}\`), or \`git worktree prune\` if it is gone, and try again.`,
    ],
  });
}
