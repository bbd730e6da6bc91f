import { SlipwayError } from "../../../schema/errors.ts";
import { writeBelow } from "../../../host/file-views/files.ts";
import { escapes } from "../../../host/git/names.ts";
import { nameOffence } from "../../../host/git/patch-rules.ts";
import { canonicalPath, foldedPath, visible } from "../../../paths/paths.ts";
import type { CheckCommand } from "./input.ts";

/** What a throwaway file must stay clear of. */
export interface Occupied {
  /** Every path of the tree. */
  readonly tracked: readonly string[];
  /** Folders that are mounted into the tree. */
  readonly shared: readonly string[];
}

/**
 * Refuses a throwaway file that would replace or hide a part of the tree, or that lies outside it: a command runs on exactly the tree, with
 * additional files only.
 */
export function assertThrowaway(commands: readonly CheckCommand[], { tracked, shared }: Occupied): void {
  const wanted = commands.flatMap(({ name, files }) => Object.keys(files ?? {}).map((path) => ({ name, path })));
  if (wanted.length === 0) return;
  const files = new Set(tracked.map(foldedPath));
  const folders = new Set([...files].flatMap(parentsOf));
  for (const { name, path } of wanted) {
    const canonical = canonicalPath(path);
    if (!canonical.ok || canonical.path !== path || escapes(path) || nameOffence(path) !== null)
      throw refused("path_out_of_bounds", name, path, canonical.ok ? "is not a plain path inside the tree" : canonical.reason);
    const folded = foldedPath(path);
    if (files.has(folded) || folders.has(folded)) throw refused("policy_violation", name, path, "exists in the tree");
    const parent = parentsOf(folded).find((folder) => files.has(folder));
    if (parent !== undefined) throw refused("policy_violation", name, path, `is below ${visible(parent)}, which is a file of the tree`);
    const mount = shared.find((folder) => folded === foldedPath(folder) || folded.startsWith(`${foldedPath(folder)}/`));
    if (mount !== undefined) throw refused("policy_violation", name, path, `is in ${visible(mount)}, which sandbox.shared_paths mounts`);
  }
}

/** Writes them into a folder that one command has for itself. */
export function layOut(folder: string, { files = {} }: Pick<CheckCommand, "files">): void {
  for (const [path, text] of Object.entries(files)) writeBelow(folder, path, Buffer.from(text), false);
}

function parentsOf(path: string): string[] {
  const parents: string[] = [];
  for (let end = path.indexOf("/"); end >= 0; end = path.indexOf("/", end + 1)) parents.push(path.slice(0, end));
  return parents;
}

function refused(code: "path_out_of_bounds" | "policy_violation", command: string, path: string, why: string): SlipwayError {
  return new SlipwayError(code, `The throwaway file ${visible(path)} of the command ${visible(command)} ${why}. Nothing was run.`, {
    field: "commands.files",
    command,
    path: visible(path),
    suggested_next_actions: ["Give the file another path, at which the tree has nothing."],
  });
}
