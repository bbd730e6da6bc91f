import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { startKernelProcess } from "../testing/children.ts";
import type { ChildCall } from "../testing/kernel-child.ts";
import { openPlanBench, type PlanBench } from "../testing/plan-bench.ts";

const RESOURCES = ["openapi", "events", "db_migrations", "protected:libs/core"];
const TTL = 60_000;
const processes = Array.from({ length: 4 }, startKernelProcess);
afterAll(() => Promise.all(processes.map((child) => child.end())));

let number = 0;
const nextId = () => `call-${(number += 1)}`;

async function openEverywhere(ids: readonly string[]): Promise<PlanBench> {
  const bench = await openPlanBench();
  for (const id of ids) await bench.addFeature(id);
  await Promise.all(processes.map((child) => child.call({ id: nextId(), at: 0, open: bench.root })));
  return bench;
}

test("[FEA-012] fifty calls of several processes on one feature and the index lose no update", async () => {
  const bench = await openEverywhere(["shared"]);
  const at = bench.clock.time;
  const calls = processes.flatMap((child, index) => {
    const resource = RESOURCES[index] ?? "";
    return Array.from({ length: 7 }, () => [
      child.call({ id: nextId(), at, acquire: "shared", resources: [resource] }),
      child.call({ id: nextId(), at, release: "shared", resource }),
    ]).flat();
  });
  expect(calls.length).toBeGreaterThanOrEqual(50);
  expect(new Set(await Promise.all(calls))).toEqual(new Set(["done"]));
  expect((await bench.row("shared")).version).toBe(1 + calls.length);
  expect(bench.indexFile()).toMatchObject({ lock_leases: {}, version: expect.any(Number) });
  expect(bench.indexFile()).toEqual(await bench.kernel.features.index());
  expect(bench.indexFile().version).toBe(calls.length);
  expect((await bench.db.selectFrom("events").select("seq").execute()).length).toBe(calls.length);
  await bench.close();
});

interface ModelLock {
  readonly holder: string;
  readonly expiresAt: number;
  readonly leaseId: string;
}

/** Locks, their features and the index, one call at a time. */
interface Model {
  readonly locks: Readonly<Record<string, ModelLock>>;
  readonly blocked: readonly string[];
  readonly written: number;
  readonly version: number;
}

type Step = Exclude<ChildCall, { open: string }>;

function apply(model: Model, step: Step): { readonly model: Model; readonly answer: string } {
  const taken = (resource: string, by: string) => {
    const lock = model.locks[resource];
    return lock !== undefined && lock.holder !== by && step.at < lock.expiresAt;
  };
  const refuse = (answer: string) => ({ model, answer });
  if ("acquire" in step) {
    if (step.resources.some((resource) => taken(resource, step.acquire))) return refuse("lock_conflict");
    const leases = step.resources.map((resource) => {
      const own = model.locks[resource]?.holder === step.acquire ? model.locks[resource] : undefined;
      return [resource, { holder: step.acquire, expiresAt: step.at + TTL, leaseId: own?.leaseId ?? step.id }] as const;
    });
    return { model: shown(model, { locks: { ...model.locks, ...Object.fromEntries(leases) } }), answer: "done" };
  }
  if ("release" in step) {
    if (model.locks[step.resource]?.holder !== step.release) return refuse("lock_not_held");
    const { [step.resource]: _, ...locks } = model.locks;
    return { model: shown(model, { locks }), answer: "done" };
  }
  if ("write" in step) {
    const lock = model.locks[step.resource];
    if (lock?.holder !== step.write || step.at >= lock.expiresAt) return refuse("lock_not_held");
    return { model: { ...model, written: model.written + 1 }, answer: "done" };
  }
  const stale = Object.entries(model.locks).filter(([, { expiresAt }]) => expiresAt <= step.at);
  const locks = Object.fromEntries(Object.entries(model.locks).filter(([, { expiresAt }]) => expiresAt > step.at));
  const blocked = [...new Set([...model.blocked, ...stale.map(([, { holder }]) => holder)])].toSorted();
  return { model: shown(model, { locks, blocked }), answer: "done" };
}

/** The index version grows exactly if its content changes; the first time there is no earlier content. */
function shown(model: Model, change: Partial<Model>): Model {
  const see = ({ locks, blocked }: Model) => JSON.stringify([Object.entries(locks).toSorted(), blocked]);
  const next = { ...model, ...change };
  return { ...next, version: model.version + (model.version > 0 && see(next) === see(model) ? 0 : 1) };
}

/** Every state the model can have after these calls, in any order that fits their results. */
function outcomes(models: readonly Model[], steps: readonly Step[], answers: readonly string[]): Model[] {
  return models.flatMap((model) => {
    if (steps.length === 0) return [model];
    return steps.flatMap((step, index) => {
      const { model: next, answer } = apply(model, step);
      if (answer !== answers[index]) return [];
      return outcomes([next], steps.toSpliced(index, 1), answers.toSpliced(index, 1));
    });
  });
}

async function seenIn(bench: PlanBench): Promise<string> {
  const index = await bench.kernel.features.index();
  const leases = Object.entries(index?.lock_leases ?? {}).map(([resource, { holder, lease_id, expires_at }]) => [
    resource,
    { holder, expiresAt: Date.parse(expires_at), leaseId: lease_id },
  ]);
  const written = await bench.db.selectFrom("notes").select("id").execute();
  return JSON.stringify([leases.toSorted(), index?.blocked ?? [], written.length, index?.version ?? 0]);
}

const asSeen = ({ locks, blocked, written, version }: Model) =>
  JSON.stringify([Object.entries(locks).toSorted(), blocked, written, version]);

const feature = fc.constantFrom("f1", "f2", "f3");
const resource = fc.constantFrom("openapi", "events");
const step = fc.oneof(
  fc.record({ acquire: feature, resources: fc.uniqueArray(resource, { minLength: 1, maxLength: 2 }) }),
  fc.record({ release: feature, resource }),
  fc.record({ write: feature, resource }),
  fc.record({ reclaim: fc.constant(true as const) }),
);
/** Concurrent calls in different processes, after a jump of the clock. */
const batch = fc.record({ jump: fc.integer({ min: -2 * TTL, max: 2 * TTL }), steps: fc.array(step, { minLength: 1, maxLength: 4 }) });

test("[FEA-012] [FEA-113] [FEA-149] concurrent calls of several processes end as in some sequence, also when clocks jump", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 8 }), async (batches) => {
      const bench = await openEverywhere(["f1", "f2", "f3"]);
      let models: Model[] = [{ locks: {}, blocked: [], written: 0, version: 0 }];
      let time = 10_000_000;
      for (const { jump, steps } of batches) {
        time += jump;
        const calls = steps.map((one) => ({ ...one, id: nextId(), at: time }) as Step);
        const answers = await Promise.all(calls.map((call, index) => processes[index]?.call(call) ?? ""));
        const seen = await seenIn(bench);
        models = outcomes(models, calls, answers).filter((model) => asSeen(model) === seen);
        expect(models.length, `${JSON.stringify({ calls, answers })} gave ${seen}`).toBeGreaterThan(0);
        models = models.slice(0, 1);
      }
      const index = await bench.kernel.features.index();
      if (index !== null) expect(bench.indexFile()).toEqual(index);
      await bench.close();
    }),
    { numRuns: 25 },
  );
}, 120_000);
