import { SlipwayError } from "../../schema/errors.ts";
import { assertCanonicalPath, visible } from "../../paths/paths.ts";

/** A path of a pack: relative, and written without any "..", so that it means the same whatever is on the way. */
export function packPath(raw: string): string {
  if (raw.split("/").includes("..")) {
    throw new SlipwayError("path_out_of_bounds", `The path ${visible(raw)} contains "..".`, {
      path: visible(raw),
      suggested_next_actions: ["Write the path from the folder you work in, such as src/index.ts."],
    });
  }
  return assertCanonicalPath(raw);
}
