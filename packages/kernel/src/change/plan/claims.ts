import { digestOf } from "@slipway/durable/canonical";
import type { Policy } from "../../config/policy.ts";
import { strictAreaMatcher } from "../../paths/areas.ts";
import { plannedFiles, type Plan } from "./schema.ts";

/** A resource that at most one accepted plan at a time may have: two plans collide exactly where they claim the same. */
export interface Claim {
  readonly type: "file" | "area" | "contract" | "migration";
  /** The canonical path, the area as in policy.yaml, or the contract's name. */
  readonly resource: string;
}

export interface OwnedClaim extends Claim {
  readonly feature_id: string;
}

/** A plan's claims without duplicates: its files, the protected and exclusive areas that contain them, and the contracts it changes. */
export function claimsOf(plan: Plan, policy: Policy): Claim[] {
  const files = [...new Set(plannedFiles(plan).map(({ path }) => path))];
  const contracts = (["openapi", "events"] as const).filter((contract) => plan.contracts[contract] === "modify");
  return [
    ...files.map((resource) => ({ type: "file" as const, resource })),
    ...touchedAreas(files, policy).map((resource) => ({ type: "area" as const, resource })),
    ...contracts.map((resource) => ({ type: "contract" as const, resource })),
    ...(plan.contracts.db === "migration" ? [{ type: "migration" as const, resource: "db" }] : []),
  ];
}

export function claimKey({ type, resource }: Claim): string {
  return `${type} ${resource}`;
}

/** A digest of everything in the policy that claims depend on. */
export function claimBasis({ protected_areas, exclusive_areas, path_rules: { matching } }: Policy): string {
  return digestOf({ protected_areas, exclusive_areas, matching });
}

function touchedAreas(files: readonly string[], { protected_areas, exclusive_areas, path_rules }: Policy): string[] {
  return [...new Set([...protected_areas, ...exclusive_areas])].filter((area) => {
    const covers = strictAreaMatcher([area], path_rules.matching);
    return files.some((path) => covers(path) !== null);
  });
}
