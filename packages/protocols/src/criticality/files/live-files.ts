import type { RunFiles } from "./run-files.ts";

export interface LiveFiles extends RunFiles {
  /** From now on flushes write. */
  begin(): Promise<void>;
}

/** The same files, written only from `begin` on: while a run is replayed, they would show its past. */
export function liveFiles(files: RunFiles): LiveFiles {
  let live = false;
  return {
    ...files,
    flush: async () => (live ? files.flush() : null),
    async begin() {
      live = true;
      await files.flush();
    },
  };
}
