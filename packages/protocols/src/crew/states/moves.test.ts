import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assertMove, findMove, MOVE_REASONS, movesFrom, MOVES, type MoveReason } from "./moves.ts";
import { CREW_STATES, MAIN_LINES, WORKING_STATES, type CrewMode, type CrewState } from "./states.ts";

const anyState = fc.constantFrom(...CREW_STATES);
const anyMode = fc.constantFrom<CrewMode>("full", "lean");
const context = (mode: CrewMode, enteredFrom: CrewState | null = null) => ({ mode, enteredFrom });
const can = (from: CrewState, to: CrewState, mode: CrewMode = "full", enteredFrom: CrewState | null = null) =>
  findMove(from, to, context(mode, enteredFrom))?.reason ?? null;

function nextOnMainLine(mode: CrewMode, state: CrewState): CrewState | null {
  const at = MAIN_LINES[mode].indexOf(state);
  return at < 0 ? null : (MAIN_LINES[mode][at + 1] ?? null);
}

describe("states", () => {
  test("[CRW-038] there are 16", () => {
    expect(CREW_STATES).toHaveLength(16);
    expect([...CREW_STATES].toSorted()).toEqual(
      (
        "APPROVE_DESIGN ASK_USER BLOCKED DESIGN DONE FIX_BUILD FIX_REVIEW FIX_SECURITY FIX_TESTS " +
        "IMPLEMENT_LOOP INTAKE INTAKE_LEAN INTEGRATE PLAN RELEASE REVIEW_STRATEGY"
      ).split(" "),
    );
  });

  test("[CRW-082] the two main lines, step by step", () => {
    const walk = (mode: CrewMode, from: CrewState): CrewState[] => {
      const next = nextOnMainLine(mode, from);
      return next === null ? [from] : [from, ...walk(mode, next)];
    };
    const full = "INTAKE DESIGN APPROVE_DESIGN PLAN REVIEW_STRATEGY IMPLEMENT_LOOP INTEGRATE RELEASE DONE".split(" ");
    expect(walk("full", "INTAKE")).toEqual(full);
    expect(walk("lean", "INTAKE_LEAN")).toEqual(["INTAKE_LEAN", "IMPLEMENT_LOOP", "INTEGRATE", "DONE"]);
    for (const mode of ["full", "lean"] as const)
      MAIN_LINES[mode].slice(1).forEach((to, index) => expect(can(MAIN_LINES[mode][index]!, to, mode)).toBe("main_line"));
    expect(can("INTEGRATE", "DONE", "full")).toBeNull();
    expect(can("INTEGRATE", "RELEASE", "lean")).toBeNull();
    expect(can("INTAKE_LEAN", "DESIGN", "lean")).toBeNull();
  });
});

/** The rules in the words of the requirement, without the table. */
function expected(from: CrewState, to: CrewState, mode: CrewMode, enteredFrom: CrewState | null): boolean {
  const lean = mode === "lean";
  const only: Partial<Record<CrewState, CrewMode>> = {
    INTAKE: "full",
    DESIGN: "full",
    APPROVE_DESIGN: "full",
    PLAN: "full",
    REVIEW_STRATEGY: "full",
    RELEASE: "full",
    INTAKE_LEAN: "lean",
  };
  if (from === "DONE" || from === to) return false;
  if (from === "IMPLEMENT_LOOP" && to === "INTAKE") return lean;
  if ((only[from] ?? mode) !== mode || (only[to] ?? mode) !== mode) return false;
  if (to === "BLOCKED") return true;
  if (from === "BLOCKED") return to === enteredFrom && to !== "DONE";
  const gates: CrewState[] = ["APPROVE_DESIGN", "REVIEW_STRATEGY"];
  if (to === "ASK_USER") return !gates.includes(from);
  if (from === "ASK_USER") return to === enteredFrom && !gates.includes(to) && to !== "DONE";
  const late: CrewState[] = ["IMPLEMENT_LOOP", "INTEGRATE", "RELEASE", "FIX_REVIEW", "FIX_TESTS", "FIX_SECURITY", "FIX_BUILD"];
  if (to === "APPROVE_DESIGN" && ["PLAN", "REVIEW_STRATEGY", ...late].includes(from)) return true;
  if (to === "REVIEW_STRATEGY" && late.includes(from)) return true;
  const loops: CrewState[] = ["FIX_REVIEW", "FIX_TESTS", "FIX_SECURITY"];
  if (from === "IMPLEMENT_LOOP" && loops.includes(to)) return true;
  if (loops.includes(from)) return to === "IMPLEMENT_LOOP";
  if (to === "FIX_BUILD") return from === "INTEGRATE" || from === "RELEASE";
  if (from === "FIX_BUILD") return to === "INTEGRATE";
  return nextOnMainLine(mode, from) === to;
}

