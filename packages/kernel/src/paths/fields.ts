import { z } from "zod";
import { errorCodes } from "../schema/shape.ts";
import { canonicalArea } from "./areas.ts";
import { canonicalPath, visible, type CanonicalPath } from "./paths.ts";

/** A path in the repository, reduced to its canonical form as it is read. */
export const repositoryPath = canonicalString(canonicalPath);

/** The same, where "." may stand for the whole repository. */
export const repositoryArea = canonicalString(canonicalArea);

function canonicalString(reduce: (raw: string) => CanonicalPath) {
  return z
    .string()
    .min(1)
    .transform((raw, context) => {
      const result = reduce(raw);
      if (result.ok) return result.path;
      context.addIssue({ code: "custom", message: `the path ${visible(raw)} ${result.reason}`, input: raw });
      return z.NEVER;
    })
    .register(errorCodes, { code: "path_out_of_bounds" });
}
