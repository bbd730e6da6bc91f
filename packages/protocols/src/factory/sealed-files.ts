import { foldedPath } from "@slipway/kernel/paths/paths";
import { accessDenied } from "@slipway/kernel/host/file-views/levels";
import type { ReadFile } from "@slipway/kernel/host/files/read-file";

const SEALED = /^mm-\w+\/\d+\.\d+\.\d+\/(?:implementation|tests)(?:\/|$)/;

/** Hides the source of released modules in the repository from roles, as in the state store. `folder` is the release folder. */
export function withoutSealed(read: ReadFile, folder: string): ReadFile {
  const below = `${foldedPath(folder)}/`;
  return async (path) => {
    const folded = foldedPath(path);
    return folded.startsWith(below) && SEALED.test(folded.slice(below.length)) ? Buffer.from(accessDenied(path)) : read(path);
  };
}
