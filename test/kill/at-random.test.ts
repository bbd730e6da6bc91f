import { expect, test } from "vitest";
import { undisturbedTree } from "./expectations.ts";
import { dieAtRandom, prepare } from "./flow.ts";
import { violations } from "./invariants.ts";
import { seededRandom } from "./random.ts";

const SEED = Number(process.env["SLIPWAY_SEED"] ?? 20261115);
const POINTS = 60;

test("killed at random moments, inside git and elsewhere", { timeout: 900_000 }, async () => {
  const tree = await undisturbedTree();
  const random = seededRandom(SEED);
  let killed = 0;
  while (killed < POINTS) {
    const flow = await prepare(random() < 0.5 ? "main" : "mine");
    const { deaths, last } = await dieAtRandom(flow, random, Math.min(40, POINTS - killed));
    expect((await violations(flow, last, tree)).join("\n"), `seed ${SEED}`).toBe("");
    killed += deaths;
  }
  console.log(`kill suite: ${killed} kill points at random, seed ${SEED}`);
});
