import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

export const PEER = { name: "agentic-orchestrator", version: "0.2.19" } as const;

export type Installed = { readonly ok: true; readonly folder: string } | { readonly ok: false; readonly why: string };

export function installPeer(): Installed {
  return installPackage(PEER.name, PEER.version);
}

/** Into a cache folder of the user, never into this repository; install scripts do not run. */
export function installPackage(name: string, version: string): Installed {
  const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "slipway-bench", `${name}-${version}`);
  const folder = join(cache, "node_modules", name);
  if (versionIn(folder) === version) return { ok: true, folder };
  mkdirSync(cache, { recursive: true });
  writeFileSync(join(cache, "package.json"), '{ "private": true }\n');
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", `${name}@${version}`];
  const { status, stderr, error } = spawnSync("npm", args, { cwd: cache, encoding: "utf8", timeout: 120_000 });
  if (status === 0 && versionIn(folder) === version) return { ok: true, folder };
  return { ok: false, why: (error?.message ?? stderr).trim().split("\n")[0] ?? "npm gave no reason" };
}

function versionIn(folder: string): string | null {
  try {
    return (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string }).version;
  } catch {
    return null;
  }
}
