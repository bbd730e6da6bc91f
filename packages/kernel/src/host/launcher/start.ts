import type { Child } from "./child.ts";
import { openLauncher, type Launcher } from "./launcher.ts";
import type { SpawnError, StartRequest } from "./protocol.ts";
import { spawnHere } from "./spawn.ts";

export type Started = { readonly child: Child; readonly pid: number } | { readonly error: SpawnError };

/** The first starts happen without the launcher, which would cost more than it saves. */
const OWN_STARTS = 8;

interface Starter {
  own: number;
  launcher: Launcher | null;
  /** Stays set if no launcher can be opened. */
  opening: Promise<void> | null;
}

const starters = new Map<string, Starter>();
let limitsWithLauncher: string | null = null;

/** Starts a process without a shell, in its own session. Returns a failure to start. The caller must read the pipes at once. */
export async function startChild(request: StartRequest): Promise<Started> {
  const starter = starterFor(request);
  if (starter === null) return startChild(behind(request));
  if (starter.launcher === null && process.platform === "linux") {
    const { bound = false } = request;
    const opening = bound || ++starter.own >= OWN_STARTS ? open(starter, request) : null;
    // Only the launcher outlives this process and can kill its children.
    if (bound) await opening;
  }
  return starter.launcher?.start(request) ?? spawnHere(request);
}

/** The launcher is opened with the limits of the first request, which most requests share; null for other limits. */
function starterFor({ limits = [], bound = false }: StartRequest): Starter | null {
  const key = limits.length === 0 ? "" : JSON.stringify(limits);
  if (key !== "") limitsWithLauncher ??= key;
  if (key !== "" && key !== limitsWithLauncher) return null;
  const kind = `${bound} ${key}`;
  const found = starters.get(kind);
  if (found !== undefined) return found;
  const starter = { own: 0, launcher: null, opening: null };
  starters.set(kind, starter);
  return starter;
}

/** The request with its limits as a prefix of the command. */
function behind({ limits = [], file, args, ...rest }: StartRequest): StartRequest {
  const [program = file, ...behindIt] = [...limits, file, ...args];
  return { ...rest, file: program, args: behindIt };
}

function open(starter: Starter, { limits = [], bound = false }: StartRequest): Promise<void> {
  const onGone = (worked: boolean) => {
    starter.launcher = null;
    // If it never started anything, do not try again.
    if (worked) Object.assign(starter, { own: 0, opening: null });
  };
  starter.opening ??= openLauncher(onGone, { limits, bound }).then((launcher) => void (starter.launcher = launcher));
  return starter.opening;
}

export function signalProcess(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // The process has ended, or its pid belongs to another user by now.
    if (!["ESRCH", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
