import { spawn } from "node:child_process";
import { appendFileSync, existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { openQuestionsOf } from "@slipway/runtime/choose";
import { query } from "./query.ts";
import { killGroup, programFor } from "./flow.ts";
import { workingIn } from "./orphans.ts";
import { approve, FEATURES, git, inSession, put, worktreeOf, type FeatureId, type Yard } from "./mishap-yard.ts";

/** An action of a person, a power cut or the harness. */
export interface Command {
  /** A person may destroy their own bytes; the harness and a kill may not. */
  readonly by: "person" | "harness";
  /** `number` and `text` decide the details; the text is a person's own content. */
  run(yard: Yard, given: Given): Promise<void> | void;
}

export interface Given {
  /** In [0, 1). */
  readonly number: number;
  readonly feature: FeatureId;
  readonly text: string;
}

const person = (run: Command["run"]): Command => ({ by: "person", run });
const harness = (run: Command["run"]): Command => ({ by: "harness", run });

export const COMMANDS: Readonly<Record<string, Command>> = {
  "commit on the base, elsewhere": person((yard, { text }) => commitOnBase(yard, "src/other.txt", text)),
  "commit on the base, in a file of the change": person((yard, { text, feature }) =>
    commitOnBase(yard, `src/${FEATURES[feature]}.txt`, text),
  ),
  "commit the change itself on the base": person((yard, { feature }) => commitOnBase(yard, `src/${FEATURES[feature]}.txt`, "two\n")),
  "amend the base": person((yard, { text }) => rewriteBase(yard, git(yard.folder, "rev-parse", "main^{tree}"), text)),
  "amend the base with another content": person((yard, { text }) => rewriteBase(yard, treeWith(yard, "src/other.txt", text), text)),
  "rebase the base": person((yard, { text }) => rebaseBase(yard, text)),
  "reset the base": person((yard) => void git(yard.folder, "update-ref", "refs/heads/main", firstParent(yard, "main"))),
  "commit by hand on the branch": person((yard, { feature, text }) =>
    inWorktree(yard, feature, (worktree) => {
      put(join(worktree, "src", "by-hand.txt"), text);
      git(worktree, "add", "-A");
      git(worktree, "commit", "-q", "-m", "by hand");
    }),
  ),
  "edit a file of the change by hand": person((yard, { feature, text }) =>
    inWorktree(yard, feature, (worktree) => appendFileSync(join(worktree, "src", `${FEATURES[feature]}.txt`), text)),
  ),
  "leave an untracked file": person((yard, { feature, text }) =>
    inWorktree(yard, feature, (worktree) => put(join(worktree, "mine.txt"), text)),
  ),
  "delete a file by hand": person((yard, { feature }) =>
    inWorktree(yard, feature, (worktree) => rmSync(join(worktree, "src", `${FEATURES[feature]}.txt`), { force: true })),
  ),
  "rm -rf the worktree": person((yard, { feature }) => rmSync(worktreeOf(yard, feature), { recursive: true, force: true })),
  "git worktree remove": person((yard, { feature }) =>
    maybe(yard.folder, "worktree", "remove", "--force", "--force", worktreeOf(yard, feature)),
  ),
  "git worktree prune": person((yard, { feature }) => {
    rmSync(worktreeOf(yard, feature), { recursive: true, force: true });
    maybe(yard.folder, "worktree", "prune");
  }),
  "git worktree move": person((yard, { feature, number }) =>
    maybe(yard.folder, "worktree", "move", worktreeOf(yard, feature), join(yard.home, `moved-${Math.floor(number * 1e9)}`)),
  ),
  "git worktree lock": person((yard, { feature }) => maybe(yard.folder, "worktree", "lock", worktreeOf(yard, feature))),
  "delete the .git file": person((yard, { feature }) => rmSync(join(worktreeOf(yard, feature), ".git"), { force: true })),
  "delete the registration": person((yard, { feature }) =>
    rmSync(join(yard.folder, ".git", "worktrees", feature), { recursive: true, force: true }),
  ),
  "delete the branch": person((yard, { feature }) => maybe(yard.folder, "update-ref", "-d", `refs/heads/${feature}`)),
  "check the branch out elsewhere": person((yard, { feature, number }) =>
    maybe(yard.folder, "worktree", "add", "-q", "--force", join(yard.home, `elsewhere-${Math.floor(number * 1e9)}`), feature),
  ),
  "put the branch on the base": person((yard, { feature }) => maybe(yard.folder, "update-ref", `refs/heads/${feature}`, "refs/heads/main")),
  "detach HEAD": person((yard, { feature }) => inWorktree(yard, feature, (worktree) => maybe(worktree, "checkout", "-q", "--detach"))),
  "another branch in the worktree": person((yard, { feature, number }) =>
    inWorktree(yard, feature, (worktree) => maybe(worktree, "switch", "-q", "-c", `mine-${Math.floor(number * 1e9)}`)),
  ),
  "git clean -fdx in the worktree": person((yard, { feature }) =>
    inWorktree(yard, feature, (worktree) => maybe(worktree, "clean", "-qfdx")),
  ),
  "git stash -u in the worktree": person((yard, { feature }) => inWorktree(yard, feature, (worktree) => maybe(worktree, "stash", "-qu"))),
  approve: harness((yard, { feature }) => inSession(yard, async (session) => void (await approve(yard, session, feature)))),
  answer: harness((yard, { number }) => answerOne(yard, number)),
  resume: harness((yard) => inSession(yard, async (session) => void (await session.drive(yard.runId)))),
  "resume, and die at a point": harness((yard, { number }) => driveAndDie(yard, { atPoint: 1 + Math.floor(number * 60) })),
  "resume, and die at any moment": harness((yard, { number }) => driveAndDie(yard, { afterMs: 150 + number * 600 })),
};

/** Any answer that does not end the feature, by chance; approvals are given where asked for. */
async function answerOne(yard: Yard, number: number): Promise<void> {
  await inSession(yard, async ({ records }) => {
    const [question] = (await openQuestionsOf(records, yard.runId)).filter(({ kind }) => kind !== "approval");
    const values = question?.options.map(({ value }) => value).filter((value) => value !== "give_up") ?? [];
    const value = values[Math.floor(number * values.length)];
    if (question !== undefined && value !== undefined)
      await records.answer({ id: question.id, value: { decision: value }, by: { type: "person", id: "kim" } });
  });
}

interface Death {
  readonly atPoint?: number;
  readonly afterMs?: number;
}

/** In a separate process, which is killed with its children; it may reach its end before that. */
async function driveAndDie(yard: Yard, death: Death): Promise<void> {
  const program = await programFor("mishap-child");
  const orders = { ...yard, approved: [], onBase: [], atPoint: death.atPoint ?? null };
  const child = spawn(process.execPath, [program, JSON.stringify(orders)], { env: yard.env, stdio: "ignore", detached: true });
  const timer = death.afterMs === undefined ? undefined : setTimeout(() => killGroup(child.pid), death.afterMs);
  await new Promise((resolve) => child.on("close", resolve));
  clearTimeout(timer);
  // Worktrees may have been moved out of the repository.
  const left = await workingIn(dirname(yard.folder));
  if (left.length > 0) throw new Error(left.join("\n"));
}

function inWorktree(yard: Yard, id: FeatureId, work: (worktree: string) => void): void {
  const worktree = worktreeOf(yard, id);
  const [row] = query(yard.folder, `SELECT status FROM features WHERE id = '${id}'`);
  if (row?.["status"] === "merged" || !existsSync(join(worktree, ".git"))) return;
  try {
    work(worktree);
  } catch {
    // Earlier damage by a person may make git fail.
  }
}

function maybe(folder: string, ...args: readonly string[]): void {
  try {
    git(folder, ...args);
  } catch {
    // As for a person: git refuses with a reason, and nothing happens.
  }
}

/** Moves the base without a checkout, as a fetch does. */
function commitOnBase(yard: Yard, path: string, text: string): void {
  const commit = git(yard.folder, "commit-tree", treeWith(yard, path, text), "-p", "main", "-m", `theirs: ${path}`);
  git(yard.folder, "update-ref", "refs/heads/main", commit);
}

function rewriteBase(yard: Yard, tree: string, text: string): void {
  const parents = firstParent(yard, "main") === git(yard.folder, "rev-parse", "main") ? [] : ["-p", firstParent(yard, "main")];
  git(yard.folder, "update-ref", "refs/heads/main", git(yard.folder, "commit-tree", tree, ...parents, "-m", `amended ${text}`));
}

/** Rewrites every commit of the base, on a commit from elsewhere. */
function rebaseBase(yard: Yard, text: string): void {
  const { folder } = yard;
  let head = git(folder, "commit-tree", "main^{tree}", "-m", `upstream ${text}`);
  for (const commit of git(folder, "rev-list", "--reverse", "--first-parent", "main").split("\n"))
    head = git(folder, "commit-tree", `${commit}^{tree}`, "-p", head, "-m", `rebased ${commit}`);
  git(folder, "update-ref", "refs/heads/main", head);
}

/** The commit itself if it has no parent. */
function firstParent({ folder }: Yard, name: string): string {
  const [commit = "", parent = commit] = git(folder, "rev-list", "--first-parent", "--max-count=2", name).split("\n");
  return parent;
}

function treeWith({ folder, home }: Yard, path: string, text: string): string {
  const blob = join(home, "blob");
  put(blob, text);
  const onIndex = (...args: readonly string[]) => git(folder, "-c", "core.bare=false", ...args);
  process.env["GIT_INDEX_FILE"] = join(home, "base.index");
  try {
    onIndex("read-tree", "main");
    onIndex("update-index", "--add", "--cacheinfo", `100644,${onIndex("hash-object", "-w", blob)},${path}`);
    return onIndex("write-tree");
  } finally {
    delete process.env["GIT_INDEX_FILE"];
  }
}
