import { decodeRefPart } from "./names.ts";
import type { Repository } from "./repository.ts";

/** A ref below refs/slipway, for a person who wants its bytes back. */
export interface ListedAnchor {
  readonly ref: string;
  /** The run and the step that made it; shortened if the name would be too long. */
  readonly run: string;
  readonly step: string;
  readonly commit: string;
  readonly tree: string;
  readonly parent: string | null;
  /** Milliseconds. */
  readonly at: number;
  readonly message: string;
}

const FIELDS = ["refname", "objectname", "tree", "parent", "committerdate:unix", "contents:subject"];

/** All anchors, the newest first. */
export async function listAnchors(repo: Repository): Promise<ListedAnchor[]> {
  const format = FIELDS.map((field) => `%(${field})`).join("%00");
  const lines = (await repo.git.text(["for-each-ref", `--format=${format}`, "refs/slipway"])).split("\n");
  const anchors = lines.filter((line) => line !== "").map(anchorFrom);
  return anchors.toSorted((one, two) => two.at - one.at || (one.ref < two.ref ? 1 : -1));
}

function anchorFrom(line: string): ListedAnchor {
  const [ref = "", commit = "", tree = "", parents = "", seconds = "0", message = ""] = line.split("\0");
  const [, , run = "", step = ""] = ref.split("/");
  const [parent = ""] = parents.split(" ");
  const decoded = { run: decodeRefPart(run), step: decodeRefPart(step) };
  return { ref, ...decoded, commit, tree, parent: parent === "" ? null : parent, at: Number(seconds) * 1000, message };
}

/** The name of the run contains the feature. If tools drive it, or the name was shortened, the message does. */
export function isAnchorOf(id: string, { run, message }: Pick<ListedAnchor, "run" | "message">): boolean {
  return run.endsWith(`/feature:${id}`) || message.startsWith(`${id}: `);
}

/** Its bytes stay in the repository until git collects them. */
export async function dropAnchor(repo: Repository, { ref, commit }: Pick<ListedAnchor, "ref" | "commit">): Promise<void> {
  await repo.git.run(["update-ref", "--no-deref", "-d", "--end-of-options", ref, commit]);
}

/** The commit that a name means, if an anchor reaches it. */
export async function anchoredCommit(repo: Repository, name: string): Promise<string | null> {
  if (!/^[0-9a-f]{7,64}$/.test(name)) return null;
  const found = await repo.git.run(["rev-parse", "--verify", "-q", "--end-of-options", `${name}^{commit}`], { allowExit: [1, 128] });
  if (found.exitCode !== 0) return null;
  const commit = found.stdout.toString("utf8").trim();
  const keepers = await repo.git.text(["for-each-ref", "--count=1", "--format=%(refname)", `--contains=${commit}`, "refs/slipway"]);
  return keepers === "" ? null : commit;
}
