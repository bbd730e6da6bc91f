import { SlipwayError } from "@slipway/durable/errors";
import { foldedPath } from "@slipway/kernel/paths/paths";
import { packPath } from "@slipway/kernel/host/file-views/pack-path";
import type { FileTree } from "@slipway/kernel/host/file-views/file-tree";
import { folderPath, MAX_GREP_HITS } from "@slipway/kernel/host/file-views/folder-tree";
import { accessDenied } from "@slipway/kernel/host/file-views/levels";
import { artifactOf, moduleOf } from "../layout.ts";

export type IsModuleShipped = (id: string, version: string) => boolean | Promise<boolean>;

const SEALED: ReadonlySet<string> = new Set(["implementation", "tests"]);

/** Whether a path, in its one form, is there for nobody. */
export type IsSealed = (path: string) => boolean | Promise<boolean>;

/** `implementation/` and `tests/` of a shipped module; its contract, examples and evidence are there. */
export function sealedModules(isShipped: IsModuleShipped): IsSealed {
  return async (path) => {
    const found = moduleOf(path);
    return found !== null && isSource(found.rest[0]) && (await isShipped(found.id, found.version));
  };
}

/** The same of what a Proposer has delivered, round by round: it is the same source. */
export const sealedDeliverables: IsSealed = (path) => {
  const [body, part] = artifactOf(path)?.rest ?? [];
  return body !== undefined && foldedPath(body) === "body" && isSource(part);
};

/** Folded: a file system that does not tell cases apart opens the same folder by another name. */
function isSource(name: string | undefined): boolean {
  return name !== undefined && SEALED.has(foldedPath(name));
}

/** What is sealed is not there for anybody. */
export function opaqueTree(inner: FileTree, isSealed: IsSealed): FileTree {
  async function open(asked: string): Promise<string> {
    const path = packPath(asked);
    if (await isSealed(path)) throw new SlipwayError("policy_violation", accessDenied(asked), { path: asked, sealed: true });
    return path;
  }

  async function unsealed<T>(found: readonly T[], pathOf: (item: T) => string): Promise<T[]> {
    const sealed = await Promise.all(found.map((item) => isSealed(pathOf(item))));
    return found.filter((_, index) => sealed[index] !== true);
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
