import { createHash } from "node:crypto";
import { decodePath, splitZero } from "@slipway/kernel/host/git/names";
import type { Repository } from "@slipway/kernel/host/git/repository";

/** A file that a pack may contain. */
export interface PackFile {
  readonly path: string;
  readonly executable: boolean;
  readonly bytes: number;
  /** The id git gives to the content. */
  readonly oid: string;
  /** Set if it is not an object of the repository. */
  readonly content?: Uint8Array;
}

export interface PackListing {
  readonly files: readonly PackFile[];
  /** Entries a pack cannot contain. */
  readonly others: readonly { readonly path: string; readonly reason: string }[];
}

const MOST_LISTINGS = 8;
const listings = new WeakMap<Repository, Map<string, Promise<PackListing>>>();

/** Every file of a tree. Trees never change, so the last few listings are cached. */
export function listTree(repo: Repository, tree: string): Promise<PackListing> {
  const known = listings.get(repo) ?? new Map<string, Promise<PackListing>>();
  listings.set(repo, known);
  const found = known.get(tree) ?? readListing(repo, tree);
  known.delete(tree);
  known.set(tree, found);
  for (const oldest of [...known.keys()].slice(0, -MOST_LISTINGS)) known.delete(oldest);
  found.catch(() => known.delete(tree));
  return found;
}

async function readListing(repo: Repository, tree: string): Promise<PackListing> {
  const { stdout } = await repo.git.run(["ls-tree", "-r", "-z", "--long", "--full-tree", "--end-of-options", tree]);
  const files: PackFile[] = [];
  const others: { path: string; reason: string }[] = [];
  for (const line of splitZero(stdout)) {
    const tab = line.indexOf(9);
    const [mode = "", , oid = "", bytes = ""] = line.toString("latin1", 0, tab).split(/ +/);
    const path = decodePath(line.subarray(tab + 1));
    if (!path.isWellFormed()) others.push({ path: path.toWellFormed(), reason: "its name is not UTF-8" });
    else if (mode === "100644" || mode === "100755") files.push({ path, oid, bytes: Number(bytes), executable: mode === "100755" });
    else others.push({ path, reason: mode === "120000" ? "a symbolic link" : "a submodule" });
  }
  return { files, others };
}

/** Texts and bytes that are not in a tree. */
export function givenFiles(items: Readonly<Record<string, string | Uint8Array>>, objectFormat: "sha1" | "sha256"): PackFile[] {
  return Object.entries(items).map(([path, given]) => {
    const content = typeof given === "string" ? Buffer.from(given.toWellFormed()) : given;
    return { path, executable: false, bytes: content.byteLength, oid: blobId(content, objectFormat), content };
  });
}

export function blobId(content: Uint8Array, objectFormat: "sha1" | "sha256"): string {
  return createHash(objectFormat).update(`blob ${content.byteLength}\0`).update(content).digest("hex");
}
