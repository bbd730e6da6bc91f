import { SlipwayError } from "../../schema/errors.ts";
import { visible } from "../../paths/paths.ts";
import { packPath } from "./pack-path.ts";
import type { FileTree } from "./file-tree.ts";
import { missing } from "./files.ts";
import { folderPath, isWithin, MAX_GREP_HITS, pathsOf } from "./folder-tree.ts";
import { accessDenied, CONTRACT_SURFACE } from "./levels.ts";
import { rulingsOf, type PackRule, type AccessRuling } from "./rules.ts";

export interface RuledOptions {
  readonly rules: readonly PackRule[];
  /** The error for reading a file of which only the name is visible. */
  readonly named?: (path: string) => SlipwayError;
  /** Named in the error for a write elsewhere. */
  readonly writable?: readonly string[];
}

/** The tree as one role sees it. Paths that no rule grants do not exist for it. */
export function contextPackTree(inner: FileTree, { rules, named = (path) => missing(path), writable = [] }: RuledOptions): FileTree {
  const rulings = rulingsOf(rules);
  const granted = rules.filter(({ level }) => level !== null).map(({ path }) => path);
  const isShown = (path: string) => rulings(path).kind === "shown";
  /** Granted itself, or a parent of a granted path. */
  const isFolderShown = (path: string) => isShown(path) || granted.some((grant) => isWithin(path, grant));

  function shownOrThrow(asked: string): { readonly path: string; readonly ruling: Extract<AccessRuling, { kind: "shown" }> } {
    const path = packPath(asked);
    const ruling = rulings(path);
    if (ruling.kind === "shown") return { path, ruling };
    if (ruling.kind === "named") throw named(path);
    throw ruling.sealed ? sealed(asked) : missing(path);
  }

  function writableOrThrow(asked: string): string {
    const path = packPath(asked);
    const ruling = rulings(path);
    if (ruling.kind === "absent" && !ruling.sealed) throw readOnly(path, writable);
    if (!shownOrThrow(asked).ruling.writable) throw readOnly(path, writable);
    return path;
  }

  /** The visible paths below a path, so that grep opens no other file. */
  function searched(within: string): string[] {
    const roots = rules.flatMap((rule) => {
      if (rule.level === "CONTRACT_ONLY") return CONTRACT_SURFACE.map((name) => (rule.path === "." ? name : `${rule.path}/${name}`));
      return rule.level === "FULL" ? [rule.path] : [];
    });
    const inside = roots.filter((root) => isWithin(within, root));
    if (roots.some((root) => isWithin(root, within))) inside.push(within);
    return inside;
  }

  return {
    async read(asked) {
      try {
        const { path, ruling } = shownOrThrow(asked);
        return ruling.summary === null ? await inner.read(path) : Buffer.from(ruling.summary);
      } catch (error) {
        if (error instanceof SlipwayError && error.details["sealed"] === true) return Buffer.from(error.message);
        throw error;
      }
    },
    write: async (asked, content) => inner.write(writableOrThrow(asked), content),
    edit: async (asked, before, after) => inner.edit(writableOrThrow(asked), before, after),
    remove: async (asked) => inner.remove(writableOrThrow(asked)),
    permission(asked) {
      const ruling = rulings(packPath(asked));
      if (ruling.kind !== "shown") return null;
      return ruling.writable ? "write" : "read";
    },
    async ls(asked) {
      const folder = folderPath(asked);
      if (folder !== "." && !isFolderShown(folder)) {
        const ruling = rulings(folder);
        if (ruling.kind === "absent" && ruling.sealed) return [];
        throw missing(folder);
      }
      return (await inner.ls(folder)).filter(({ path, kind }) => (kind === "file" ? isShown(path) : isFolderShown(path)));
    },
    glob: async (pattern, options) => (await inner.glob(pattern, options)).filter(isShown),
    async grep(pattern, { path = ".", limit = MAX_GREP_HITS } = {}) {
      const hits = await inner.grep(pattern, { path: outermost(pathsOf(path).flatMap(searched)), limit: Number.MAX_SAFE_INTEGER });
      return hits.filter((hit) => isShown(hit.path)).slice(0, limit);
    },
  };
}

function outermost(paths: readonly string[]): string[] {
  return [...new Set(paths)].filter((path, _, all) => !all.some((other) => other !== path && isWithin(other, path)));
}

function sealed(asked: string): SlipwayError {
  return new SlipwayError("policy_violation", accessDenied(asked), { path: asked, sealed: true });
}

const SHOWN_PATHS = 20;

function readOnly(path: string, writable: readonly string[]): SlipwayError {
  const shown = writable.slice(0, SHOWN_PATHS).join(", ");
  const others = writable.length > SHOWN_PATHS ? ` and ${writable.length - SHOWN_PATHS} more` : "";
  return new SlipwayError("policy_violation", `${visible(path)} is read-only here.`, {
    path,
    suggested_next_actions: [
      writable.length === 0 ? "No file is writable here: put the result in the answer." : `Change ${shown}${others}.`,
    ],
  });
}
