import type { Dropped, PackChanges } from "@slipway/agents/packs/changes";
import type { Refusal } from "@slipway/agents/provider";
import { judgedPath } from "./judged-path.ts";
import { judgeAccess, type RoleGrant } from "./role-grant.ts";

const TOOL_OF = { created: "write", changed: "edit", removed: "delete" } as const;

/** Changes that were not adopted count as refused calls of the tool that makes them. */
export function droppedRefusals(dropped: readonly Dropped[]): Refusal[] {
  return dropped.map(({ path, what, reason }) => ({ tool: TOOL_OF[what], path, reason }));
}

/** Everything in these changes that the grant does not allow: what was dropped, and what the rules of the pack let through. */
export function refusalsIn({ changed, dropped }: Pick<PackChanges, "changed" | "dropped">, grant: RoleGrant): Refusal[] {
  const outside = changed.flatMap((path): Refusal[] => {
    const verdict = judgeAccess(grant, "write", path, () => null);
    return verdict.allowed ? [] : [{ tool: "write", path, reason: verdict.reason }];
  });
  return [...droppedRefusals(dropped), ...outside];
}

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
