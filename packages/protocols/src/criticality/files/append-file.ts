import { closeSync, constants, lstatSync, openSync, writeFileSync } from "node:fs";

/** Appends to a file that is exactly `size` bytes long. False, with nothing written, if it is not: it was removed, edited or cut off. */
export type AppendFile = (path: string, size: number, bytes: Uint8Array) => boolean;

export const appendToFile: AppendFile = (path, size, bytes) => {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size !== size) return false;
  const descriptor = openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW);
  try {
    writeFileSync(descriptor, bytes);
  } finally {
    closeSync(descriptor);
  }
  return true;
};
