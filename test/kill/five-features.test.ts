import { expect, test } from "vitest";
import { undisturbedTree } from "./expectations.ts";
import { dieAtRandom, dieEverywhere, prepare } from "./flow.ts";
import { violations } from "./invariants.ts";
import { seededRandom } from "./random.ts";

const SEED = Number(process.env["SLIPWAY_SEED"] ?? 20261116);
/** Of about 900 points; `npm run campaign:kill -- --features all` dies at every one of them. */
const SHARE = 0.025;

test(
  "[FEA-132] five features at once, killed at events and at random moments, end with the same tree and five merges",
  { timeout: 900_000 },
  async () => {
    const tree = await undisturbedTree("all");
    const atEvents = await prepare("main", "all");
    const events = await dieEverywhere(atEvents, SHARE);
    expect((await violations(atEvents, events.last, tree)).join("\n")).toBe("");
    const anywhere = await prepare("mine", "all");
    const random = await dieAtRandom(anywhere, seededRandom(SEED), 12);
    expect((await violations(anywhere, random.last, tree)).join("\n"), `seed ${SEED}`).toBe("");
    expect(events.deaths).toBeGreaterThanOrEqual(10);
    console.log(`kill suite: ${events.deaths} kill points at events and ${random.deaths} at random with five features, seed ${SEED}`);
  },
);
