import { foldedPath } from "@slipway/kernel/plans/paths";
import { accessDenied } from "@slipway/kernel/trees/levels";
import type { ReadFile } from "../roles.ts";

const SEALED = /^mm-\w+\/\d+\.\d+\.\d+\/(?:implementation|tests)(?:\/|$)/;

/** A released module is in the repository, and to roles of the factory as sealed there as in the store. `folder` is where releases go. */
export function withoutSealed(read: ReadFile, folder: string): ReadFile {
  const below = `${foldedPath(folder)}/`;
  return async (path) => {
    const folded = foldedPath(path);
    return folded.startsWith(below) && SEALED.test(folded.slice(below.length)) ? Buffer.from(accessDenied(path)) : read(path);
  };
}
