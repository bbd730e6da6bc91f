import { realpathSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";

/**
 * The PATH of the caller's shell. npm, npx and package scripts prepend folders with Slipway's own Node; these move to the end, so that
 * `node` is the caller's, and other programs in them are still found.
 */
export function callerPath(path: string, ownNode = realpathSync(process.execPath)): string {
  const folders = path.split(delimiter);
  const put = folders.filter((folder) => isOfLauncher(folder, ownNode));
  return [...folders.filter((folder) => !put.includes(folder)), ...put].join(delimiter);
}

function isOfLauncher(folder: string, ownNode: string): boolean {
  if (basename(folder) === "node-gyp-bin") return true;
  // A system-wide Node is the caller's own, even if it also runs Slipway.
  return folder.split("/").includes("node_modules") && realOf(join(folder, "node")) === ownNode;
}

function realOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

/** For bundled programs that Slipway runs itself: they need Slipway's own Node. */
export function withOwnNode(env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  return { ...env, PATH: [dirname(process.execPath), ...(env["PATH"] === undefined ? [] : [env["PATH"]])].join(delimiter) };
}
