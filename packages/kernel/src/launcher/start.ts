import type { Child } from "./child.ts";
import { openLauncher, type Launcher } from "./launcher.ts";
import type { SpawnError, StartRequest } from "./protocol.ts";
import { spawnHere } from "./spawn.ts";

export type Started = { readonly child: Child; readonly pid: number } | { readonly error: SpawnError };

/** A process that starts only so few others does it itself: the launcher would cost more than it saves. */
const OWN_STARTS = 8;

let own = 0;
let launcher: Launcher | null = null;

/** Starts a process without a shell, in a session of its own; a failure to start is a value. Its pipes are to be read at once. */
export function startChild(request: StartRequest): Promise<Started> {
  if (launcher !== null) return launcher.start(request);
  if (process.platform === "linux" && ++own === OWN_STARTS) void openOne();
  return spawnHere(request);
}

async function openOne(): Promise<void> {
  launcher = await openLauncher((worked) => {
    launcher = null;
    // One that never started anything would not do so the next time.
    if (worked) own = 0;
  });
}

export function signalProcess(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // Already gone, or by now somebody else's.
    if (!["ESRCH", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
