import type { Sandbox } from "./contract.ts";

/** Opens the sandbox once, on first use. Retries after a failure, because bubblewrap may be installed while a server runs. */
export function onFirstUse(make: () => Promise<Sandbox>): () => Promise<Sandbox> {
  let made: Promise<Sandbox> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
