import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { SlipwayError } from "../errors.ts";
import { hasCode } from "@slipway/kernel/host/files/file-system";
import type { PublishedPackage } from "@slipway/protocols/demo/demo";
import type { Io } from "@slipway/protocols/surface/io";

const TIMEOUT_MS = 120_000;
/** Fails early without a network; npm's defaults take minutes. */
const IMPATIENT = ["--fetch-retries=1", "--fetch-retry-mintimeout=500", "--fetch-retry-maxtimeout=1000", "--fetch-timeout=30000"];

const run = promisify(execFile);

/** Fetches the tarball from npm's registry or cache. Leaves nothing on disk. */
export async function download(wanted: PublishedPackage, { env }: Io, timeoutMs = TIMEOUT_MS): Promise<Buffer> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), "slipway-download-"));
  try {
    const pack = ["pack", specOf(wanted), "--ignore-scripts", "--prefer-offline", ...IMPATIENT, "--pack-destination", folder];
    await run("npm", pack, { cwd: folder, env, timeout: timeoutMs }).catch((error: unknown) => {
      throw notDownloaded(wanted, error);
    });
    const tarball = await readFile(join(folder, tarballOf(wanted)));
    assertIntegrity(wanted, tarball);
    return tarball;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Unpacks into an existing folder, without npm's top-level folder. */
export function unpack(tarball: Buffer, folder: string): void {
  execFileSync("tar", ["-xzf", "-", "--strip-components=1", "-C", folder], { input: tarball });
}

function specOf({ name, version }: PublishedPackage): string {
  return `${name}@${version}`;
}

function tarballOf({ name, version }: PublishedPackage): string {
  return `${name.replace(/^@/, "").replace("/", "-")}-${version}.tgz`;
}

function assertIntegrity(wanted: PublishedPackage, tarball: Buffer): void {
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  if (integrity === wanted.integrity) return;
  throw new SlipwayError(
    "download_failed",
    `The download is not the recorded ${specOf(wanted)}: its integrity is ${integrity}, expected ${wanted.integrity}. It was discarded.`,
    { suggested_next_actions: ["Check which registry answers: `npm config get registry`.", OFFLINE_DEMO] },
  );
}

const OFFLINE_DEMO = "`slipway demo` shows the same on a bundled project, without network.";

function notDownloaded(wanted: PublishedPackage, error: unknown): SlipwayError {
  const missing = hasCode(error, "ENOENT");
  const next = missing
    ? "Install npm; it comes with Node."
    : `Connect this machine, or name a mirror with npm_config_registry, and try \`npm pack ${specOf(wanted)}\`.`;
  return new SlipwayError(
    "download_failed",
    `${specOf(wanted)} could not be downloaded: ${missing ? "npm is not installed" : reasonOf(error)}. Nothing was created.`,
    { suggested_next_actions: [next, OFFLINE_DEMO] },
    { cause: error },
  );
}

/** npm prints a code, then a sentence, then details. */
function reasonOf(error: unknown): string {
  const { stderr = "", killed = false } = error as { readonly stderr?: string; readonly killed?: boolean };
  const errorLines = [...stderr.matchAll(/^npm (?:error|ERR!) (.+)$/gm)].map(([, line = ""]) => line);
  const code = errorLines.find((line) => line.startsWith("code "))?.slice("code ".length);
  const sentence = errorLines.find((line) => !/^(?:code|errno|syscall) /.test(line))?.replace(/\.$/, "");
  if (killed) return "npm did not finish and was stopped";
  return [code, sentence].filter((part) => part !== undefined).join(": ") || "npm did not say why";
}
