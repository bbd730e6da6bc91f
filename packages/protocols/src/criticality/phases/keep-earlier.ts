import type { SourceTree } from "@slipway/languages/adapter";
import { isCritical } from "../config/verifier.ts";
import { keepText, planKeeping } from "../injection/keep-bodies.ts";
import type { InjectionProgress } from "../injection/progress.ts";
import { sceneOf, unitTestsOf } from "../injection/scene.ts";
import { verifyBodies } from "../injection/verify-bodies.ts";
import { withBodies, type Lattice } from "../lattice/lattice.ts";
import { committedFiles } from "../prepare.ts";
import { CRITICALITY_STEPS } from "../steps.ts";
import type { PhaseSession } from "./session.ts";

/**
 * Starts with the bodies of an earlier run in the same repository, where signature and contract have not changed. Each is checked like a
 * new one, because what it calls may have changed.
 */
export async function keepEarlier(session: PhaseSession, lattice: Lattice, start: InjectionProgress): Promise<InjectionProgress> {
  const { run, tools } = session;
  const { language } = run.services;
  const earlier = await run.ctx.step(`earlier:${start.visit}`, () => earlierSources(session, lattice));
  const plan = planKeeping(lattice, earlier, language);
  if (Object.keys(plan.kept).length === 0) return start;
  await run.ctx.step(CRITICALITY_STEPS.keep.named(start.visit), async () => keepText(plan));
  const tests = unitTestsOf(run, lattice);
  const all = withBodies(lattice.tree, new Map(Object.entries(plan.kept)), language);
  const kept = new Map<string, string>();
  for (const target of lattice.functions) {
    const body = plan.kept[target.id];
    // Critical functions are written and verified in every run.
    if (body === undefined || isCritical(run.config.verifier, target.id)) continue;
    const test = tests.of(target.id);
    const failure = await run.ctx.step(`keep:${target.id}:${start.visit}`, async (signal) => {
      const checks = await sceneOf({ run, tools, tests, skeleton: lattice.tree }, all, start.visit).checks(signal);
      return verifyBodies(checks, all, [{ target, body }], test === null ? [] : [test]);
    });
    if (failure === null) kept.set(target.id, body);
  }
  return { ...start, bodies: Object.fromEntries(kept), tree: withBodies(lattice.tree, kept, language) };
}

/** Files of the lattice that are committed beside an earlier specification. */
async function earlierSources({ run }: PhaseSession, { tree }: Lattice): Promise<SourceTree> {
  const committed = committedFiles(run.services.kernel);
  if ((await committed(run.config.project.spec_path)) === null) return {};
  const found = await Promise.all(Object.keys(tree).map(async (path) => [path, await committed(path)] as const));
  return Object.fromEntries(found.filter((entry): entry is readonly [string, string] => entry[1] !== null));
}
