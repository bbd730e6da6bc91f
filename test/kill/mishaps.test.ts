import { afterAll, beforeAll, expect, test } from "vitest";
import { inWords, movesOf, play } from "./mishap-sequence.ts";
import { prepareYard } from "./mishap-yard.ts";

const SEED = Number(process.env["SLIPWAY_SEED"] ?? 20261118);
const SEQUENCES = 60;

let yards: Awaited<ReturnType<typeof prepareYard>>;
beforeAll(async () => {
  yards = await prepareYard();
});
afterAll(() => yards.remove());

test(
  `${SEQUENCES} sequences of kills, moved bases, edits by hand and removed worktrees end in a landing or a question, from seed ${SEED}`,
  { timeout: 900_000 },
  async () => {
    for (let index = 0; index < SEQUENCES; index++) {
      const moves = movesOf(SEED + index);
      expect((await play(yards.fresh(), moves)).join("\n"), `seed ${SEED + index}: ${inWords(moves)}`).toBe("");
    }
  },
);
