import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { SlipwayError } from "../errors.ts";
import type { Workplace } from "../provider.ts";

export interface Edits {
  readonly paths: readonly string[];
  /** Changes the pack does not allow, as texts. */
  readonly refused: readonly string[];
}

/** Path and digest of every file. */
export type Digests = Readonly<Record<string, string>>;

/** Applies the edits made in the copy to the workplace, which refuses forbidden changes as for every agent. */
export async function takeOver(copy: string, made: Digests, { tree }: Workplace): Promise<Edits> {
  if (!existsSync(copy)) return { paths: [], refused: [] };
  const [before, after] = [new Map(Object.entries(made)), await filesOf(copy)];
  const paths: string[] = [];
  const refused: string[] = [];
  for (const [path, digest] of after) {
    if (before.get(path) === digest) continue;
    const problem = await attempt(async () => tree.write(path, await readFile(join(copy, path))));
    if (problem === null) paths.push(path);
    else refused.push(`${PACK}/${path}: ${problem}`);
  }
  for (const path of before.keys()) {
    if (after.has(path)) continue;
    const problem = await attempt(() => tree.remove(path));
    if (problem === null) paths.push(path);
    else refused.push(`${PACK}/${path} is gone: ${problem}`);
  }
  return { paths: paths.toSorted(), refused };
}

const PACK = "pack";

async function attempt(change: () => Promise<void>): Promise<string | null> {
  try {
    await change();
    return null;
  } catch (error) {
    if (error instanceof SlipwayError) return error.message;
    throw error;
  }
}

/** Links and special files are ignored. */
async function filesOf(folder: string, within = ""): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const entry of await readdir(join(folder, within), { withFileTypes: true })) {
    const path = within === "" ? entry.name : `${within}/${entry.name}`;
    if (entry.isDirectory()) for (const [inner, digest] of await filesOf(folder, path)) found.set(inner, digest);
    else if (entry.isFile())
      found.set(
        path,
        createHash("sha256")
          .update(await readFile(join(folder, path)))
          .digest("hex"),
      );
  }
  return found;
}

export async function digestsOf(folder: string): Promise<Digests> {
  return Object.fromEntries(await filesOf(folder));
}
