import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { randomBytes } from "node:crypto";
import type { GitExecutable } from "./executable.ts";
import { makePrivateFolder } from "../files/private-folder.ts";
import { createGit, type Git } from "./runner.ts";

export interface VaultSource {
  readonly executable: GitExecutable;
  readonly commonDir: string;
  readonly objectFormat: "sha1" | "sha256";
  /** The properties of the file system, from the repository's own configuration. */
  readonly fileSystem: Readonly<Record<string, string>>;
}

export interface VaultUse {
  readonly workTree?: string;
  readonly indexFile?: string;
}

/**
 * A separate git directory over the repository's objects, for trees, patches, diffs and merges. It has no
 * refs, no hooks and only our configuration. Its info/attributes overrides every .gitattributes in a tree, which git 2.39 cannot
 * ignore otherwise, so no filter, driver, line-ending or encoding conversion ever changes bytes.
 */
export async function openVault(source: VaultSource): Promise<(use?: VaultUse) => Git> {
  const gitDir = vaultFolder(source);
  const empty = join(gitDir, "empty");
  // Before anything else creates it with the modes of the user's umask.
  makePrivateFolder(dirname(gitDir));
  await Promise.all([
    mkdir(join(gitDir, "refs"), { recursive: true }),
    mkdir(join(gitDir, "info"), { recursive: true }),
    mkdir(empty, { recursive: true }),
  ]);
  await keep(join(gitDir, "HEAD"), "ref: refs/heads/none\n");
  await keep(join(gitDir, "info", "attributes"), ATTRIBUTES);
  await keep(join(gitDir, "config"), configFor(source.objectFormat));
  return ({ workTree = empty, indexFile = join(gitDir, "index") } = {}) =>
    createGit({
      executable: source.executable,
      gitDir,
      workTree,
      indexFile,
      cwd: workTree,
      config: { ...source.fileSystem, "core.excludesFile": join(source.commonDir, "info", "exclude") },
      env: { GIT_OBJECT_DIRECTORY: join(source.commonDir, "objects"), GIT_SHALLOW_FILE: join(source.commonDir, "shallow") },
    });
}

export function vaultFolder({ commonDir }: Pick<VaultSource, "commonDir">): string {
  return join(commonDir, "slipway", "vault");
}

const ATTRIBUTES = "* -text !eol !crlf !ident !filter !working-tree-encoding !diff !merge !whitespace !conflict-marker-size !delta\n";

function configFor(objectFormat: VaultSource["objectFormat"]): string {
  const isSha1 = objectFormat === "sha1";
  const core = `[core]\n\trepositoryformatversion = ${isSha1 ? 0 : 1}\n\tbare = false\n`;
  return isSha1 ? core : `${core}[extensions]\n\tobjectformat = ${objectFormat}\n`;
}

/** Writes only a different content, so that several processes may do this at once. */
async function keep(path: string, content: string): Promise<void> {
  const present = await readFile(path, "utf8").catch(() => undefined);
  if (present === content) return;
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  await writeFile(temporary, content);
  await rename(temporary, path);
}
