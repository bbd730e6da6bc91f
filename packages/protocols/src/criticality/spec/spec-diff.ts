import { isDeepStrictEqual } from "node:util";
import type { SystemSpec } from "./schema.ts";

export interface NameChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** What differs between two versions of a specification, by name. `methods` are named `Interface.method`. */
export interface SpecDiff {
  readonly types: NameChanges;
  readonly interfaces: NameChanges;
  readonly methods: NameChanges;
  readonly features: NameChanges;
  readonly claims: NameChanges;
  /** Named `functional: TEXT`; a text that changes is removed and added. */
  readonly constraints: Omit<NameChanges, "changed">;
  /** Whether name, description or boundaries differ. */
  readonly system: boolean;
}

export function diffSpecs(before: SystemSpec, after: SystemSpec): SpecDiff {
  const { added, removed } = changes(constraintsOf(before), constraintsOf(after));
  return {
    types: changes(before.data_models, after.data_models),
    interfaces: changes(before.interfaces, after.interfaces),
    methods: changes(methodsOf(before), methodsOf(after)),
    features: changes(before.features, after.features),
    claims: changes(before.claims, after.claims),
    constraints: { added, removed },
    system: !isDeepStrictEqual([before.system, before.boundaries], [after.system, after.boundaries]),
  };
}

export function isEmptyDiff({ types, interfaces, methods, features, claims, constraints, system }: SpecDiff): boolean {
  const lists = [types, interfaces, methods, features, claims, constraints].flatMap((one) => Object.values(one) as (readonly string[])[]);
  return !system && lists.every(({ length }) => length === 0);
}

function changes(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>): NameChanges {
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return {
    added: [...now.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !now.has(name)),
    changed: [...now.keys()].filter((name) => old.has(name) && !isDeepStrictEqual(old.get(name), now.get(name))),
  };
}

function methodsOf({ interfaces }: SystemSpec): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(interfaces).flatMap(([owner, { methods }]) => methods.map((method) => [`${owner}.${method.name}`, method])),
  );
}

function constraintsOf({ constraints }: SystemSpec): Record<string, true> {
  return Object.fromEntries(
    Object.entries(constraints).flatMap(([kind, texts]) => texts.map((text) => [`${kind}: ${text}`, true as const])),
  );
}
