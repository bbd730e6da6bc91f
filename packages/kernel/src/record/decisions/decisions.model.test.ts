import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SETTLED_CONFIDENCES, type Decision, type SettledConfidence } from "./decision.ts";
import { callBy, draft, openDecisionBench, PROOF, REPORT, type DecisionBench } from "./testing/decision-bench.ts";

interface Entry {
  readonly confidence: SettledConfidence;
  readonly dependencies: readonly string[];
  readonly constraint: string;
  status: Decision["status"];
  suspended: boolean;
}

interface Model {
  readonly entries: Map<string, Entry>;
}

type By = "orchestrator" | "person";

const pick = (model: Model, index: number) => [...model.entries.keys()][index % Math.max(1, model.entries.size)] ?? "none";
const isInForce = (entry: Entry | undefined) => entry?.status === "active" && !entry.suspended;

function dependentsOf(model: Model, root: string): Set<string> {
  const found = new Set<string>();
  for (let changed = true; changed;) {
    changed = false;
    for (const [id, { dependencies }] of model.entries)
      if (!found.has(id) && id !== root && dependencies.some((on) => on === root || found.has(on))) {
        found.add(id);
        changed = true;
      }
  }
  return found;
}

function suspend(model: Model, root: string): void {
  for (const id of dependentsOf(model, root)) {
    const entry = model.entries.get(id);
    if (entry?.status === "active") entry.suspended = true;
  }
}

function end(model: Model, id: string, status: "superseded" | "invalidated"): void {
  Object.assign(model.entries.get(id) ?? {}, { status, suspended: false });
  if (status === "invalidated") suspend(model, id);
}

/** Whether the model allows it; `failure` is whether a failure is given. */
function mayEnd(entry: Entry | undefined, by: By, failure: boolean): boolean {
  if (entry?.status !== "active") return false;
  if (by === "person") return true;
  if (entry.confidence === "canonical" || entry.confidence === "blocking") return false;
  return entry.confidence !== "delegated" || failure;
}

type Step =
  | { readonly do: "append"; readonly confidence: SettledConfidence; readonly on: readonly number[] }
  | { readonly do: "supersede"; readonly at: number; readonly by: By; readonly failure: boolean }
  | { readonly do: "invalidate" | "discard"; readonly at: number; readonly by: By }
  | { readonly do: "cascade" | "reinstate"; readonly at: number }
  | { readonly do: "phase_failed" | "compact" };

const at = fc.nat(30);
const by = fc.constantFrom<By>("orchestrator", "person");
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("append" as const),
      confidence: fc.constantFrom(...SETTLED_CONFIDENCES),
      on: fc.array(at, { maxLength: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("supersede" as const), at, by, failure: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("invalidate" as const, "discard" as const), at, by }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("cascade" as const, "reinstate" as const), at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("phase_failed" as const, "compact" as const) }) },
);

let bench: DecisionBench;
beforeAll(async () => {
  bench = await openDecisionBench();
});
afterAll(() => bench.close());

