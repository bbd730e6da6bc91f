import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { git } from "./flow.ts";
import { fsckProblems, journalWhole, nothingLeft, untouched } from "./invariants.ts";
import { query } from "./query.ts";
import { prepareServed, walkThrough, type ServedFlow } from "./mcp-flow.ts";
import { seededRandom } from "./random.ts";

const SEED = Number(process.env["SLIPWAY_SEED"] ?? 20261117);

/** Every violated invariant after the walk-through. */
async function violations(flow: ServedFlow): Promise<string[]> {
  const { folder, log } = flow;
  const left = await nothingLeft(flow, 2);
  const merges = git(folder, ["rev-list", "--first-parent", "main"]).trim().split("\n");
  const committed = readFileSync(log, "utf8").match(/^committed call:walk-\d+$/gm) ?? [];
  return [
    ...(merges.length === 2 ? [] : [`main has ${merges.length} commits on its first-parent line instead of 2`]),
    ...(git(folder, ["show", "main:src/greeting.txt"]) === "Hello.\n" ? [] : ["the work is not on main"]),
    ...(query(folder, "SELECT tree FROM merges").length === 1 ? [] : ["not exactly one merge is on record"]),
    ...(query(folder, "SELECT id FROM approvals").length === 1 ? [] : ["the approval was not used exactly once"]),
    ...(new Set(committed).size === committed.length ? [] : [`committed twice: ${committed.join(", ")}`]),
    ...untouched(flow),
    ...fsckProblems(folder),
    ...(await journalWhole(flow, 1)),
    ...left,
  ];
}

test(
  "an MCP server that is killed at every phase of every call: the client repeats the call, and everything happens once",
  { timeout: 900_000 },
  async () => {
    const flow = await prepareServed();
    const { deaths, problems } = await walkThrough(flow, { atPoints: true });
    expect([...problems, ...(await violations(flow))].join("\n")).toBe("");
    expect(deaths).toBeGreaterThanOrEqual(15);
    console.log(`kill suite: ${deaths} kill points in MCP servers`);
  },
);

test("an MCP server that is killed at random moments of its calls", { timeout: 900_000 }, async () => {
  const random = seededRandom(SEED);
  const flow = await prepareServed();
  const { deaths, problems } = await walkThrough(flow, { atPoints: false, afterMs: () => (random() < 0.7 ? random() * 150 : null) });
  expect([...problems, ...(await violations(flow))].join("\n"), `seed ${SEED}`).toBe("");
  expect(deaths).toBeGreaterThanOrEqual(5);
  console.log(`kill suite: ${deaths} deaths of MCP servers at random, seed ${SEED}`);
});
