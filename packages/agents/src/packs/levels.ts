import { z } from "zod";

/** How much of a thing a role gets to see. */
export const LEVELS = ["FULL", "CONTRACT_ONLY", "SUMMARY_ONLY", "METADATA_ONLY"] as const;
export type Level = (typeof LEVELS)[number];

/** All that another module shows of itself. */
const CONTRACT_SURFACE: ReadonlySet<string> = new Set(["contract.json", "examples.md", "ship.json"]);

/** Only directly in the module's folder: a file of the same name deeper down is implementation. */
export function isContractSurface(module: string, path: string): boolean {
  return CONTRACT_SURFACE.has(module === "." ? path : path.slice(module.length + 1));
}

/** The factory specification has it word for word. */
export function accessDenied(path: string): string {
  return (
    `ACCESS DENIED: '${path}' is a sealed implementation directory. ` +
    "This module is a closed-source service — integrate via contract.json, examples.md, and ship.json only. " +
    "See §12 (Opaque Implementation Rule) and §6.8 (Black-Box Integration) for rationale. " +
    "If the contract is insufficient, raise an Interface Change Exception (§13)."
  );
}

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
