import { beforeAll, describe, expect, test } from "vitest";
import { deathsOf, dieAtRandom, dieEverywhere, git, prepare, spawnChild } from "./flow.ts";
import { violations } from "./invariants.ts";
import { seededRandom } from "./random.ts";

const SEED = Number(process.env["SLIPWAY_SEED"] ?? 20261115);

describe("a run survives being killed", () => {
  let expectedTree = "";
  let killed = 0;

  beforeAll(async () => {
    const flow = await prepare("main");
    const last = await spawnChild(flow, { atPoints: false });
    expectedTree = git(flow.folder, ["rev-parse", "main^{tree}"]).trim();
    expect(await violations(flow, last, expectedTree)).toEqual([]);
  }, 60_000);

  test.for(["main", "mine"] as const)(
    "at every journal event and every phase of every operation, with the user on %s",
    { timeout: 300_000 },
    async (branch) => {
      const flow = await prepare(branch);
      const { deaths, last } = await dieEverywhere(flow);
      expect(await violations(flow, last, expectedTree)).toEqual([]);
      expect(deaths).toBe(deathsOf(flow).length);
      killed += deaths;
    },
  );

  test("at random moments inside git and everywhere else", { timeout: 300_000 }, async () => {
    const random = seededRandom(SEED);
    while (killed < 300) {
      const flow = await prepare(random() < 0.5 ? "main" : "mine");
      const { deaths, last } = await dieAtRandom(flow, random, 40);
      expect(await violations(flow, last, expectedTree), `seed ${SEED}`).toEqual([]);
      killed += deaths;
    }
    console.log(`kill suite: ${killed} kill points, seed ${SEED}`);
    expect(killed).toBeGreaterThanOrEqual(300);
  });
});
