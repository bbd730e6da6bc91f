import { SlipwayError } from "@slipway/agents/errors";
import type { CodeIndex } from "../code-index/code-index.ts";
import { moduleRef, splitRef } from "../code-index/entry.ts";
import type { Documents } from "@slipway/kernel/record/documents/documents";
import type { Call } from "@slipway/kernel/record/operations/call";
import type { StateMachine } from "../project/state.ts";
import { evaluateGates, type ReleasedModule, type ReleaseFacts } from "./gates.ts";
import { releaseKind, type GateFailure, type Release } from "./schema.ts";
import { abandonedNotes, inOrder, releaseIsDue, shippedByProject, withReused } from "./set.ts";

export interface ReleasePorts {
  readonly documents: Pick<Documents, "keep">;
  readonly index: Pick<CodeIndex, "find" | "versionsOf">;
  /** A shipped version with the facts recorded when it shipped; null if there is none. */
  readonly moduleOf: (ref: string) => Promise<ReleasedModule | null>;
}

/** Releases the whole project once all tasks are finished; null before that. */
export async function fullRelease(ports: ReleasePorts, call: Call, machine: StateMachine, at: string): Promise<Release | null> {
  if (!releaseIsDue(machine.tasks)) return null;
  const refs = shippedByProject(machine.tasks);
  const modules = await withReused(refs, ports.moduleOf);
  const missing = refs.filter((ref) => !modules.some(({ module_ref }) => module_ref === ref));
  if (missing.length > 0) throw notShipped(missing);
  // Every task may have been attested without a module.
  if (modules.length === 0) return null;
  return release(ports, call, { modules, spec_version: machine.spec_version, notes: abandonedNotes(machine.tasks), at });
}

/** Releases exactly the modules a person names; all must be shipped. */
export async function partialRelease(
  ports: ReleasePorts,
  call: Call,
  refs: readonly string[],
  { spec_version }: Pick<StateMachine, "spec_version">,
  at: string,
): Promise<Release> {
  const modules = await namedModules(ports, refs);
  return release(ports, call, { modules, spec_version, notes: "Partial release.", at });
}

/** Refuses the whole release if one of them is not shipped. */
export async function namedModules(ports: Omit<ReleasePorts, "documents">, refs: readonly string[]): Promise<ReleasedModule[]> {
  const asked = [...new Set(refs)];
  if (asked.length === 0) throw nothingAsked();
  const found = await Promise.all(asked.map((ref) => shippedModule(ports, ref)));
  const missing = asked.filter((_, index) => found[index] === null);
  if (missing.length > 0) throw notShipped(missing);
  return inOrder(found.filter((module) => module !== null));
}

async function shippedModule({ index, moduleOf }: Omit<ReleasePorts, "documents">, ref: string): Promise<ReleasedModule | null> {
  if (!moduleRef.safeParse(ref).success) return null;
  return (await index.find(ref))?.status === "SHIPPED" ? moduleOf(ref) : null;
}

interface Planned {
  readonly modules: readonly ReleasedModule[];
  readonly spec_version: string;
  readonly notes: string;
  readonly at: string;
}

async function release(ports: ReleasePorts, call: Call, { modules, spec_version, notes, at }: Planned): Promise<Release> {
  const { gates, failures } = evaluateGates(await factsOf(ports, modules));
  return ports.documents.keep(call, releaseKind, {
    created_at: at,
    spec_version,
    modules: modules.map(({ module_ref, ship_ref }) => ({ module_ref, ship_ref })),
    integration_gates: gates,
    overall_result: failures.length === 0 ? "PASS" : "FAIL",
    notes: [notes, ...failures.map(failureText)].filter((part) => part !== "").join("\n"),
    failures,
  });
}

async function factsOf({ index }: ReleasePorts, modules: readonly ReleasedModule[]): Promise<ReleaseFacts> {
  const ids = new Set(
    modules.flatMap(({ module_ref, dependencies, built_against }) =>
      [module_ref, ...dependencies, ...Object.keys(built_against)].map((ref) => splitRef(ref).module_id),
    ),
  );
  const versions = new Map(await Promise.all([...ids].map(async (id) => [id, await index.versionsOf(id)] as const)));
  const versionsOf: ReleaseFacts["versionsOf"] = (id) => versions.get(id) ?? [];
  return {
    modules,
    versionsOf,
    entryOf(ref) {
      const { module_id, version } = splitRef(ref);
      return (versions.get(module_id) ?? []).find((entry) => entry.version === version) ?? null;
    },
  };
}

function failureText({ gate, culprits, explanation }: GateFailure): string {
  return `${gate} FAIL: ${culprits.map(({ module_ref, problem }) => `${module_ref}: ${problem}`).join("; ")}. ${explanation}`;
}

function notShipped(refs: readonly string[]): SlipwayError {
  return new SlipwayError("policy_violation", `Nothing was released: ${refs.join(", ")} ${refs.length === 1 ? "is" : "are"} not SHIPPED.`, {
    module_refs: refs,
    suggested_next_actions: ["Name versions that the code index has as SHIPPED, as MM-…@x.y.z."],
  });
}

function nothingAsked(): SlipwayError {
  return new SlipwayError("invalid_cli_args", "A partial release needs at least one module, as MM-…@x.y.z.", {
    suggested_next_actions: ["Name the modules to release, or wait for the full release."],
  });
}
