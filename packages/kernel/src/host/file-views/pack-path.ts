import { SlipwayError } from "../../schema/errors.ts";
import { assertCanonicalPath, visible } from "../../paths/paths.ts";

/** A relative path without "..", so that links on the way cannot change its meaning. */
export function packPath(raw: string): string {
  if (raw.split("/").includes("..")) {
    throw new SlipwayError("path_out_of_bounds", `The path ${visible(raw)} contains "..".`, {
      path: visible(raw),
      suggested_next_actions: ["Give a path relative to the working folder, such as src/index.ts."],
    });
  }
  return assertCanonicalPath(raw);
}
