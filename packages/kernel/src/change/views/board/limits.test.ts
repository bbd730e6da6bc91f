import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { layoutAt } from "../../../host/layout.ts";
import { openRecords } from "../../../open-records.ts";
import { readBoard } from "../../../open-board.ts";

async function boardAt(...statements: readonly string[]) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "slipway-board-")));
  const layout = layoutAt(root);
  const records = await openRecords({ layout });
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const sql of statements) await records.database.sqlite.exclusive((connection) => connection.exec(sql));
  await records.close();
  return readBoard(layout);
}

const FEATURE = `INSERT INTO features (id, run_id, status, status_reason, version, branch, worktree, base_branch, base_commit, tree, spec_source, spec_digest, gate_profile, gates, created_at, updated_at)
  VALUES ('letters', 'r/feature:letters', 'building', '', 1, 'letters', '', 'main', 'b', 't', 's', 'd', 'default', '{}', 1, 2)`;
const event = (seq: number, kind: string, name: string, key: string, payload: object) =>
  `INSERT INTO events (stream, seq, kind, name, key, at, payload, prev, hash) VALUES ('r/feature:letters', ${seq}, '${kind}', '${name}', '${key}', 1000, '${JSON.stringify(payload)}', '', 'h${seq}')`;
const paused = (code: string, details: object) => [
  FEATURE,
  event(1, "step", "builder:1~2", "builder:1~2", { value: { ok: false, failure: { code, details } } }),
  event(2, "sleeping", "pause:builder:1~2", "pause:builder:1~2 wake", { ms: 90_000 }),
];
const waits = async (...statements: readonly string[]) => (await boardAt(...statements)).features[0]?.waits_for;

test("a feature in a pause shows the provider and the end of the limit", async () => {
  expect(await waits(...paused("rate_limited", { provider: "claude" }))).toEqual({
    for: "limit",
    provider: "claude",
    code: "rate_limited",
    until: 91_000,
  });
  expect(await waits(...paused("quota_exhausted", {}))).toMatchObject({ provider: "the provider", code: "quota_exhausted" });
});

test("after the pause it waits for nothing", async () => {
  const slept = event(3, "slept", "pause:builder:1~2", "pause:builder:1~2", {});
  expect(await waits(...paused("rate_limited", { provider: "claude" }), slept)).toBeNull();
});

const run = (id: string, finishedAt: number | null) =>
  `INSERT INTO runs (run_id, root_run_id, parent_run_id, workflow, version, input_digest, status, created_at, finished_at) VALUES ('${id}', '${id}', NULL, 'features', '1', 'd', 'running', 5, ${finishedAt})`;
const budget = (id: string, scope: string, name: string, dimension: string, configured: number | null, raised: number | null = null) =>
  `INSERT INTO budgets VALUES ('${id}', '${scope}', '${name}', '${dimension}', ${configured}, ${raised})`;
const reservation = (id: string, feature: string, role: string, status: string, cost: number) =>
  `INSERT INTO reservations (id, invocation, repair, prompt_digest, run_id, root_run_id, feature_id, role, provider, status, owner, cost_usd, tokens, calls, duration_ms, worst, at)
   VALUES ('${id}', 'i', 0, 'p', 'r/feature:${feature}', 'r', '${feature}', '${role}', 'api', '${status}', 'o', ${cost}, 10, 1, 60000, '{}', 1)`;

test("lists the limits of an unfinished run, with spent and reserved amounts; a call that was cut off counts as spent", async () => {
  const { budgets } = await boardAt(
    run("r", null),
    run("old", 9),
    budget("r", "run", "", "cost_usd", 5, 8),
    budget("r", "role", "qa", "calls", 3),
    budget("r", "feature", "b", "duration_ms", 600_000),
    budget("r", "run", "", "tokens", null, 50),
    budget("old", "run", "", "calls", 1),
    reservation("1", "a", "qa", "settled", 1),
    reservation("2", "b", "builder", "cut_off", 0.5),
    reservation("3", "b", "qa", "reserved", 0.25),
  );
  expect(budgets).toEqual([
    { run: "r", scope: "run", name: "", dimension: "cost_usd", limit: 8, spent: 1.5, reserved: 0.25 },
    { run: "r", scope: "feature", name: "b", dimension: "duration_ms", limit: 600_000, spent: 60_000, reserved: 60_000 },
    { run: "r", scope: "role", name: "qa", dimension: "calls", limit: 3, spent: 1, reserved: 1 },
  ]);
});
