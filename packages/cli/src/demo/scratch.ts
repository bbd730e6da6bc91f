import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { SlipwayError } from "@slipway/durable/errors";
import { findSpecs } from "@slipway/kernel/change/plan/specs/read";
import type { Io } from "@slipway/protocols/surface/io";
import { SHOP, type DemoBundle } from "./bundle.ts";
import { download, unpack } from "./published.ts";

/** One moment for every demo commit: the same bytes give the same hashes everywhere, so the recorded prompts fit. */
const MOMENT = "2026-01-01T00:00:00Z";

const run = promisify(execFile);

export interface Scratch {
  readonly folder: string;
  /** From the folder, in order; the first one needs none of the others. */
  readonly specs: readonly string[];
}

/** A real git repository with a small project, its specifications and its committed Slipway configuration. */
export async function makeScratch(io: Io, keep: string | undefined, bundle: DemoBundle = SHOP): Promise<Scratch> {
  const folder = await makeRepository(io, keep, bundle);
  return { folder, specs: await findSpecs(folder, "specs") };
}

/** The same without a look at its specifications: the factory's page is one of the project's own files. */
export async function makeRepository(
  io: Io,
  keep: string | undefined,
  bundle: Pick<DemoBundle, "folder" | "published" | "commitMessage">,
): Promise<string> {
  // Before there is a folder: without network there is to be nothing half-made.
  const tarball = bundle.published === null ? null : await download(bundle.published, io);
  const folder =
    keep === undefined ? await mkdtemp(join(await realpath(tmpdir()), "slipway-demo-")) : await emptyFolder(resolve(io.cwd, keep));
  if (tarball !== null) unpack(tarball, folder);
  await cp(join(bundle.folder, "project"), folder, { recursive: true });
  const specs = join(bundle.folder, "specs");
  if (existsSync(specs)) await cp(specs, join(folder, "specs"), { recursive: true });
  await git(io, folder, ["init", "--quiet", "--initial-branch=main"]);
  await commitAll({ ...io, cwd: folder }, bundle.commitMessage);
  return folder;
}

export async function commitAll(io: Io, message: string): Promise<void> {
  await git(io, io.cwd, ["add", "--all"]);
  await git(io, io.cwd, ["commit", "--quiet", `--message=${message}`]);
}

async function git(io: Io, folder: string, args: readonly string[]): Promise<void> {
  const env = {
    PATH: io.env["PATH"] ?? "",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Demo",
    GIT_AUTHOR_EMAIL: "demo@localhost",
    GIT_COMMITTER_NAME: "Demo",
    GIT_COMMITTER_EMAIL: "demo@localhost",
    GIT_AUTHOR_DATE: MOMENT,
    GIT_COMMITTER_DATE: MOMENT,
  };
  await run("git", args, { cwd: folder, env }).catch((error: unknown) => {
    throw new SlipwayError(
      "git_missing",
      `git could not make the demo's repository: ${error instanceof Error ? error.message : ""}`,
      { suggested_next_actions: ["Install git, then run `slipway doctor`."] },
      { cause: error },
    );
  });
}

async function emptyFolder(path: string): Promise<string> {
  await mkdir(path, { recursive: true });
  if ((await readdir(path)).length === 0) return realpath(path);
  throw new SlipwayError("invalid_cli_args", `${path} is not empty; the demo would mix its files with yours.`, {
    file: path,
    suggested_next_actions: ["Name a folder that does not exist yet."],
  });
}
