import { closeSync, constants, existsSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { SlipwayError } from "@slipway/durable/errors";
import { hasCode } from "../files/file-system.ts";
import { assertCanonicalPath, visible } from "../plans/paths.ts";

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** A path of a pack: relative, and written without any "..", so that it means the same whatever is on the way. */
export function packPath(raw: string): string {
  if (raw.split("/").includes("..")) {
    throw new SlipwayError("path_out_of_bounds", `The path ${visible(raw)} contains "..".`, {
      path: visible(raw),
      suggested_next_actions: ["Write the path from the folder you work in, such as src/index.ts."],
    });
  }
  return assertCanonicalPath(raw);
}

/**
 * Works in the folder of a path. Each folder on the way is opened from the one above it, so neither a link nor somebody who
 * puts one there meanwhile leads out of the root: an agent's process may be at work in the same place.
 */
export function inFolderOf<T>(root: string, path: string, work: (file: string) => T, options: { readonly make?: boolean } = {}): T {
  const segments = path.split("/");
  const name = segments.pop() ?? "";
  const opened: number[] = [];
  const place = (folder: string) => {
    if (!hasDescriptors()) return folder;
    const descriptor = openSync(folder, FOLDER);
    opened.push(descriptor);
    return `/proc/self/fd/${descriptor}`;
  };
  try {
    let folder = place(root);
    for (const segment of segments) {
      const next = join(folder, segment);
      if (options.make === true && !existsSync(next)) mkdirSync(next);
      folder = place(next);
    }
    return work(join(folder, name));
  } catch (error) {
    if (hasCode(error, "ELOOP", "ENOTDIR")) throw linked(path, error);
    throw error;
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

let known: boolean | null = null;

/** Only Linux opens a path below a descriptor, and only Linux has processes of agents in a sandbox. */
function hasDescriptors(): boolean {
  known ??= existsSync("/proc/self/fd");
  return known;
}

export function linked(path: string, cause: unknown): SlipwayError {
  const details = { path, suggested_next_actions: ["Name the file itself."] };
  return new SlipwayError("path_out_of_bounds", `${visible(path)} leads through a symbolic link, which is not followed.`, details, {
    cause,
  });
}
