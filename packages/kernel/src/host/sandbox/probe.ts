import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { runInBubblewrap } from "./bubblewrap.ts";
import type { Sandbox } from "./contract.ts";
import { describeHost, findOnPath, type SandboxHost } from "./host.ts";
import { missingWalls } from "./wall-probes.ts";
import type { Probe } from "./probe-result.ts";
import { tryEscapes, tryLayer } from "./self-test.ts";

export interface SandboxProbe {
  readonly available: boolean;
  readonly version: string | null;
  readonly probes: readonly Probe[];
  readonly host: SandboxHost | null;
  /** Whether a command can write to a layer over its worktree. */
  readonly layers: boolean;
  /** The protections that this machine does not support, and why. */
  readonly missing: readonly Probe[];
}

const SEARCH_PATH = "/usr/bin:/usr/local/bin:/bin:/run/current-system/sw/bin";
const cache = new Map<string, Promise<SandboxProbe>>();

/** Tries to break out of the sandbox, once per process, because an installed bubblewrap may still not isolate. */
export function probeSandbox(searchPath: string = SEARCH_PATH): Promise<SandboxProbe> {
  const known = cache.get(searchPath);
  if (known !== undefined) return known;
  const probe = probeOnce(searchPath);
  cache.set(searchPath, probe);
  return probe;
}

export async function probeOnce(searchPath: string, platform: string = process.platform): Promise<SandboxProbe> {
  const program = platform === "linux" ? findOnPath("bwrap", searchPath) : null;
  if (program === null) {
    const detail = platform === "linux" ? `bwrap is not in ${searchPath}` : `bubblewrap needs Linux, this is ${platform}`;
    const missing = { name: "bubblewrap is installed", passed: false, detail };
    return { available: false, version: null, probes: [missing], host: null, layers: false, missing: [] };
  }
  const [versionText, help] = await Promise.all([answerOf(program, "--version"), answerOf(program, "--help")]);
  const version = /\d+(\.\d+)+/.exec(versionText)?.[0] ?? null;
  const installed = { name: "bubblewrap is installed", passed: true, detail: `${program} ${version ?? "of unknown version"}` };
  let host = describeHost(program, help);
  let escapes = await tryEscapes(candidate(host), host);
  // A setuid bubblewrap has this option and refuses it.
  if (escapes.some(({ passed }) => !passed) && host.options.has("--disable-userns")) {
    host = { ...host, options: new Set([...host.options].filter((option) => option !== "--disable-userns")) };
    escapes = await tryEscapes(candidate(host), host);
  }
  const available = escapes.every(({ passed }) => passed);
  const layer = available ? [await tryLayer(candidate(host))] : [];
  const layers = layer.some(({ passed }) => passed);
  const unlayered = layer.filter(({ passed }) => !passed);
  const unveiled = unlayered.map((probe) => ({ ...probe, name: "overlays that close sockets in shown folders" }));
  const missing = [...missingWalls(host), ...unlayered, ...unveiled];
  return { available, version, probes: [installed, ...escapes], host: { ...host, veils: layers }, layers, missing };
}

function candidate(host: SandboxHost): Sandbox {
  return { kind: "bubblewrap", run: (request) => runInBubblewrap(request, host, {}) };
}

async function answerOf(program: string, option: string): Promise<string> {
  const { stdout } = await promisify(execFile)(program, [option], { env: {} }).catch(() => ({ stdout: "" }));
  return stdout;
}
