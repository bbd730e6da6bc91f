import { realpathSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";

/**
 * The PATH as it was before npm, npx or a package script put folders in front of it that hold Slipway's own Node: those go to the end,
 * so that `node` is the one the caller's shell would start, and what else they hold is still found.
 */
export function callerPath(path: string, ownNode = realpathSync(process.execPath)): string {
  const folders = path.split(delimiter);
  const put = folders.filter((folder) => isOfLauncher(folder, ownNode));
  return [...folders.filter((folder) => !put.includes(folder)), ...put].join(delimiter);
}

function isOfLauncher(folder: string, ownNode: string): boolean {
  if (basename(folder) === "node-gyp-bin") return true;
  // A Node that is installed for everybody is the caller's own, also when it runs Slipway.
  return folder.split("/").includes("node_modules") && realOf(join(folder, "node")) === ownNode;
}

function realOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

/** For what Slipway brings along and runs itself: its own Node, whatever the caller has. */
export function withOwnNode(env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  return { ...env, PATH: [dirname(process.execPath), ...(env["PATH"] === undefined ? [] : [env["PATH"]])].join(delimiter) };
}
