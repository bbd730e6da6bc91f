import { LEVELS } from "@slipway/kernel/host/file-views/levels";
import { z } from "zod";

const included = z.strictObject({
  path: z.string(),
  level: z.enum(LEVELS),
  permission: z.enum(["read", "write"]),
  reason: z.string().min(1),
  /** Git id of the shown content; null for a file that may be created. */
  digest: z.string().nullable(),
  bytes: z.int().min(0),
});
export type Included = z.output<typeof included>;

const excluded = z.strictObject({ path: z.string(), reason: z.string().min(1), sealed: z.boolean() });
export type Excluded = z.output<typeof excluded>;

export const manifestSchema = z.strictObject({
  version: z.literal(1),
  /** The git tree of the pack; null if it was assembled from other texts. */
  tree: z.string().nullable(),
  included: z.array(included),
  excluded: z.array(excluded),
});
/** Which paths are in a pack and which are not, with reasons. Hidden from agents, because it names paths they may not know. */
export type PackManifest = z.output<typeof manifestSchema>;
