import { LEVELS } from "@slipway/kernel/host/file-views/levels";
import { z } from "zod";

const included = z.strictObject({
  path: z.string(),
  level: z.enum(LEVELS),
  permission: z.enum(["read", "write"]),
  reason: z.string().min(1),
  /** git's id of the content that is shown; null for a file that may be created. */
  digest: z.string().nullable(),
  bytes: z.int().min(0),
});
export type Included = z.output<typeof included>;

const excluded = z.strictObject({ path: z.string(), reason: z.string().min(1), sealed: z.boolean() });
export type Excluded = z.output<typeof excluded>;

export const manifestSchema = z.strictObject({
  version: z.literal(1),
  /** The git tree the pack was made from; null when it was put together from other things. */
  tree: z.string().nullable(),
  included: z.array(included),
  excluded: z.array(excluded),
});
/** What is in a pack and what is not, each with the reason. Agents do not get it: it names what they may not know of. */
export type Manifest = z.output<typeof manifestSchema>;
