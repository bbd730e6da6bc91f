import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, realpath, rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { findPackageJSON } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { SlipwayError } from "../errors.ts";
import { POLICY_FILE } from "@slipway/kernel/config/load";
import { openRepositoryTrust } from "@slipway/kernel/repository-trust";
import { commitAllFiles, newRepository, type DatedCommit } from "@slipway/kernel/new-repository";
import type { DemoFiles } from "@slipway/protocols/demo/demo";
import type { Io } from "@slipway/protocols/surface/io";
import { keepTrust } from "../trust/ask.ts";
import { download, unpack } from "./unpack-package.ts";

/** A fixed time for every demo commit: equal bytes give equal hashes, so the recorded prompts match. */
const MOMENT = "2026-01-01T00:00:00Z";

/** A git repository with a demo's project, its specifications and its committed Slipway configuration. */
export async function makeRepository(
  io: Io,
  keep: string | undefined,
  files: Pick<DemoFiles, "folder" | "published" | "packages" | "commitMessage">,
): Promise<string> {
  // Download first, so that a failure leaves no half-made folder.
  const tarball = files.published === null ? null : await download(files.published, io);
  const folder =
    keep === undefined ? await mkdtemp(join(await realpath(tmpdir()), "slipway-demo-")) : await emptyFolder(resolve(io.cwd, keep));
  if (tarball !== null) unpack(tarball, folder);
  await cp(join(files.folder, "project"), folder, { recursive: true });
  await restoreGitignore(folder);
  for (const name of files.packages ?? []) await copyPackage(name, folder);
  const specs = join(files.folder, "specs");
  if (existsSync(specs)) await cp(specs, join(folder, "specs"), { recursive: true });
  await newRepository(folder, io.env, demoCommit(files.commitMessage)).catch(noRepository);
  await trustOwn(io, folder);
  return folder;
}

async function copyPackage(name: string, folder: string): Promise<void> {
  const installed = findPackageJSON(name, import.meta.url);
  if (installed === undefined) throw new TypeError(`The package ${name} is not installed.`);
  await cp(dirname(installed), join(folder, "node_modules", name), { recursive: true, dereference: true });
}

/** npm packs no file called .gitignore, so a demo's data has it as `gitignore`. */
async function restoreGitignore(folder: string): Promise<void> {
  for (const path of await readdir(folder, { recursive: true }))
    if (basename(path) === "gitignore") await rename(join(folder, path), join(folder, dirname(path), ".gitignore"));
}

export async function commitAll(io: Io, message: string): Promise<void> {
  await commitAllFiles(io.cwd, io.env, demoCommit(message)).catch(noRepository);
  await trustOwn(io, io.cwd);
}

/** The configuration is Slipway's own. */
async function trustOwn({ env }: Io, folder: string): Promise<void> {
  if (existsSync(join(folder, POLICY_FILE))) await keepTrust(await openRepositoryTrust({ cwd: folder, env }), { env });
}

function demoCommit(message: string): DatedCommit {
  return { message, author: { name: "Demo", email: "demo@localhost" }, at: MOMENT };
}

function noRepository(error: unknown): never {
  throw new SlipwayError(
    "git_missing",
    `git could not make the demo's repository: ${error instanceof Error ? error.message : ""}`,
    { suggested_next_actions: ["Install git, then run `slipway doctor`."] },
    { cause: error },
  );
}

async function emptyFolder(path: string): Promise<string> {
  await mkdir(path, { recursive: true });
  if ((await readdir(path)).length === 0) return realpath(path);
  throw new SlipwayError("invalid_cli_args", `${path} is not empty; the demo would mix its files with yours.`, {
    file: path,
    suggested_next_actions: ["Name a folder that does not exist yet."],
  });
}
