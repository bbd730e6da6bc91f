import { claimTable, table } from "./print-spec.ts";
import type { SystemSpec } from "./schema.ts";
import { tomlString } from "./toml-text.ts";

/** A claim of a specification, under its id. */
export type SpecClaim = SystemSpec["claims"][string] & { readonly id: string };

export function testableClaims({ claims }: SystemSpec): SpecClaim[] {
  return Object.entries(claims)
    .filter(([, { testable }]) => testable)
    .map(([id, claim]) => ({ id, ...claim }));
}

/** `claims.toml`: the claims that tests can be made from. */
export function printClaims(spec: SystemSpec): string {
  const meta = table("meta", { spec_version: tomlString(spec.meta.version) });
  return [meta, ...testableClaims(spec).map(({ id, ...claim }) => claimTable(id, claim))].join("\n");
}
