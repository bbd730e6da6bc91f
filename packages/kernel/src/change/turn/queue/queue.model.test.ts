import type { SlipwayError } from "@slipway/durable/errors";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { FeatureIndex } from "../../views/feature-index/index-value.ts";
import { FILES, openPlanBench, planFor, type PlanBench } from "../../testing/plan-bench.ts";
import { releaseAllWithin } from "../locks/store.ts";
import { parsePlan, type Plan } from "../../plan/schema.ts";
import { wakeQueue } from "./store.ts";
import { QueueModel } from "./testing/model.ts";

const IDS = ["a", "b", "c", "d"];
const RESOURCES = ["openapi", "events", "db_migrations", "protected:libs/core"];

interface Real {
  bench: PlanBench;
  index: FeatureIndex | null;
  readonly policy: Readonly<Record<string, unknown>>;
}
type Command = fc.AsyncCommand<QueueModel, Real>;

/** Applies the same call to both, then compares the results and all visible state. */
function command(name: string, act: (model: QueueModel, bench: PlanBench, real: Real) => Promise<void>): Command {
  return {
    check: () => true,
    async run(model, real) {
      model.time += 1;
      real.bench.clock.time += 1;
      await act(model, real.bench, real);
      await agree(model, real);
    },
    toString: () => name,
  };
}

const ended = (promise: Promise<unknown>): Promise<string | null> =>
  promise.then(
    () => null,
    (error: SlipwayError) => error.code,
  );

async function agree(model: QueueModel, real: Real): Promise<void> {
  const { bench } = real;
  const rows = await bench.db.selectFrom("features").select(["id", "status", "version"]).orderBy("id").execute();
  expect(rows.map(({ id, status }) => [id, status])).toEqual(IDS.map((id) => [id, model.of(id).status]));
  const plans = await Promise.all(IDS.map((id) => bench.kernel.features.plan(id).catch(() => null)));
  expect(plans).toEqual(IDS.map((id) => model.of(id).accepted));
  const index = await bench.kernel.features.index();
  if (index === null) return;
  expect(index.locks).toEqual(Object.fromEntries(RESOURCES.map((resource) => [resource, model.locks.get(resource) ?? null])));
  expect(
    index.blocked_queue.map(({ feature_id: id, plan_version, required_resources: required }) => ({ id, plan_version, required })),
  ).toEqual(model.inQueue());
  expect(index.blocked).toEqual(IDS.filter((id) => model.of(id).status === "blocked"));
  const seen = (of: FeatureIndex | null) => JSON.stringify({ ...of, version: 0, updated_at: "" });
  expect(index.version).toBe((real.index?.version ?? 0) + (seen(index) === seen(real.index) ? 0 : 1));
  real.index = index;
}

function planned(id: string, parts: Readonly<Record<string, unknown>>): Plan {
  const parsed = parsePlan(planFor(id, parts));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.violations));
  return parsed.value;
}

const id = fc.constantFrom(...IDS);
const parts = fc.record({
  files: fc.record({ modify: fc.uniqueArray(fc.constantFrom(...FILES), { maxLength: 2 }) }),
  contracts: fc.record({
    openapi: fc.constantFrom("none", "none", "modify"),
    events: fc.constantFrom("none", "none", "modify"),
    db: fc.constantFrom("none", "none", "migration"),
  }),
});

const propose = fc.tuple(id, parts).map(([feature, wanted]) =>
  command(`propose(${feature}, ${JSON.stringify(wanted)})`, async (model, bench) => {
    const from = model.of(feature).accepted?.plan_version ?? 0;
    const versions = from === 0 ? {} : { plan_version: from + 1, revision_of: from };
    const expected = model.propose(feature, planned(feature, { ...wanted, ...versions }));
    const call = from === 0 ? bench.submit(feature, wanted) : bench.update(feature, from, wanted);
    expect(await ended(call)).toBe(expected);
  }),
);
const again = id.map((feature) =>
  command(`submit again(${feature})`, async (model, bench) => {
    const { queued, accepted } = model.of(feature);
    if (queued === null || accepted !== null) return;
    const expected = model.propose(feature, queued.plan);
    expect(await ended(bench.kernel.features.submitPlan(bench.call(), { feature_id: feature, plan_json: queued.plan }))).toBe(expected);
  }),
);
const acquire = fc.tuple(id, fc.constantFrom(...RESOURCES)).map(([feature, resource]) =>
  command(`acquire(${feature}, ${resource})`, async (model, bench) => {
    expect(await ended(bench.acquire(feature, resource))).toBe(model.acquire(feature, resource));
  }),
);
const release = fc.tuple(id, fc.constantFrom(...RESOURCES)).map(([feature, resource]) =>
  command(`release(${feature}, ${resource})`, async (model, bench) => {
    expect(await ended(bench.release(feature, resource))).toBe(model.release(feature, resource));
  }),
);
const fail = id.map((feature) =>
  command(`fail(${feature})`, async (model, bench) => {
    if (["failed", "merged"].includes(model.of(feature).status)) return;
    model.end(feature, "failed");
    await bench.fail(feature);
  }),
);
/** The effect of the merge operation's transaction on plans and locks; the next operation processes the woken queue. */
const merge = id.map((feature) =>
  command(`merge(${feature})`, async (model, bench) => {
    if (model.of(feature).status !== "building") return;
    model.end(feature, "merged");
    await bench.db.transaction().execute(async (tx) => {
      await releaseAllWithin(tx, feature);
      await tx.updateTable("features").set({ status: "merged" }).where("id", "=", feature).execute();
      await wakeQueue(tx, feature);
    });
    await bench.kernel.features.note(bench.call(), { feature_id: feature, role: "qa", text: "merged" });
  }),
);
const unblock = id.map((feature) =>
  command(`unblock(${feature})`, async (model, bench) => {
    if (model.of(feature).status !== "blocked") return;
    model.unblock(feature);
    await bench.kernel.features.changeStatus(bench.call(), { feature_id: feature, to: "planning", reason: `again at ${model.time}` });
  }),
);
const restart = fc.constant(
  command("restart", async (model, bench, real) => {
    await bench.close();
    real.bench = await openPlanBench({ root: bench.root, policy: real.policy });
    real.bench.clock.time = 1_000_000 + model.time;
  }),
);

async function run(commands: Iterable<Command>, collision_policy: string): Promise<void> {
  const policy = { collision_policy, "locks.lease_ttl_seconds": 1_000_000 };
  const real: Real = { bench: await openPlanBench({ policy }), index: null, policy };
  for (const feature of IDS) await real.bench.addFeature(feature);
  await fc.asyncModelRun(() => ({ model: new QueueModel(IDS, real.bench.kernel.configuration.policy), real }), commands);
  await real.bench.close();
}

test.each([
  ["block", 40],
  ["reject", 15],
])(
  "[FEA-107] [FEA-108] [FEA-109] under %s any sequence of plans, locks and ends follows the rules, also across restarts",
  async (collision_policy, numRuns) => {
    const commands = fc.commands([propose, propose, propose, again, acquire, release, fail, merge, unblock, restart], { maxCommands: 18 });
    await fc.assert(
      fc.asyncProperty(commands, (sequence) => run(sequence, collision_policy)),
      { numRuns },
    );
  },
  120_000,
);
