import { SlipwayError } from "@slipway/agents/errors";
import { visible } from "@slipway/kernel/paths/paths";
import { packPath } from "@slipway/kernel/host/file-views/pack-path";
import type { FileTree } from "@slipway/kernel/host/file-views/file-tree";
import { parentOf } from "@slipway/kernel/host/file-views/rules";

/** The reason why a path can no longer be written, or null. */
export type Fixity = (path: string, isThere: () => Promise<boolean>, content: Uint8Array | null) => Promise<string | null> | string | null;

/** Every path is readable; fixed paths cannot be written, edited or removed. */
export function immutableTree(inner: FileTree, fixity: Fixity): FileTree {
  async function free(asked: string, content: Uint8Array | null): Promise<string> {
    const path = packPath(asked);
    const reason = await fixity(path, () => isThere(inner, path), content);
    if (reason === null) return path;
    throw new SlipwayError("policy_violation", `${visible(asked)} cannot be changed: ${reason}.`, {
      path: asked,
      immutable: true,
      suggested_next_actions: ["Write a new version or a new record instead; shipped and recorded files never change."],
    });
  }
  return {
    ...inner,
    write: async (asked, content) => inner.write(await free(asked, content), content),
    edit: async (asked, before, after) => inner.edit(await free(asked, null), before, after),
    remove: async (asked) => inner.remove(await free(asked, null)),
  };
}

async function isThere(inner: FileTree, path: string): Promise<boolean> {
  try {
    return (await inner.ls(parentOf(path))).some((entry) => entry.path === path);
  } catch (error) {
    if (error instanceof SlipwayError && error.code === "input_path_not_found") return false;
    throw error;
  }
}

/** A file that exists is fixed. */
export const writeOnce: Fixity = async (_path, isThere) => ((await isThere()) ? "it is written once" : null);
