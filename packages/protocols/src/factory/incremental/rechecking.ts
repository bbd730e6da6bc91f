import type { CodeIndex } from "../code-index/code-index.ts";
import type { Documents } from "@slipway/kernel/record/documents/documents";
import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { runTests } from "@slipway/languages/typescript/test-run";
import { findDependencies, loadModules } from "../engineering/brief.ts";
import { idOf } from "../engineering/order.ts";
import type { EngineeringStore } from "../engineering/ports.ts";
import { sealedModuleKind } from "../kept.ts";
import { inPlaceOf } from "../preparing.ts";
import type { Project } from "../project/project.ts";
import { recheck, type BuiltModule, type Use } from "./recheck-rules.ts";

export interface RecheckRooms {
  readonly documents: Pick<Documents, "find">;
  readonly codeIndex: Pick<CodeIndex, "find">;
  readonly store: Pick<EngineeringStore, "shippedModule">;
  readonly sandbox: () => Promise<Sandbox>;
}

export type TakenOver =
  | {
      readonly kept: true;
      readonly module_refs: readonly string[];
      /** Those that passed their tests with another version of what they call. */
      readonly retested: readonly string[];
    }
  | { readonly kept: false; readonly because: string };

/** Whether a task's modules can stay, now that everything they build on is there. Nobody is asked; their own tests are run where need be. */
export async function recheckTask(
  rooms: RecheckRooms,
  project: Project,
  task: string,
  refs: readonly string[],
  signal: AbortSignal,
): Promise<TakenOver> {
  const provided = await providedTo(rooms, project, task, refs);
  const modules: BuiltModule[] = [];
  for (const ref of refs) modules.push(await builtModule(rooms, provided, ref));
  const verdict = recheck(modules);
  if (!verdict.kept) return verdict;
  for (const module of modules.filter(({ module_ref }) => verdict.retest.includes(module_ref))) {
    const problem = await retest(rooms, module, signal);
    if (problem !== null) return { kept: false, because: problem };
  }
  return { kept: true, module_refs: refs, retested: verdict.retest };
}

/** By module id: the version that is there now, or null where what made it makes it no more. */
async function providedTo(
  { codeIndex }: RecheckRooms,
  project: Project,
  task: string,
  own: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const provided = new Map<string, string | null>();
  for (const dependency of project.task(task).depends_on) {
    for (const ref of (await project.sheet(dependency)).before?.module_refs ?? [])
      if (!provided.has(idOf(ref))) provided.set(idOf(ref), null);
    for (const ref of project.task(dependency).module_refs) provided.set(idOf(ref), await inPlaceOf(codeIndex, ref));
  }
  for (const ref of own) provided.set(idOf(ref), ref);
  return provided;
}

async function builtModule(rooms: RecheckRooms, provided: ReadonlyMap<string, string | null>, ref: string): Promise<BuiltModule> {
  const { documents, codeIndex } = rooms;
  // As it was recorded: what the store serves may have moved on already.
  const testedWith = (await documents.find(sealedModuleKind, ref))?.depends_on ?? [];
  const uses: Use[] = [];
  for (const used of testedWith) {
    const now = provided.has(idOf(used)) ? (provided.get(idOf(used)) ?? null) : await inPlaceOf(codeIndex, used);
    const there = now === null ? null : await fingerprintOf(rooms, now);
    uses.push({
      ref: used,
      fingerprint: (await fingerprintOf(rooms, used)) ?? "",
      now: now === null || there === null ? null : { ref: now, fingerprint: there },
      moved: now !== null && (await hasMoved(rooms, now)),
    });
  }
  return { module_ref: ref, asks: (await codeIndex.find(ref))?.dependencies ?? [], uses };
}

/** Whether anything that a module calls, near or far, is served as another version than it was tested with. */
async function hasMoved(rooms: RecheckRooms, ref: string): Promise<boolean> {
  const tested = (await rooms.documents.find(sealedModuleKind, ref))?.depends_on ?? [];
  const served = (await rooms.store.shippedModule(ref))?.depends_on ?? [];
  if (tested.some((used) => !served.includes(used))) return true;
  for (const used of tested) if (await hasMoved(rooms, used)) return true;
  return false;
}

async function fingerprintOf({ store }: RecheckRooms, ref: string): Promise<string | null> {
  return (await store.shippedModule(ref))?.ship.verification.interface_fingerprint ?? null;
}

/** Why the module does not hold with what has taken the place of what it was tested with. */
async function retest({ store, sandbox }: RecheckRooms, { module_ref, uses }: BuiltModule, signal: AbortSignal): Promise<string | null> {
  const module = await store.shippedModule(module_ref);
  const found = await findDependencies(store, { dependencies: uses.flatMap(({ now }) => (now === null ? [] : [{ ref: now.ref }])) });
  if (module === null || !found.ok) return found.ok ? `${module_ref} is not there any more` : found.problem;
  const closure = await loadModules(store, found.all);
  const dependencies = Object.fromEntries(closure.map(({ module_id, sources }) => [module_id, sources]));
  const run = await runTests({ files: module.sources, dependencies }, { sandbox: await sandbox(), signal });
  const failed = run.tests.filter(({ result }) => result === "FAIL").map(({ name }) => `"${name}"`);
  const moved = uses.filter(({ ref, now, moved: behind }) => behind || now?.ref !== ref).map(({ now }) => now?.ref);
  if (run.broken !== null) return `the tests of ${module_ref} do not run with ${moved.join(", ")}: ${run.broken}`;
  return failed.length === 0 ? null : `the tests of ${module_ref} fail with ${moved.join(", ")}: ${failed.join(", ")}`;
}
