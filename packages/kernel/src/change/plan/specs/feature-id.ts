import { basename, dirname, sep } from "node:path";
import { SlipwayError } from "../../../schema/errors.ts";
import { FEATURE_ID_PATTERN } from "../schema.ts";

/** The feature id, which is also the name of branch and folder. A canonical `.slipway/features/<id>/spec.md` takes it from its folder. */
export function featureIdOf(path: string): string {
  const id = isCanonical(path) ? basename(dirname(path)) : fromFileName(basename(path));
  if (FEATURE_ID_PATTERN.test(id)) return id;
  throw new SlipwayError("invalid_feature_slug", `The file name ${path} results in the feature id "${id}", which is not valid.`, {
    file: path,
    feature_id: id,
    suggested_next_actions: ["Rename the file to small letters, digits, _ and -, for example `search_index.spec.md`."],
  });
}

function isCanonical(path: string): boolean {
  return path.split(sep).slice(-4, -2).join("/") === ".slipway/features" && basename(path) === "spec.md";
}

function fromFileName(name: string): string {
  const stem = name.replace(/\.[^.]*$/, "");
  return stem.endsWith(".spec") || stem.endsWith("-spec") ? stem.slice(0, -".spec".length) : stem;
}

/** Two specifications with the same id would share a branch and a worktree. */
export function assertDistinct(specs: readonly { readonly id: string; readonly path: string }[]): void {
  const seen = new Map<string, string>();
  for (const { id, path } of specs) {
    const other = seen.get(id);
    if (other !== undefined) {
      throw new SlipwayError("feature_slug_collision", `${other} and ${path} both result in the feature id "${id}".`, {
        feature_id: id,
        paths: [other, path],
        suggested_next_actions: ["Rename one of the two files."],
      });
    }
    seen.set(id, path);
  }
}
