import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import type { Environment } from "../places.ts";
import { isBelow } from "../sandbox/arguments.ts";
import { kindAt, realPathOrNull } from "../sandbox/paths.ts";
import { compareVersions, satisfies } from "./version-range.ts";

export type InstalledTool = "node" | "python";

/** How the shims of a version manager find the version to start. */
type Shims = "version-file" | "tool-versions" | "platform-file" | "none";

/** The installation folder of a version manager, with one folder per version. */
export interface Manager {
  readonly root: string;
  /** One tool, or "any" with a folder per tool. */
  readonly tool: InstalledTool | "any";
  readonly folder: string;
  /** Below the folder of a version. */
  readonly inner: string;
  readonly shims: Shims;
}

export interface Installation {
  readonly version: string;
  /** The folder that must be visible for it to run. */
  readonly root: string;
  readonly bin: string;
}

/** The version managers of this user, by their variables or default folders. */
export function managersOf(env: Environment): readonly Manager[] {
  const home = env["HOME"] ?? homedir();
  const data = env["XDG_DATA_HOME"] ?? join(home, ".local", "share");
  const at = (variable: string, ...usual: readonly string[]) =>
    [env[variable], ...usual].filter((path) => path !== undefined && path !== "");
  const list = (roots: readonly (string | undefined)[], tool: Manager["tool"], folder: string, shims: Shims, inner = "") =>
    [...new Set(roots)].flatMap((root) => (root === undefined ? [] : [{ root, tool, folder: join(root, folder), shims, inner }]));
  return [
    ...list(at("NVM_DIR", join(home, ".nvm")), "node", "versions/node", "none"),
    ...list(at("FNM_DIR", join(data, "fnm"), join(home, ".fnm")), "node", "node-versions", "none", "installation"),
    ...list(at("VOLTA_HOME", join(home, ".volta")), "node", "tools/image/node", "platform-file"),
    ...list(at("PYENV_ROOT", join(home, ".pyenv")), "python", "versions", "version-file"),
    ...list([join(data, "uv")], "python", "python", "none"),
    ...list(at("ASDF_DATA_DIR", join(home, ".asdf")), "any", "installs", "tool-versions"),
    ...list(at("MISE_DATA_DIR", join(data, "mise")), "any", "installs", "tool-versions"),
    ...list(at("RUSTUP_HOME", join(home, ".rustup")), "any", "", "none"),
  ].filter(({ folder }) => kindAt(folder) === "folder");
}

/** Folder names of the tools in managers of many tools. */
const TOOL_FOLDERS: Readonly<Record<InstalledTool, readonly string[]>> = { node: ["nodejs", "node"], python: ["python"] };

/** The newest installed version that matches. */
export function findInstalled(managers: readonly Manager[], tool: InstalledTool, wanted: string): Installation | null {
  const folders = managers.flatMap((manager) => {
    if (manager.tool === tool) return [manager];
    return manager.tool === "any" ? TOOL_FOLDERS[tool].map((name) => ({ ...manager, folder: join(manager.folder, name) })) : [];
  });
  const fitting = folders
    .flatMap(({ folder, inner }) => namesIn(folder).map((version) => installationAt(join(folder, version, inner), version)))
    .filter((found) => found !== null)
    .filter((found) => satisfies(found.version, wanted) === true);
  return fitting.toSorted((left, right) => compareVersions(left.version, right.version)).at(-1) ?? null;
}

/** A version of any tool by its exact name in .tool-versions. */
export function findExact({ folder }: Manager, tool: string, version: string): Installation | null {
  return installationAt(join(folder, tool, version), version);
}

export function installationAt(root: string, version: string): Installation | null {
  const bin = join(root, "bin");
  return kindAt(bin) === "folder" ? { version, root, bin } : null;
}

/**
 * The installation that a folder of a PATH belongs to; null if it is not a version manager's. Always the folder of one version, never
 * the manager's own or the home folder, which contain keys and tokens.
 */
export function installationAround(managers: readonly Manager[], path: string): string | null {
  const real = realPathOrNull(path);
  if (real === null) return null;
  for (const { folder, tool } of managers) {
    const place = realPathOrNull(folder);
    if (place === null || real === place || !isBelow(place, real)) continue;
    const parts = relative(place, real).split("/");
    const depth = tool === "any" ? 2 : 1;
    if (parts.length > depth) return join(place, ...parts.slice(0, depth));
  }
  return null;
}

/** nvm stores aliases such as `lts/iron` and `default` as files that name a version or another alias. */
export function nvmAlias(managers: readonly Manager[], name: string): string {
  let wanted = name;
  for (let hop = 0; hop < 4; hop++) {
    const next = managers.flatMap(({ root }) => lineIn(join(root, "alias"), wanted))[0];
    if (next === undefined) return wanted;
    wanted = next;
  }
  return wanted;
}

function lineIn(folder: string, name: string): string[] {
  if (!/^[a-z*]+(?:\/[a-z*]+)?$/i.test(name)) return [];
  try {
    return [readFileSync(join(folder, name), "utf8").trim()];
  } catch {
    return [];
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
