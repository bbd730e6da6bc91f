import type { Child } from "./child.ts";
import { openLauncher, type Launcher } from "./launcher.ts";
import type { SpawnError, StartRequest } from "./protocol.ts";
import { spawnHere } from "./spawn.ts";

export type Started = { readonly child: Child; readonly pid: number } | { readonly error: SpawnError };

/** A process that starts only so few others does it itself: the launcher would cost more than it saves. */
const OWN_STARTS = 8;
/** One for what has no limits, and one for the limits that were wanted first, which are mostly everybody's. */
const MOST_LAUNCHERS = 2;

interface Starter {
  own: number;
  launcher: Launcher | null;
}

const starters = new Map<string, Starter>();

/** Starts a process without a shell, in a session of its own; a failure to start is a value. Its pipes are to be read at once. */
export function startChild(request: StartRequest): Promise<Started> {
  const { limits = [] } = request;
  const starter = starterFor(limits);
  if (starter === null) return startChild(behind(request));
  if (starter.launcher !== null) return starter.launcher.start(request);
  if (process.platform === "linux" && ++starter.own === OWN_STARTS) void open(starter, limits);
  return spawnHere(request);
}

/** Null when there are too many kinds of limits for a launcher each. */
function starterFor(limits: readonly string[]): Starter | null {
  const key = limits.join(" ");
  const found = starters.get(key);
  if (found !== undefined) return found;
  const reserved = key === "" || starters.has("") ? 0 : 1;
  if (starters.size + reserved >= MOST_LAUNCHERS) return null;
  const starter = { own: 0, launcher: null };
  starters.set(key, starter);
  return starter;
}

/** The same with its limits as a part of the command. */
function behind({ limits = [], file, args, ...rest }: StartRequest): StartRequest {
  const [program = file, ...behindIt] = [...limits, file, ...args];
  return { ...rest, file: program, args: behindIt };
}

async function open(starter: Starter, limits: readonly string[]): Promise<void> {
  starter.launcher = await openLauncher(
    (worked) => {
      starter.launcher = null;
      // One that never started anything would not do so the next time.
      if (worked) starter.own = 0;
    },
    { limits },
  );
}

export function signalProcess(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // Already gone, or by now somebody else's.
    if (!["ESRCH", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
