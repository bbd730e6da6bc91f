import type { Sandbox } from "./contract.ts";

/** Made once, when it is first needed. What failed is tried again: a missing sandbox may be installed while a server runs. */
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
