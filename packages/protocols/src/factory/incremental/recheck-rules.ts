import { inRange } from "../code-index/range.ts";
import { splitRef } from "../code-index/entry.ts";

/** A module that is there already, and whether what it was built against still is. */
export interface BuiltModule {
  readonly module_ref: string;
  /** What its contract asks for: `MM-…@range`. */
  readonly asks: readonly string[];
  /** What it was tested with, and what would be there now instead. */
  readonly uses: readonly Use[];
}

export interface Use {
  readonly ref: string;
  readonly fingerprint: string;
  /** Null: what provided it does not any more. */
  readonly now: { readonly ref: string; readonly fingerprint: string } | null;
  /** Somewhere behind it is another version than it was tested with. */
  readonly moved: boolean;
}

export type Rechecked =
  | { readonly kept: false; readonly because: string }
  /** These have to pass their tests with what has taken the place of what they were tested with. */
  | { readonly kept: true; readonly retest: readonly string[] };

/** Built again only when an interface has changed. A new version with the same one takes the old one's place. */
export function recheck(modules: readonly BuiltModule[]): Rechecked {
  for (const { module_ref, asks, uses } of modules) {
    for (const { ref, fingerprint, now } of uses) {
      const { module_id } = splitRef(ref);
      if (now === null) return { kept: false, because: `${module_id}, which ${module_ref} calls, is not made any more` };
      if (now.fingerprint !== fingerprint) return { kept: false, because: `the interface of ${module_id} changed (${ref} to ${now.ref})` };
      const version = splitRef(now.ref).version;
      const range = asks.map(splitRef).find((asked) => asked.module_id === module_id)?.version;
      if (range !== undefined && !inRange(version, range))
        return { kept: false, because: `${module_ref} asks for ${module_id}@${range}, and there is ${now.ref}` };
    }
  }
  return {
    kept: true,
    retest: modules.filter(({ uses }) => uses.some(({ ref, now, moved }) => moved || now?.ref !== ref)).map(({ module_ref }) => module_ref),
  };
}