/** Performs the step on both sides; returns whether the model allows it and whether the room did. */
async function perform(model: Model, scope: string, given: Step): Promise<{ readonly allowed: boolean; readonly done: boolean }> {
  const { decisions } = bench;
  const done = (work: Promise<unknown>) =>
    work.then(() => true).catch((error: { code?: string }) => (error.code === undefined ? Promise.reject(error) : false));
  switch (given.do) {
    case "append": {
      const dependencies = [...new Set(given.on.map((index) => pick(model, index)))].filter(() => model.entries.size > 0);
      const id = `e${model.entries.size}`;
      const contradiction = [...model.entries.values()].some(
        (entry) =>
          entry.confidence === "blocking" && isInForce(entry) && dependencies.filter((on) => entry.dependencies.includes(on)).length > 1,
      );
      const allowed = dependencies.every((on) => isInForce(model.entries.get(on))) && (given.confidence === "blocking" || !contradiction);
      const constraint = `constraint ${id}`;
      const appended = await done(
        decisions.append(callBy("orchestrator"), scope, draft({ id, constraint, confidence: given.confidence, dependencies })),
      );
      if (allowed) model.entries.set(id, { confidence: given.confidence, dependencies, constraint, status: "active", suspended: false });
      return { allowed, done: appended };
    }
    case "supersede": {
      const old = pick(model, given.at);
      const entry = model.entries.get(old);
      const allowed = mayEnd(entry, given.by, given.failure);
      const id = `e${model.entries.size}`;
      const constraint = `constraint ${id}`;
      const replaced = await done(
        decisions.supersede(callBy(given.by), scope, {
          id: old,
          replacement: { id, constraint, dependencies: [] },
          reason: "r",
          ...(given.failure ? { failure_report: REPORT } : {}),
        }),
      );
      if (allowed && entry !== undefined) {
        model.entries.set(id, { confidence: entry.confidence, dependencies: [], constraint, status: "active", suspended: false });
        end(model, old, "superseded");
      }
      return { allowed, done: replaced };
    }
    case "invalidate":
    case "discard": {
      const id = pick(model, given.at);
      const entry = model.entries.get(id);
      const allowed = mayEnd(entry, given.by, true) && (given.do === "invalidate" || entry?.suspended === true);
      const work =
        given.do === "invalidate"
          ? decisions.invalidate(callBy(given.by), scope, id, REPORT)
          : decisions.discard(callBy(given.by), scope, id, "no use");
      const ended = await done(work);
      if (allowed) end(model, id, "invalidated");
      return { allowed, done: ended };
    }
    case "cascade": {
      const id = pick(model, given.at);
      const suspended = await done(decisions.cascade(callBy("orchestrator"), scope, id));
      suspend(model, id);
      return { allowed: model.entries.has(id), done: suspended };
    }
    case "reinstate": {
      const id = pick(model, given.at);
      const entry = model.entries.get(id);
      const allowed =
        entry?.status === "active" && entry.suspended && !entry.dependencies.some((on) => model.entries.get(on)?.suspended === true);
      const without = decisions.reinstate(callBy("orchestrator"), scope, id, {} as typeof PROOF);
      await expect(without).rejects.toMatchObject({ code: "schema_validation_failed" });
      const reinstated = await done(decisions.reinstate(callBy("orchestrator"), scope, id, PROOF));
      if (allowed && entry !== undefined) entry.suspended = false;
      return { allowed, done: reinstated };
    }
    case "phase_failed": {
      const provisional = [...model.entries].filter(([, entry]) => entry.confidence === "provisional" && entry.status === "active");
      for (const [id] of provisional) end(model, id, "invalidated");
      return { allowed: true, done: await done(decisions.invalidateProvisional(callBy("orchestrator"), scope, REPORT)) };
    }
    case "compact":
      return { allowed: true, done: await done(decisions.compact(callBy("orchestrator"), scope)) };
  }
}

let histories = 0;

test("[CRI-090] [CRI-093] [CRI-094] random histories agree with a model: nothing is deleted or rewritten, dependents are suspended", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const model: Model = { entries: new Map() };
      const scope = `run:history-${++histories}`;
      const firstSeen = new Map<string, unknown>();
      for (const given of steps) {
        const { allowed, done } = await perform(model, scope, given);
        expect({ given, done }).toEqual({ given, done: allowed });
        const all = [...(await bench.decisions.list(scope)), ...(await bench.decisions.archived(scope))];
        const shown = Object.fromEntries(all.map(({ id, status, confidence }) => [id, `${status} ${confidence}`]));
        const expected = [...model.entries].map(([id, entry]) => [
          id,
          `${entry.status} ${entry.suspended ? "suspended" : entry.confidence}`,
        ]);
        expect(shown).toEqual(Object.fromEntries(expected));
        for (const { status: _s, confidence: _c, suspended_from: _f, superseded_by: _b, reason: _r, ...content } of all) {
          if (!firstSeen.has(content.id)) firstSeen.set(content.id, content);
          expect(content).toEqual(firstSeen.get(content.id));
        }
      }
    }),
    { numRuns: 60 },
  );
});
