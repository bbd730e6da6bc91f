import { SlipwayError } from "@slipway/agents/errors";
import { visible } from "@slipway/kernel/paths/paths";
import { packPath } from "@slipway/kernel/host/file-views/pack-path";
import type { FileTree } from "@slipway/kernel/host/file-views/file-tree";
import { folderPath, MAX_GREP_HITS, pathsOf } from "@slipway/kernel/host/file-views/folder-tree";

/** A tree, or the reason why this part has no files. */
export type BackendRoute = FileTree | { readonly closed: string };

/** Routes each path to the tree of its first folder, with the path unchanged. `base` is only used to list which folders exist. */
export function compositeTree(base: Pick<FileTree, "ls">, routes: Readonly<Record<string, BackendRoute>>): FileTree {
  const open = Object.entries(routes).filter((entry): entry is [string, FileTree] => !("closed" in entry[1]));

  function treeOf(asked: string): FileTree {
    const [part = ""] = packPath(asked).split("/");
    const route = Object.hasOwn(routes, part) ? routes[part] : undefined;
    if (route !== undefined && !("closed" in route)) return route;
    throw new SlipwayError("policy_violation", `${visible(asked)} cannot be reached: ${route?.closed ?? "the store has no such part"}.`, {
      path: asked,
      suggested_next_actions: [`Use a path below ${open.map(([name]) => `${name}/`).join(", ")}.`],
    });
  }

  async function there(): Promise<[string, FileTree][]> {
    const names = new Set((await base.ls(".")).map(({ path }) => path));
    return open.filter(([name]) => names.has(name));
  }

  /** The trees a search covers, each with its own paths. */
  async function shares(paths: readonly string[]): Promise<[FileTree, string[]][]> {
    if (paths.includes(".")) return (await there()).map(([name, tree]) => [tree, [name]]);
    const byTree = new Map<FileTree, string[]>();
    for (const path of paths) {
      const [part = ""] = path.split("/");
      const route = open.find(([name]) => name === part)?.[1];
      if (route !== undefined) byTree.set(route, [...(byTree.get(route) ?? []), path]);
    }
    return [...byTree];
  }

  return {
    read: async (asked) => treeOf(asked).read(asked),
    write: async (asked, content) => treeOf(asked).write(asked, content),
    edit: async (asked, before, after) => treeOf(asked).edit(asked, before, after),
    remove: async (asked) => treeOf(asked).remove(asked),
    async ls(asked) {
      if (folderPath(asked) !== ".") return treeOf(asked).ls(asked);
      return (await there()).map(([path]) => ({ path, kind: "folder" as const, bytes: 0 }));
    },
    async glob(pattern, { under = "." } = {}) {
      const found = await Promise.all(
        (await shares([folderPath(under)])).flatMap(([tree, paths]) => paths.map((path) => tree.glob(pattern, { under: path }))),
      );
      return found.flat();
    },
    async grep(pattern, { path = ".", limit = MAX_GREP_HITS } = {}) {
      const hits = [];
      for (const [tree, paths] of await shares(pathsOf(path))) hits.push(...(await tree.grep(pattern, { path: paths, limit })));
      return hits.slice(0, limit);
    },
  };
}
