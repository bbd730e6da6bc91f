import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { runInBubblewrap, type SandboxRules } from "./bubblewrap.ts";
import type { Sandbox } from "./contract.ts";
import { describeHost, findOnPath, type SandboxHost } from "./host.ts";
import { missingWalls } from "./wall-probes.ts";
import type { Probe } from "./probe-result.ts";
import { tryEscapes, tryLayer } from "./self-test.ts";
import { tryShownSockets } from "./socket-probe.ts";

export interface SandboxProbe {
  readonly available: boolean;
  readonly version: string | null;
  /** Every property tried: if it does not hold, it is here where no command may run without it, and in `missing` otherwise. */
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
  // A command runs without them, so these are missing where they fail, and are tried only in a sandbox that holds.
  const [layer, sockets] = available ? await Promise.all([tryLayer(candidate(host)), tryShownSockets(veiled(host))]) : [];
  const overlays = [layer, sockets].filter((probe) => probe !== undefined);
  return {
    available,
    version,
    probes: [installed, ...escapes, ...overlays.filter(({ passed }) => passed)],
    host: { ...host, veils: sockets?.passed ?? false },
    layers: layer?.passed ?? false,
    missing: [...missingWalls(host), ...overlays.filter(({ passed }) => !passed)],
  };
}

function candidate(host: SandboxHost, rules: SandboxRules = {}): Sandbox {
  return { kind: "bubblewrap", run: (request) => runInBubblewrap(request, host, rules) };
}

/** Also shows folders below a TMPDIR that is a hidden place. */
function veiled(host: SandboxHost): Sandbox {
  return candidate({ ...host, veils: true }, { hidden: { closed: [], neverWhole: [] } });
}

async function answerOf(program: string, option: string): Promise<string> {
  const { stdout } = await promisify(execFile)(program, [option], { env: {} }).catch(() => ({ stdout: "" }));
  return stdout;
}
