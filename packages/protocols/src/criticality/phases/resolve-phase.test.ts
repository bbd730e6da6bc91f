import { afterEach, describe, expect, test } from "vitest";
import type { BlockReason } from "../machine/block.ts";
import { subStateName } from "../machine/states.ts";
import { openStateScene, WAY, type StateScene } from "../testing/state-scene.ts";
import { NO_WORK } from "../work.ts";
import { BLOCK_KIND, resolveBlocked } from "./resolve-phase.ts";

let scene: StateScene;
let modelCalls: number;
afterEach(() => scene.close());

const draft = (constraint: string) => ({
  prefix: "rule_",
  constraint,
  category: "constraint",
  source: "user_explicit" as const,
  phase: "ignition",
  confidence: "canonical" as const,
});

/** A run that is blocked in Lattice, with two decisions of a person. */
async function open(reasonOf: (ids: readonly string[]) => BlockReason): Promise<void> {
  modelCalls = 0;
  scene = await openStateScene(
    async (session) => {
      for (const facts of WAY.lattice) await session.keeper.advance(facts);
      const added = await session.run.ledger.append("rules", [draft("all sums are integers"), draft("sums may be fractions")]);
      const ids = added.map(({ id }) => id);
      await session.keeper.advance({ block: reasonOf(ids), blocks: 0 });
      const state = session.keeper.current();
      if (state.type !== "blocked") throw new Error(subStateName(state));
      const work = await resolveBlocked(session, NO_WORK, state.data);
      const entries = await session.run.ledger.list("after");
      return {
        at: subStateName(session.keeper.current()),
        blocks: work.rounds.blocks,
        active: entries.filter(({ status }) => status === "active").map(({ constraint }) => constraint),
      };
    },
    { answer: () => void modelCalls++ },
  );
  expect((await scene.drive()).status).toBe("waiting");
}

async function answered(value: object): Promise<unknown> {
  await scene.answer(value);
  const outcome = await scene.drive();
  return outcome.status === "completed" ? outcome.value : outcome;
}

const conflict = (ids: readonly string[]): BlockReason => ({ type: "canonical_conflict", decisions: [ids[0] ?? "", ids[1] ?? ""] });

describe("a block", () => {
  test("[CRI-130] it is on disk and asks one question; no model is called", async () => {
    await open(conflict);
    expect(scene.json<{ protocolState: { type: string } }>("state.json").protocolState.type).toBe("blocked");
    expect(await scene.question()).toMatchObject({ kind: BLOCK_KIND, title: "bank is blocked: canonical_conflict" });
    await scene.drive();
    expect(modelCalls).toBe(0);
  });

  test("the question shows each option with what it implies", async () => {
    await open(conflict);
    const { body, options } = await scene.question();
    expect(options.map(({ value }) => value)).toEqual(["keep_a", "keep_b", "hybrid", "clarify"]);
    expect(body).toContain("keep_a: Keep A\n  B is superseded and no longer enforced.");
  });

  test("[CRI-131] keeping one decision supersedes the other, and the run resumes in its phase", async () => {
    await open(conflict);
    const value = await answered({ decision: "keep_a" });
    expect(value).toMatchObject({ at: "lattice.generatingStructure", blocks: 1 });
    expect((value as { active: string[] }).active).toContain("all sums are integers");
    expect((value as { active: string[] }).active).not.toContain("sums may be fractions");
  });

  test("[CRI-131] a rule of one's own supersedes both", async () => {
    await open(conflict);
    const { active } = (await answered({ decision: "hybrid", comment: "sums have two digits" })) as { active: string[] };
    expect(active).toContain("sums have two digits");
    expect(active.filter((text) => /integers|fractions/.test(text))).toEqual([]);
  });

  test("an option that needs words is asked about again without them", async () => {
    await open(conflict);
    await scene.answer({ decision: "hybrid", comment: "  " });
    expect((await scene.drive()).status).toBe("waiting");
    expect((await scene.question()).body).toMatch(/^The option hybrid needs a comment/);
    const { active } = (await answered({ decision: "hybrid", comment: "sums have two digits" })) as { active: string[] };
    expect(active).toContain("sums have two digits");
  });

  test("an option that the block does not have is refused", async () => {
    await open(conflict);
    await expect(scene.answer({ decision: "burn_it" })).rejects.toThrow();
  });

  test("[CRI-131] an option may name another phase", async () => {
    await open(() => ({ type: "context_overflow", message: "too large" }));
    expect(await answered({ decision: "revise_spec" })).toMatchObject({ at: expect.stringMatching(/^ignition\./) });
  });

  test("[CRI-131] ending the run gives it up, with the person's words", async () => {
    await open(() => ({ type: "provider_unavailable", message: "no quota" }));
    expect(await answered({ decision: "give_up", comment: "tomorrow" })).toEqual({ given_up: expect.stringContaining("tomorrow") });
  });

  test("ending it without words says what it ended", async () => {
    await open(() => ({ type: "provider_unavailable", message: "no quota" }));
    expect(await answered({ decision: "give_up" })).toEqual({ given_up: expect.stringContaining("provider_unavailable") });
  });
});
