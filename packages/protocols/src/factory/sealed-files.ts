import { foldedPath } from "@slipway/kernel/paths/paths";
import { accessDenied } from "@slipway/kernel/host/file-views/levels";
import type { ReadFile } from "@slipway/kernel/host/files/read-file";

const SEALED = /^mm-\w+\/\d+\.\d+\.\d+\/(?:implementation|tests)(?:\/|$)/;

/** A released module is in the repository, and to roles of the factory as sealed there as in the store. `folder` is where releases go. */
export function withoutSealed(read: ReadFile, folder: string): ReadFile {
  const below = `${foldedPath(folder)}/`;
  return async (path) => {
    const folded = foldedPath(path);
    return folded.startsWith(below) && SEALED.test(folded.slice(below.length)) ? Buffer.from(accessDenied(path)) : read(path);
  };
}
