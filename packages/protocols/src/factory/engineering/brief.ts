import { inRange } from "../code-index/range.ts";
import { fingerprintOf } from "@slipway/languages/contracts/fingerprint";
import type { Contract } from "@slipway/languages/contracts/schema";
import type { ModuleFiles, ModuleSources } from "@slipway/languages/language";
import type { PlannedModule } from "./micro-plan.ts";
import { idOf } from "./order.ts";
import type { Deliverable } from "./deliverable.ts";
import type { EngineeringStore, ShippedModule } from "./ports.ts";

/** The subject of one debate: a module of the plan with its locked contract. */
export interface ModuleBrief {
  readonly module: PlannedModule;
  readonly contract: Contract;
  readonly fingerprint: string;
  /** `CTR-…@x.y.z` */
  readonly contractRef: string;
  /** Direct dependencies. */
  readonly dependencies: readonly ShippedModule[];
  /** Direct and transitive dependencies. */
  readonly closure: readonly ShippedModule[];
}

export function moduleRefOf({ module_id, version }: Pick<ShippedModule, "module_id" | "version">): string {
  return `${module_id}@${version}`;
}

export function fingerprintLocked({ ship, contract }: ShippedModule): boolean {
  return ship.verification.interface_fingerprint === fingerprintOf(contract);
}

/** Exact versions of the dependencies of a contract, and of the versions those were tested with. */
export type FoundDependencies =
  | { readonly ok: true; readonly direct: readonly string[]; readonly all: readonly string[] }
  | { readonly ok: false; readonly problem: string };

interface Needs {
  readonly dependencies: readonly { readonly ref: string }[];
}

export async function findDependencies(store: Pick<EngineeringStore, "shippedModule">, contract: Needs): Promise<FoundDependencies> {
  const all = new Map<string, ShippedModule>();
  const open = contract.dependencies.map(({ ref }) => ref);
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const known = all.get(idOf(next));
    if (known !== undefined) {
      if (inRange(known.version, next.slice(next.indexOf("@") + 1))) continue;
      return { ok: false, problem: `${idOf(next)} is needed at ${known.version} and as ${next}: a module cannot be used in two versions` };
    }
    const found = await store.shippedModule(next);
    if (found === null) return { ok: false, problem: `no shipped module fits ${next}` };
    all.set(found.module_id, found);
    open.push(...found.depends_on);
  }
  const direct = contract.dependencies.flatMap(({ ref }) => all.get(idOf(ref)) ?? []);
  return { ok: true, direct: direct.map(moduleRefOf), all: [...all.values()].map(moduleRefOf) };
}

/** A shipped version never changes, so steps record the refs and modules are read again. */
export async function loadModules(store: Pick<EngineeringStore, "shippedModule">, refs: readonly string[]): Promise<ShippedModule[]> {
  const found = await Promise.all(refs.map((ref) => store.shippedModule(ref)));
  return found.filter((module) => module !== null);
}

/** The deliverable with the sources of all its dependencies, for the compiler and the sandbox. */
export function sourcesOf({ closure }: ModuleBrief, files: Deliverable | ModuleFiles): ModuleSources {
  return { files, dependencies: Object.fromEntries(closure.map(({ module_id, sources }) => [module_id, sources])) };
}
