import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "../../host/files/file-system.ts";
import type { ReadFile } from "../../host/files/read-file.ts";
import type { Repository } from "../../host/git/repository.ts";
import { readFilesIn } from "../../host/git/tree-files.ts";

const FOLDER = "slipway";

/** The files of a configuration, by path. */
export type ConfigurationFiles = ReadonlyMap<string, Uint8Array>;

/**
 * Every file directly in `slipway/` in a format that configuration is written in, whether the kernel or a protocol reads it. The prompts
 * of roles below it start nothing.
 */
export function isConfigurationFile(path: string): boolean {
  return /^slipway\/[^/]+\.(?:ya?ml|toml|json)$/.test(path);
}

export function committedFiles(repository: Repository, commit: string): Promise<ConfigurationFiles> {
  return readFilesIn(repository, commit, FOLDER, isConfigurationFile);
}

/** The files in the working tree, for a repository whose configuration is not committed yet. */
export function filesOnDisk(root: string): ConfigurationFiles {
  const paths = entriesOf(join(root, FOLDER)).map((name) => `${FOLDER}/${name}`);
  return new Map(paths.filter(isConfigurationFile).map((path) => [path, readFileSync(join(root, path))]));
}

export function readerOf(files: ConfigurationFiles): ReadFile {
  return async (path) => files.get(path) ?? null;
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : []));
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}
