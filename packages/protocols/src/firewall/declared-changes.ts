import type { PackChanges } from "@slipway/agents/packs/changes";
import { judgedPath } from "./judged-path.ts";

export interface DeclaredChanges {
  /** Changed, but not declared. */
  readonly undeclared: readonly string[];
  /** Declared, but not changed. */
  readonly missing: readonly string[];
}

/** Compares what an agent says it changed with what it changed. */
export function undeclaredChanges(declared: readonly string[], { changed }: Pick<PackChanges, "changed">): DeclaredChanges {
  const said = new Set(declared.map(plain));
  const done = new Set(changed);
  return {
    undeclared: [...done].filter((path) => !said.has(path)).toSorted(),
    missing: [...said].filter((path) => !done.has(path)).toSorted(),
  };
}

function plain(path: string): string {
  const judged = judgedPath(path);
  return judged.ok ? judged.path : path;
}
