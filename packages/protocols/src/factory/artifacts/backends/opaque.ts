import { SlipwayError } from "@slipway/agents/errors";
import { foldedPath } from "@slipway/kernel/paths/paths";
import { packPath } from "@slipway/kernel/host/file-views/pack-path";
import type { FileTree } from "@slipway/kernel/host/file-views/file-tree";
import { folderPath, MAX_GREP_HITS } from "@slipway/kernel/host/file-views/folder-tree";
import { accessDenied } from "@slipway/kernel/host/file-views/levels";
import { artifactOf, moduleOf } from "../layout.ts";

export type IsModuleShipped = (id: string, version: string) => boolean | Promise<boolean>;

const SEALED: ReadonlySet<string> = new Set(["implementation", "tests"]);

/** Whether a canonical path is hidden from every role. */
export type IsSealed = (path: string) => boolean | Promise<boolean>;

/** Hides `implementation/` and `tests/` of a shipped module; contract, examples and evidence stay readable. */
export function sealedModules(isShipped: IsModuleShipped): IsSealed {
  return async (path) => {
    const found = moduleOf(path);
    return found !== null && isSource(found.rest[0]) && (await isShipped(found.id, found.version));
  };
}

/** Hides the source in delivered artifacts, round by round. */
export const sealedDeliverables: IsSealed = (path) => {
  const [body, part] = artifactOf(path)?.rest ?? [];
  return body !== undefined && foldedPath(body) === "body" && isSource(part);
};

/** Case-folded: on a case-insensitive file system another spelling opens the same folder. */
function isSource(name: string | undefined): boolean {
  return name !== undefined && SEALED.has(foldedPath(name));
}

/** Hides sealed paths: they are not listed, found or written, and reading one returns the refusal. */
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
      // Readers get the refusal as the text of the file.
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
      // Fetch all hits first: sealed ones must neither use up the limit nor be counted as missing.
      const hits = await inner.grep(pattern, { path, limit: Number.MAX_SAFE_INTEGER });
      return (await unsealed(hits, (hit) => hit.path)).slice(0, limit);
    },
  };
}
