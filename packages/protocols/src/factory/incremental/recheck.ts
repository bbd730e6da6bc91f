import type { CodeIndex } from "../code-index/code-index.ts";
import type { Documents } from "@slipway/kernel/record/documents/documents";
import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { runTests } from "@slipway/languages/typescript/test-run";
import { findDependencies, loadModules } from "../engineering/brief.ts";
import { idOf } from "../engineering/order.ts";
import type { EngineeringStore } from "../engineering/ports.ts";
import { sealedModuleKind } from "../record-kinds.ts";
import { currentVersionOf } from "../tasks/prepare-task.ts";
import type { Project } from "../project/project.ts";
import { recheck, type BuiltModule, type Use } from "./recheck-rules.ts";

export interface RecheckStores {
  readonly documents: Pick<Documents, "find">;
  readonly codeIndex: Pick<CodeIndex, "find">;
  readonly store: Pick<EngineeringStore, "shippedModule">;
  readonly sandbox: () => Promise<Sandbox>;
}

export type TakenOver =
  | {
      readonly kept: true;
      readonly module_refs: readonly string[];
      /** Modules that passed their tests with another version of a dependency. */
      readonly retested: readonly string[];
    }
  | { readonly kept: false; readonly because: string };

/**
 * Decides whether a task's modules can stay, once their dependencies are built. Asks no agent; runs the modules' own tests where a version
 * changed.
 */
export async function recheckTask(
  stores: RecheckStores,
  project: Project,
  task: string,
  refs: readonly string[],
  signal: AbortSignal,
): Promise<TakenOver> {
  const provided = await providedTo(stores, project, task, refs);
  const modules: BuiltModule[] = [];
  for (const ref of refs) modules.push(await builtModule(stores, provided, ref));
  const verdict = recheck(modules);
  if (!verdict.kept) return verdict;
  for (const module of modules.filter(({ module_ref }) => verdict.retest.includes(module_ref))) {
    const problem = await retest(stores, module, signal);
    if (problem !== null) return { kept: false, because: problem };
  }
  return { kept: true, module_refs: refs, retested: verdict.retest };
}

/** By module id: the current version, or null if its task no longer makes it. */
async function providedTo(
  { codeIndex }: RecheckStores,
  project: Project,
  task: string,
  own: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const provided = new Map<string, string | null>();
  for (const dependency of project.task(task).depends_on) {
    for (const ref of (await project.sheet(dependency)).before?.module_refs ?? [])
      if (!provided.has(idOf(ref))) provided.set(idOf(ref), null);
    for (const ref of project.task(dependency).module_refs) provided.set(idOf(ref), await currentVersionOf(codeIndex, ref));
  }
  for (const ref of own) provided.set(idOf(ref), ref);
  return provided;
}

async function builtModule(stores: RecheckStores, provided: ReadonlyMap<string, string | null>, ref: string): Promise<BuiltModule> {
  const { documents, codeIndex } = stores;
  // From the record: the store may already serve a newer version.
  const testedWith = (await documents.find(sealedModuleKind, ref))?.depends_on ?? [];
  const uses: Use[] = [];
  for (const used of testedWith) {
    const now = provided.has(idOf(used)) ? (provided.get(idOf(used)) ?? null) : await currentVersionOf(codeIndex, used);
    const there = now === null ? null : await fingerprintOf(stores, now);
    uses.push({
      ref: used,
      fingerprint: (await fingerprintOf(stores, used)) ?? "",
      now: now === null || there === null ? null : { ref: now, fingerprint: there },
      moved: now !== null && (await hasMoved(stores, now)),
    });
  }
  return { module_ref: ref, asks: (await codeIndex.find(ref))?.dependencies ?? [], uses };
}

/** Whether a transitive dependency is served in another version than the module was tested with. */
async function hasMoved(stores: RecheckStores, ref: string): Promise<boolean> {
  const tested = (await stores.documents.find(sealedModuleKind, ref))?.depends_on ?? [];
  const served = (await stores.store.shippedModule(ref))?.depends_on ?? [];
  if (tested.some((used) => !served.includes(used))) return true;
  for (const used of tested) if (await hasMoved(stores, used)) return true;
  return false;
}

async function fingerprintOf({ store }: RecheckStores, ref: string): Promise<string | null> {
  return (await store.shippedModule(ref))?.ship.verification.interface_fingerprint ?? null;
}

/** Why the module fails with the current versions of its dependencies, or null. */
async function retest({ store, sandbox }: RecheckStores, { module_ref, uses }: BuiltModule, signal: AbortSignal): Promise<string | null> {
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