describe("moves", () => {
  test("[CRW-083] of all pairs of states, exactly the tabled moves are possible", () => {
    for (const mode of ["full", "lean"] as const)
      for (const from of CREW_STATES)
        for (const to of CREW_STATES)
          for (const enteredFrom of [null, ...CREW_STATES])
            expect([mode, from, to, enteredFrom, can(from, to, mode, enteredFrom) !== null]).toEqual([
              mode,
              from,
              to,
              enteredFrom,
              expected(from, to, mode, enteredFrom),
            ]);
  });

  test("[CRW-083] an untabled move is refused with an error that names the possible ones", () => {
    fc.assert(
      fc.property(anyState, anyState, anyMode, fc.option(anyState), (from, to, mode, enteredFrom) => {
        const move = findMove(from, to, context(mode, enteredFrom));
        if (move !== null) expect(assertMove(from, to, context(mode, enteredFrom))).toBe(move);
        else
          expect(() => assertMove(from, to, context(mode, enteredFrom))).toThrow(
            expect.objectContaining({
              code: "invalid_status_transition",
              details: expect.objectContaining({ field: "current_state", from, to }),
            }),
          );
      }),
    );
  });

  test("the refusal says which moves are possible, or that there is none", () => {
    const actions = (from: CrewState) => {
      try {
        assertMove(from, "INTAKE", context("full"));
      } catch (error) {
        return (error as { details: { suggested_next_actions: string[] } }).details.suggested_next_actions;
      }
      return [];
    };
    expect(actions("DESIGN")).toEqual(["From here: APPROVE_DESIGN, ASK_USER, BLOCKED."]);
    expect(actions("DONE")).toEqual(["DONE is final; start a new session."]);
  });

  test("[CRW-083] DONE is final, and no other state is", () => {
    for (const state of CREW_STATES) {
      const ways = (["full", "lean"] as const).flatMap((mode) => CREW_STATES.flatMap((back) => movesFrom(state, context(mode, back))));
      expect([state, ways.length === 0]).toEqual([state, state === "DONE"]);
    }
  });

  test("[CRW-083][CRW-072] a walk into ASK_USER or BLOCKED comes back only to where it came from", () => {
    fc.assert(
      fc.property(fc.constantFrom(...WORKING_STATES), fc.constantFrom<CrewState>("ASK_USER", "BLOCKED"), anyMode, (from, pause, mode) => {
        fc.pre(can(from, pause, mode) !== null);
        expect(movesFrom(pause, context(mode, from)).filter((to) => to !== "BLOCKED")).toEqual([from]);
      }),
    );
  });

  test("[CRW-052] a gate never becomes ASK_USER", () => {
    expect([can("APPROVE_DESIGN", "ASK_USER"), can("REVIEW_STRATEGY", "ASK_USER")]).toEqual([null, null]);
  });

  test("[CRW-101] a lean task that grows goes back to INTAKE", () => {
    expect(can("IMPLEMENT_LOOP", "INTAKE", "lean")).toBe("larger_task");
    expect(can("IMPLEMENT_LOOP", "INTAKE", "full")).toBeNull();
  });

  test("each row has one reason, and no pair of states stands twice in a mode", () => {
    const reasons: MoveReason[] = [...new Set(MOVES.map(({ reason }) => reason))];
    expect(reasons.toSorted()).toEqual(Object.keys(MOVE_REASONS).toSorted());
    const rows = MOVES.flatMap(({ from, to, modes }) => modes.map((mode) => `${mode} ${from} ${to}`));
    expect(new Set(rows).size).toBe(rows.length);
  });
});
