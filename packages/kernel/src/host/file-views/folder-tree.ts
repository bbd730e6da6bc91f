import { isUtf8 } from "node:buffer";
import { SlipwayError } from "../../schema/errors.ts";
import type { Git } from "../git/runner.ts";
import { areaMatcher } from "../../paths/areas.ts";
import { visible } from "../../paths/paths.ts";
import { packPath } from "./pack-path.ts";
import type { FileTree } from "./file-tree.ts";
import { listBelow, readBelow, removeBelow, writeBelow } from "./files.ts";
import { grepFolder } from "./grep.ts";

export const MAX_GREP_HITS = 200;

export interface FolderTreeOptions {
  readonly folder: string;
  /** git with the folder as its working directory; only grep uses it. */
  readonly git: () => Promise<Git>;
  readonly executable?: (path: string) => boolean;
}

/** A folder without access rules. No path leads out of it, and no link is followed. */
export function folderTree({ folder, git, executable = () => false }: FolderTreeOptions): FileTree {
  function filesBelow(start: string): string[] {
    return listBelow(folder, start).flatMap(({ path, kind }) => (kind === "file" ? [path] : filesBelow(path)));
  }
  const write = (path: string, content: Uint8Array) => writeBelow(folder, path, content, executable(path));
  return {
    read: async (asked) => readBelow(folder, packPath(asked)),
    write: async (asked, content) => write(packPath(asked), content),
    async edit(asked, before, after) {
      const path = packPath(asked);
      write(path, Buffer.from(replaceOnce(path, readBelow(folder, path), before, after)));
    },
    remove: async (asked) => removeBelow(folder, packPath(asked)),
    ls: async (asked) => listBelow(folder, folderPath(asked)),
    async glob(pattern, { under = "." } = {}) {
      const covers = areaMatcher([pattern.replace(/^\.\//, "")], "glob");
      return filesBelow(folderPath(under)).filter((path) => covers(path) !== null);
    },
    async grep(pattern, { path = ".", limit = MAX_GREP_HITS } = {}) {
      return grepFolder(await git(), { pattern, paths: pathsOf(path), limit });
    },
  };
}

export function folderPath(asked: string): string {
  return asked === "" || asked === "." || asked === "./" ? "." : packPath(asked);
}

export function pathsOf(asked: string | readonly string[]): string[] {
  return (typeof asked === "string" ? [asked] : asked).map(folderPath);
}

/** True for the folder itself and everything below it; "." contains every path. */
export function isWithin(folder: string, path: string): boolean {
  return folder === "." || path === folder || path.startsWith(`${folder}/`);
}

function replaceOnce(path: string, content: Buffer, before: string, after: string): string {
  const refuse = (problem: string, action: string) =>
    new SlipwayError("patch_rejected", `${visible(path)} was not edited: ${problem}.`, { path, suggested_next_actions: [action] });
  if (!isUtf8(content)) throw refuse("it is not text", "Replace the whole file instead.");
  if (before === "") throw refuse("the text to replace is empty", "Give the current text.");
  const text = content.toString("utf8");
  const [start, ...rest] = text.split(before);
  if (rest.length === 0) throw refuse("the file does not contain the text to replace", "Read the file again and copy the text exactly.");
  if (rest.length > 1) throw refuse(`the file contains the text to replace ${rest.length} times`, "Include more of the surrounding lines.");
  return `${start}${after.toWellFormed()}${rest[0]}`;
}
