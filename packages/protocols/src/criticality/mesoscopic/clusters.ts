import { claimsOf, moduleOf, type LatticeFunction } from "../lattice/lattice.ts";
import type { SystemSpec } from "../spec/schema.ts";

/** Modules that are tested together, and the claims that are tested on them. */
export interface Cluster {
  readonly name: string;
  readonly modules: readonly string[];
  readonly claims: readonly string[];
}

export interface Clustering {
  readonly clusters: readonly Cluster[];
  /** Claims to which no function refers: no cluster can test them. */
  readonly unlinked: readonly string[];
}

export type LinkedFunction = Pick<LatticeFunction, "id" | "name" | "signature" | "contract">;

/**
 * Groups claims by the part of the specification that their modules realise: an interface, else a data model, else the module itself.
 * A claim on functions of several modules goes to an integration cluster. The result depends on the specification's order only.
 */
export function deriveClusters(
  spec: Pick<SystemSpec, "interfaces" | "data_models" | "claims">,
  functions: readonly LinkedFunction[],
): Clustering {
  const areas = areasOf(spec, functions);
  const clusters = new Map<string, { modules: Set<string>; claims: string[] }>();
  const unlinked: string[] = [];
  for (const claim of Object.keys(spec.claims)) {
    const modules = modulesOf(functions.filter(({ contract }) => claimsOf(contract).includes(claim)));
    const [first, ...others] = modules;
    if (first === undefined) {
      unlinked.push(claim);
      continue;
    }
    const names = [...new Set(modules.map((module) => areaOf(module, areas)))];
    const name = others.length === 0 ? areaOf(first, areas) : `${names.join("_")}_integration`;
    const cluster = clusters.get(name) ?? { modules: new Set(others.length === 0 ? (areas.get(name) ?? modules) : []), claims: [] };
    for (const module of modules) cluster.modules.add(module);
    cluster.claims.push(claim);
    clusters.set(name, cluster);
  }
  return {
    clusters: [...clusters].map(([name, { modules, claims }]) => ({ name, modules: [...modules].toSorted(), claims })),
    unlinked,
  };
}

type Areas = ReadonlyMap<string, readonly string[]>;

/** Modules by the name of the interface or data model that they realise; an interface comes before a data model. */
function areasOf({ interfaces, data_models }: Pick<SystemSpec, "interfaces" | "data_models">, functions: readonly LinkedFunction[]): Areas {
  const areas = new Map<string, readonly string[]>();
  const add = (name: string, realising: readonly LinkedFunction[]) => {
    const modules = modulesOf(realising);
    if (modules.length > 0) areas.set(areaName(name), [...(areas.get(areaName(name)) ?? []), ...modules]);
  };
  for (const [name, { methods }] of Object.entries(interfaces)) {
    const wanted = new Set(methods.map((method) => plainName(method.name)));
    add(
      name,
      functions.filter((one) => wanted.has(plainName(one.name.split(".").at(-1) ?? ""))),
    );
  }
  for (const name of Object.keys(data_models))
    add(
      name,
      functions.filter(({ signature }) => new RegExp(`\\b${name}\\b`).test(signature)),
    );
  return areas;
}

function areaOf(module: string, areas: Areas): string {
  for (const [name, modules] of areas) if (modules.includes(module)) return name;
  return module.split("/").at(-1) ?? module;
}

function modulesOf(functions: readonly LinkedFunction[]): string[] {
  return [...new Set(functions.map(({ id }) => moduleOf(id)))].toSorted();
}

/** `PaymentService` becomes `payment_service`. */
function areaName(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
}

/** `get_balance` and `getBalance` are the same method. */
function plainName(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}
