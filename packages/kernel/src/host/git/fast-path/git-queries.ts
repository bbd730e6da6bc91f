import { randomBytes } from "node:crypto";
import { SlipwayError } from "../../../schema/errors.ts";
import { gitWork } from "../executable.ts";
import type { Repository } from "../repository.ts";
import { openGitSession, type GitSession } from "./git-session.ts";
import type { RefUpdate } from "../transaction.ts";

interface GitSessions {
  readonly objects: GitSession;
  readonly differences: GitSession;
  readonly refs: GitSession;
}

const known = new WeakMap<Repository, Promise<GitSessions>>();

function sessionsOf(repo: Repository): Promise<GitSessions> {
  const found = known.get(repo) ?? open(repo);
  known.set(repo, found);
  return found;
}

async function open(repo: Repository): Promise<GitSessions> {
  const vault = await repo.vault();
  const stay = (git: typeof vault, args: readonly string[]): GitSession => {
    const { ask } = openGitSession(args[0] ?? "", () => git.start(args));
    return { ask: (question, ending) => gitWork(repo.executable, () => ask(question, ending)) };
  };
  return {
    objects: stay(vault, ["cat-file", "--batch"]),
    differences: stay(vault, ["diff-tree", "--stdin", ...DIFFERENCE_FORMAT]),
    refs: stay(repo.git, ["update-ref", "--no-deref", "--stdin"]),
  };
}

/** Each change in three formats: raw entries, numbers of lines, and the lines themselves. */
const DIFFERENCE_FORMAT = [
  "-r",
  "--raw",
  "--numstat",
  "--patch",
  "-z",
  "--unified=0",
  "--no-renames",
  "--no-abbrev",
  "--no-color",
  "--ignore-submodules=none",
];

/** A random name without an object: git's error for it marks the end of an answer. */
function marker(): string {
  return `end-${randomBytes(12).toString("hex")}`;
}

/** Null for a missing object. */
export async function readObjects(
  repo: Repository,
  names: readonly string[],
  encoding: BufferEncoding = "utf8",
): Promise<(GitObject | null)[]> {
  if (names.length === 0) return [];
  const { objects } = await sessionsOf(repo);
  const found: (GitObject | null)[] = [];
  let offset = 0;
  await objects.ask(Buffer.from(names.map((name) => `${name}\n`).join(""), encoding), (answer) => {
    while (found.length < names.length) {
      const line = answer.indexOf(10, offset);
      if (line < 0) return answer.length + 1;
      const said = answer.toString("utf8", offset, line);
      const [, oid, type, size] = OBJECT_LINE.exec(said) ?? [];
      // Missing, ambiguous or a submodule: the answer is only this line, which may begin with the queried name.
      const end = size === undefined ? line + 1 : line + 1 + Number(size) + 1;
      if (answer.length < end) return end;
      found.push(oid === undefined || type === undefined ? null : { oid, type, bytes: answer.subarray(line + 1, end - 1) });
      offset = end;
    }
    return 0;
  });
  return found;
}

export async function readBlob(repo: Repository, oid: string): Promise<Buffer> {
  const [found] = await readObjects(repo, [oid]);
  if (found?.type === "blob") return found.bytes;
  throw new SlipwayError("object_missing", `The object ${oid} is missing from the repository.`, {
    object: oid,
    suggested_next_actions: ["Run `git fsck`, and restore the repository if objects are missing."],
  });
}

const OBJECT_LINE = /^([0-9a-f]+) (blob|tree|commit|tag) (\d+)$/;

export interface GitObject {
  readonly oid: string;
  readonly type: string;
  readonly bytes: Buffer;
}

const treesOf = new WeakMap<Repository, Map<string, string>>();
const MOST_TREES = 500;

/** The tree of a commit or tree id. */
export async function treeOf(repo: Repository, oid: string): Promise<string> {
  const trees = treesOf.get(repo) ?? new Map<string, string>();
  treesOf.set(repo, trees);
  const found = trees.get(oid) ?? (await readObjects(repo, [`${oid}^{tree}`]))[0]?.oid;
  if (found === undefined)
    throw new SlipwayError("object_missing", `The object ${oid} is not in the repository, or has no tree.`, { object: oid });
  if (trees.size >= MOST_TREES) trees.clear();
  trees.set(oid, found);
  return found;
}

/** The output of `git diff-tree` for two trees, in `DIFFERENCE_FORMAT`. */
export async function differences(repo: Repository, fromTree: string, toTree: string): Promise<Buffer> {
  const end = marker();
  const answer = await (await sessionsOf(repo)).differences.ask(`${fromTree} ${toTree}\n${end}\n`, `${end}\n`);
  return answer.subarray(answer.indexOf(10) + 1, answer.length - end.length - 1);
}

/** Moves a ref by compare-and-swap; false if it should be new but exists. */
export async function moveRef(repo: Repository, { ref, to, from }: RefUpdate): Promise<boolean> {
  const lines = ["start", `update ${ref} ${to} ${from ?? "0".repeat(to.length)}`, "prepare", "commit", ""];
  try {
    await (await sessionsOf(repo)).refs.ask(lines.join("\n"), "commit: ok\n");
    return true;
  } catch (error) {
    if (from === null && error instanceof SlipwayError && /reference already exists/.test(String(error.details["stderr"]))) return false;
    throw error;
  }
}
