import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_WAITS, ruleOn, type CollisionRuling } from "./collision-rules.ts";

const other = (place: number | null) => ({ feature_id: `f${place}`, place });

describe("[FEA-137] the orchestrator rules on a collision", () => {
  test.each<[string, Parameters<typeof ruleOn>[0], CollisionRuling]>([
    ["a first plan waits for an earlier feature", { purpose: "submit", place: 1, inTheWay: [other(0)], waited: 0 }, "wait"],
    ["a first plan waits for a later one that has a plan", { purpose: "submit", place: 0, inTheWay: [other(1)], waited: 0 }, "wait"],
    ["an update waits for earlier features", { purpose: "update", place: 2, inTheWay: [other(0), other(1)], waited: 3 }, "wait"],
    [
      "an update that collides with a later feature is revised",
      { purpose: "update", place: 1, inTheWay: [other(0), other(2)], waited: 0 },
      "revise",
    ],
    [
      "a collision with a feature of another run becomes a question",
      { purpose: "submit", place: 1, inTheWay: [other(0), other(null)], waited: 0 },
      "ask",
    ],
    [
      "a plan that collides again after every wait becomes a question",
      { purpose: "submit", place: 1, inTheWay: [other(0)], waited: MAX_WAITS },
      "ask",
    ],
  ])("%s", (_what, collided, ruling) => {
    expect(ruleOn(collided)).toBe(ruling);
  });
});

/**
 * A model of a run: features want resources, submit in order, hold accepted resources until they land, and may want more
 * later. A feature that has to wait waits until all features it collides with have landed.
 */
interface Model {
  readonly wants: readonly ReadonlySet<number>[];
  /** The additional resources each wants once its plan is accepted. */
  readonly more: readonly ReadonlySet<number>[];
  readonly slots: number;
}

type State = "queued" | "planning" | "holds" | "done";

function play({ wants, more, slots }: Model, pick: (choices: number) => number): { landed: number; circle: boolean } {
  const state: State[] = wants.map(() => "queued");
  const held: Set<number>[] = wants.map(() => new Set());
  const claims: Set<number>[] = wants.map(() => new Set());
  const updated: boolean[] = wants.map(() => false);
  const waits = new Map<number, number[]>();
  const waited = wants.map(() => 0);

  const collide = (mine: ReadonlySet<number>, me: number, of: Set<number>[]) =>
    wants
      .map((_, index) => index)
      .filter((index) => index !== me && state[index] !== "done" && [...mine].some((resource) => of[index]?.has(resource)));
  const isFree = (me: number) => (waits.get(me) ?? []).every((blocker) => state[blocker] === "done");
  const isDecided = (index: number) => state[index] === "holds" || state[index] === "done" || (waits.has(index) && !isFree(index));

  function moves(): (() => void)[] {
    const active = state.filter((now) => now === "planning" || now === "holds").length;
    const next = state.indexOf("queued");
    return [
      ...(next !== -1 && active < slots ? [() => void (state[next] = "planning")] : []),
      ...wants.flatMap((_, me) => {
        if (!isFree(me)) return [];
        if (state[me] === "planning" && wants.every((__, earlier) => earlier >= me || state[earlier] === "queued" || isDecided(earlier)))
          return [() => submit(me)];
        if (state[me] !== "holds") return [];
        return updated[me] ? [() => land(me)] : [() => update(me)];
      }),
    ];
  }

  function submit(me: number) {
    waits.delete(me);
    const mine = wants[me] ?? new Set();
    const claimed = collide(mine, me, claims).filter((index) => index < me && waits.has(index));
    const inTheWay = claimed.length > 0 ? claimed : collide(mine, me, held);
    if (inTheWay.length === 0) {
      state[me] = "holds";
      claims[me] = new Set();
      held[me] = new Set(mine);
      return;
    }
    const ruling = ruleOn({ purpose: "submit", place: me, inTheWay: inTheWay.map(other), waited: waited[me] ?? 0 });
    // Waiting is bounded by the number of features; a person would be asked long before.
    waited[me] = 0;
    if (ruling !== "wait") throw new Error(`a first plan was ruled to ${ruling}`);
    claims[me] = new Set(mine);
    waits.set(me, inTheWay);
  }

  function update(me: number) {
    waits.delete(me);
    const mine = more[me] ?? new Set();
    const inTheWay = collide(mine, me, held);
    const ruling = inTheWay.length === 0 ? "accepted" : ruleOn({ purpose: "update", place: me, inTheWay: inTheWay.map(other), waited: 0 });
    if (ruling === "wait") waits.set(me, inTheWay);
    else updated[me] = true;
    if (ruling === "accepted") for (const resource of mine) held[me]?.add(resource);
  }

  function land(me: number) {
    state[me] = "done";
    held[me] = new Set();
  }

  for (let turn = 0; turn < 10_000; turn++) {
    if (state.every((now) => now === "done")) return { landed: wants.length, circle: false };
    const possible = moves();
    if (possible.length === 0) return { landed: state.filter((now) => now === "done").length, circle: true };
    possible[pick(possible.length)]?.();
  }
  return { landed: -1, circle: true };
}

test("every feature lands, for any collisions, any order of events and any number of slots", () => {
  const resources = fc.uniqueArray(fc.nat({ max: 5 }), { maxLength: 4 }).map((list) => new Set(list));
  const model = fc.integer({ min: 1, max: 7 }).chain((count) =>
    fc.record({
      wants: fc.array(resources, { minLength: count, maxLength: count }),
      more: fc.array(resources, { minLength: count, maxLength: count }),
      slots: fc.integer({ min: 1, max: 5 }),
    }),
  );
  fc.assert(
    fc.property(model, fc.infiniteStream(fc.nat({ max: 1000 })), (given, stream) => {
      const pick = (choices: number) => Number(stream.next().value) % choices;
      expect(play(given, pick)).toEqual({ landed: given.wants.length, circle: false });
    }),
    { numRuns: 2000 },
  );
});
