import { inRange } from "../code-index/range.ts";
import { splitRef } from "../code-index/entry.ts";

/** A shipped module with the state of its dependencies. */
export interface BuiltModule {
  readonly module_ref: string;
  /** The dependencies of its contract: `MM-…@range`. */
  readonly asks: readonly string[];
  /** The versions it was tested with, each with the one it would use now. */
  readonly uses: readonly Use[];
}

export interface Use {
  readonly ref: string;
  readonly fingerprint: string;
  /** Null: the task that made it no longer makes it. */
  readonly now: { readonly ref: string; readonly fingerprint: string } | null;
  /** Whether one of its transitive dependencies has another version than it was tested with. */
  readonly moved: boolean;
}

export type Rechecked =
  | { readonly kept: false; readonly because: string }
  /** These must pass their tests with the new versions of their dependencies. */
  | { readonly kept: true; readonly retest: readonly string[] };

/** A task is built again only if an interface changed. A new version with the same interface replaces the old one. */
export function recheck(modules: readonly BuiltModule[]): Rechecked {
  for (const { module_ref, asks, uses } of modules) {
    for (const { ref, fingerprint, now } of uses) {
      const { module_id } = splitRef(ref);
      if (now === null) return { kept: false, because: `${module_id}, which ${module_ref} calls, is no longer made` };
      if (now.fingerprint !== fingerprint) return { kept: false, because: `the interface of ${module_id} changed (${ref} to ${now.ref})` };
      const version = splitRef(now.ref).version;
      const range = asks.map(splitRef).find((asked) => asked.module_id === module_id)?.version;
      if (range !== undefined && !inRange(version, range))
        return { kept: false, because: `${module_ref} needs ${module_id}@${range}, but the current version is ${now.ref}` };
    }
  }
  return {
    kept: true,
    retest: modules.filter(({ uses }) => uses.some(({ ref, now, moved }) => moved || now?.ref !== ref)).map(({ module_ref }) => module_ref),
  };
}
