import { join } from "node:path";

/** Where things are in a target repository. */
export function layoutOf(root: string) {
  const state = join(root, ".slipway");
  return {
    root,
    state,
    database: join(state, "slipway.db"),
    objects: join(state, "objects"),
    runs: join(state, "runs"),
    /** The folder of a run and of everything below it. */
    run: (id: string) => join(state, "runs", encodeURIComponent(id.split("/")[0] ?? id)),
    /** Context packs while somebody works in them, and the contents they are made of. */
    packs: join(state, "packs"),
    /** What the factory keeps beyond its runs; `artifacts/layout.ts` has its parts. */
    stateStore: join(state, "state_store"),
    features: join(state, "features"),
    feature: (id: string) => join(state, "features", id),
    indexFile: (id: string) => join(state, "features", id, "harness.index"),
  };
}

export type Layout = ReturnType<typeof layoutOf>;
