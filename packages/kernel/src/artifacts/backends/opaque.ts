import { SlipwayError } from "@slipway/durable/errors";
import { foldedPath } from "../../plans/paths.ts";
import { packPath } from "../../trees/beneath.ts";
import type { FileTree } from "../../trees/file-tree.ts";
import { folderPath, MAX_GREP_HITS } from "../../trees/folder-tree.ts";
import { accessDenied } from "../../trees/levels.ts";
import { moduleOf } from "../layout.ts";

export type IsModuleShipped = (id: string, version: string) => boolean | Promise<boolean>;

const SEALED: ReadonlySet<string> = new Set(["implementation", "tests"]);

/** `implementation/` and `tests/` of a shipped module are not there for anybody; its contract, examples and evidence are. */
export function opaqueTree(inner: FileTree, isShipped: IsModuleShipped): FileTree {
  async function isSealed(path: string): Promise<boolean> {
    const found = moduleOf(path);
    // Folded: a file system that does not tell cases apart opens the same folder by another name.
    return found !== null && SEALED.has(foldedPath(found.rest[0] ?? "")) && (await isShipped(found.id, found.version));
  }

  async function open(asked: string): Promise<string> {
    const path = packPath(asked);
    if (await isSealed(path)) throw new SlipwayError("policy_violation", accessDenied(asked), { path: asked, sealed: true });
    return path;
  }

  async function unsealed<T>(found: readonly T[], pathOf: (item: T) => string): Promise<T[]> {
    const sealed = await Promise.all(found.map((item) => isSealed(pathOf(item))));
    return found.filter((_, index) => sealed[index] === false);
  }

  return {
    async read(asked) {
      // To whoever reads, the refusal is the text.
      const path = packPath(asked);
      return (await isSealed(path)) ? Buffer.from(accessDenied(asked)) : inner.read(path);
    },
    write: async (asked, content) => inner.write(await open(asked), content),
    edit: async (asked, before, after) => inner.edit(await open(asked), before, after),
    remove: async (asked) => inner.remove(await open(asked)),
    async ls(asked) {
      const folder = folderPath(asked);
      return (await isSealed(folder)) ? [] : unsealed(await inner.ls(folder), ({ path }) => path);
    },
    glob: async (pattern, options) => unsealed(await inner.glob(pattern, options), (path) => path),
    async grep(pattern, { path = ".", limit = MAX_GREP_HITS } = {}) {
      // All of them first: sealed lines must not use up the places of others, nor be counted by what is missing.
      const hits = await inner.grep(pattern, { path, limit: Number.MAX_SAFE_INTEGER });
      return (await unsealed(hits, (hit) => hit.path)).slice(0, limit);
    },
  };
}
