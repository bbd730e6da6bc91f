import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { dashboard } from "../dashboard.ts";
import { layoutAt } from "../../../host/layout.ts";
import { openRecords } from "../../../open-records.ts";
import { readBoard, openBoardReader } from "../../../open-board.ts";

const NOW = Date.now();
const HOUR_MS = 3_600_000;

/** A database with these features of the run `r`, and the effects of the statements. */
async function database(features: readonly string[], ...statements: readonly string[]) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "slipway-board-")));
  const layout = layoutAt(root);
  const records = await openRecords({ layout });
  onTestFinished(async () => {
    await records.close();
    rmSync(root, { recursive: true });
  });
  const exec = (sql: string) => records.database.sqlite.exclusive((connection) => connection.exec(sql));
  for (const id of features) {
    await exec(`INSERT INTO features (id, run_id, status, status_reason, version, branch, worktree, base_branch, base_commit, tree, spec_source, spec_digest, gate_profile, gates, created_at, updated_at)
      VALUES ('${id}', 'r/feature:${id}', 'building', '', 1, '${id}', '', 'main', 'b', 't', 's', 'd', 'default', '{}', 1, 2)`);
  }
  for (const statement of statements) await exec(statement);
  return { layout, records, exec };
}

const lock = (resource: string, holder: string | null, expiresAt: number) =>
  `INSERT INTO locks (resource, token, holder, lease_id, ttl_ms, acquired_at, expires_at) VALUES ('${resource}', 1, ${holder === null ? "NULL" : `'${holder}'`}, 'l', 1, 1, ${expiresAt})`;
const plan = (...modify: readonly string[]) => JSON.stringify({ files: { create: [], modify, delete: [] } });
const queued = (id: string, waitsFor: readonly string[], files: readonly string[], locks: readonly string[] = []) =>
  `INSERT INTO blocked_queue (feature_id, plan_version, plan, detected_at, collision_fingerprint, required_resources, waits_for, base_commit, files_at_base, recheck)
   VALUES ('${id}', 1, '${plan(...files)}', 1, 'f', '${JSON.stringify(locks)}', '${JSON.stringify(waitsFor)}', 'b', '[]', 0)`;
const claim = (id: string, resource: string) =>
  `INSERT INTO plan_claims (resource, type, feature_id) VALUES ('${resource}', 'file', '${id}')`;
const run = (id: string, parent: string | null) =>
  `INSERT INTO runs (run_id, root_run_id, parent_run_id, workflow, version, input_digest, status, created_at) VALUES ('${id}', 'r', ${parent === null ? "NULL" : `'${parent}'`}, 'features', '1', 'd', 'running', 5)`;
const started = (payload: object) => event("r", 1, "started", payload);
const event = (stream: string, seq: number, kind: string, payload: object) =>
  `INSERT INTO events (stream, seq, kind, name, key, at, payload, prev, hash) VALUES ('${stream}', ${seq}, '${kind}', 'n', NULL, 1, '${JSON.stringify(payload)}', '', 'h')`;
const specs = (...ids: readonly string[]) => ({ input: { specs: ids.map((feature_id) => ({ feature_id })) } });
const question = (feature: string, kind: string) =>
  `INSERT INTO questions (id, run_id, name, kind, title, body, options, answer_schema, context, answerable_by, remind_at, reminded, asked_at, status)
   VALUES ('q-${feature}', 'r/feature:${feature}', 'q', '${kind}', 't', '', '[]', '{}', '{"feature_id":"${feature}"}', '[]', '[]', 0, 1, 'open')`;

async function waitsOf(...given: Parameters<typeof database>) {
  const { layout } = await database(...given);
  return Object.fromEntries((await readBoard(layout)).features.map(({ id, waits_for }) => [id, waits_for]));
}

test("a queued plan waits for the colliding features and files; a question comes before that", async () => {
  const base = [claim("a", "src/x.ts"), claim("a", "src/other.ts"), queued("b", ["a"], ["src/x.ts", "src/y.ts"])];
  expect(await waitsOf(["a", "b"], ...base)).toEqual({ a: null, b: { for: "feature", features: ["a"], resources: ["src/x.ts"] } });
  expect(await waitsOf(["a", "b"], ...base, question("b", "collision"))).toMatchObject({
    b: { for: "person", question: "q-b", kind: "collision" },
  });
});

test("a plan that waits within its run is shown in the same way", async () => {
  const wait = `INSERT INTO waits (feature_id, blockers, plan, since) VALUES ('b', '["a"]', '${plan("src/x.ts")}', 1)`;
  expect(await waitsOf(["a", "b"], claim("a", "src/x.ts"), wait)).toEqual({
    a: null,
    b: { for: "feature", features: ["a"], resources: ["src/x.ts"] },
  });
});

test("a plan that only lacks a lock waits for the lock, and the holder is named", async () => {
  const base = [lock("db", "a", NOW + HOUR_MS), lock("api", null, 0), queued("b", ["a"], ["src/x.ts"], ["api", "db"])];
  expect(await waitsOf(["a", "b"], ...base)).toMatchObject({ b: { for: "lock", resources: ["db"], features: ["a"] } });
  const refusal = { failure: { code: "lock_conflict", details: { held: [{ resource: "db", holder: "a" }] } } };
  expect(await waitsOf(["a", "b"], event("r/feature:b", 1, "retry", refusal))).toMatchObject({
    a: null,
    b: { for: "lock", resources: ["db"], features: ["a"] },
  });
  // A refusal before the last event no longer counts.
  expect(await waitsOf(["b"], event("r/feature:b", 1, "retry", refusal), event("r/feature:b", 2, "step", {}))).toEqual({ b: null });
});

test("a plan that waits for a lock or a contract of its run names it, and not only the feature", async () => {
  const waiting = (reason: string) => [
    `INSERT INTO waits (feature_id, blockers, plan, since) VALUES ('b', '["a"]', '${plan("src/x.ts")}', 1)`,
    `UPDATE features SET status_reason = '${reason}' WHERE id = 'b'`,
  ];
  expect(await waitsOf(["a", "b"], ...waiting("waits for a: lock events"))).toMatchObject({
    b: { for: "lock", features: ["a"], resources: ["events"] },
  });
  expect(await waitsOf(["a", "b"], ...waiting("waits for a: contract openapi, lock openapi"))).toMatchObject({
    b: { for: "feature", features: ["a"], resources: ["contract openapi", "lock openapi"] },
  });
});

test("an approved change that lacks its lock names the lock, and a feature that never began shows why", async () => {
  const refusal = { failure: { code: "lock_conflict", details: { held: [{ resource: "db", holder: "z" }] } } };
  const ready = "UPDATE features SET status = 'ready_to_merge' WHERE id = 'b'";
  expect(await waitsOf(["b"], ready, event("r/feature:b", 1, "retry", refusal))).toMatchObject({ b: { for: "lock", features: ["z"] } });
  const { layout } = await database(
    [],
    run("r", null),
    run("r/feature:a", "r"),
    run("r/feature:b", "r"),
    "UPDATE runs SET finished_at = 9, status = 'completed' WHERE run_id = 'r/feature:b'",
    started(specs("a", "b")),
    question("a", "mend"),
  );
  expect((await readBoard(layout)).features.map(({ id, status, waits_for }) => [id, status, waits_for])).toEqual([
    ["a", "waiting", { for: "person", question: "q-a", number: 1, kind: "mend" }],
    ["b", "failed", null],
  ]);
});

test("an approved feature waits to land, until a later answer or a running step", async () => {
  const ready = "UPDATE features SET status = 'ready_to_merge' WHERE id = 'a'";
  const answered = (id: string, decision: string, at: number) =>
    `${question("a", "approval").replace("'q-a'", `'${id}'`)}; UPDATE questions SET status = 'answered', answered_at = ${at}, answer = '{"decision":"${decision}"}' WHERE id = '${id}'`;
  expect(await waitsOf(["a"], ready)).toEqual({ a: null });
  expect(await waitsOf(["a"], ready, answered("q1", "changes", 1), answered("q2", "approve", 2))).toEqual({ a: { for: "landing" } });
  expect(await waitsOf(["a"], ready, answered("q1", "approve", 1), answered("q2", "changes", 2))).toEqual({ a: null });
  expect(await waitsOf(["a"], ready, answered("q1", "approve", 1), question("a", "mend"))).toMatchObject({
    a: { for: "person", kind: "mend" },
  });
  expect(await waitsOf(["a"], answered("q1", "approve", 1))).toEqual({ a: null });
});

test("a feature of an unfinished run that has not begun waits for a free slot; one that is just beginning does not", async () => {
  const { layout, exec } = await database(["a"], run("r", null), run("r/feature:b", "r"), started(specs("c", "b", "a")));
  const { features } = await readBoard(layout);
  expect(features.map(({ id, status, waits_for }) => [id, status, waits_for])).toEqual([
    ["a", "building", null],
    ["b", "waiting", null],
    ["c", "waiting", { for: "slot" }],
  ]);
  await exec("UPDATE runs SET finished_at = 9, status = 'failed' WHERE run_id = 'r'");
  expect((await readBoard(layout)).features.map(({ id }) => id)).toEqual(["a"]);
});

test("specifications in the object store are found; runs of other protocols have none", async () => {
  const { layout, records, exec } = await database([], run("r", null));
  const ids = Array.from({ length: 900 }, (_, index) => `feature_with_a_rather_long_name_${String(index).padStart(4, "0")}`);
  const bytes = Buffer.from(JSON.stringify(specs(...ids)));
  await exec(started({ $blob: await records.objects.put(bytes), bytes: bytes.length }));
  expect((await readBoard(layout)).features).toHaveLength(900);
  for (const input of [{}, { specs: 3 }, { specs: [null, { feature_id: "x" }] }, { specs: [{ name: "x" }] }]) {
    await exec(`UPDATE events SET payload = '${JSON.stringify({ input })}' WHERE stream = 'r'`);
    expect((await readBoard(layout)).features).toEqual([]);
  }
});

test("shows the running step, the newest gate and whether it is of the current tree, and locks that are in force", async () => {
  const operation = (id: string, status: string, claimed: boolean) =>
    `INSERT INTO operations (id, name, actor_type, actor_id, input_digest, status, claim, started_at) VALUES ('${id}', 'gates.run', 'system', 's', 'd', '${status}', ${claimed ? "'c'" : "NULL"}, 7)`;
  const gate = (id: string, tree: string, status: string, at: number) =>
    `INSERT INTO gate_runs (id, feature_id, profile, mode, tree, status, steps, at) VALUES ('${id}', 'a', 'default', 'full', '${tree}', '${status}', '[]', ${at})`;
  const { layout } = await database(
    ["a", "b"],
    operation("r/feature:a/gates:full:qa-1", "started", true),
    operation("r/feature:b/gates:fast:1", "started", false),
    operation("r/feature:b/builder:1", "finished", true),
    operation("from an MCP client", "started", true),
    gate("1", "t", "pass", 1),
    gate("2", "older", "fail", 2),
    gate("3", "t", "cancelled", 3),
    lock("api", "a", NOW + HOUR_MS),
    lock("db", "a", NOW - HOUR_MS),
  );
  const window = await openBoardReader(layout);
  const { features, locks } = window.read();
  expect(features).toMatchObject([
    {
      id: "a",
      at_work: { step: "gates:full:qa-1", since: 7 },
      last_gate: { mode: "full", passed: false, current: false, at: 2 },
      locks: ["api"],
    },
    { id: "b", at_work: null, last_gate: null, locks: [] },
  ]);
  expect(locks.map(({ resource, holder }) => [resource, holder])).toEqual([
    ["api", "a"],
    ["db", "a"],
  ]);
  expect(window.read().features).toEqual(features);
  window.close();
});

test("a database of an earlier version with fewer tables is read and not changed", async () => {
  const { layout, exec } = await database(["a"]);
  await exec("DROP TABLE blocked_queue; DROP TABLE waits; DROP TABLE operations;");
  expect((await readBoard(layout)).features).toMatchObject([{ id: "a", waits_for: null, at_work: null }]);
});

test("report.dashboard has the same data for every feature", async () => {
  const gate = `INSERT INTO gate_runs (id, feature_id, profile, mode, tree, status, steps, at) VALUES ('1', 'a', 'default', 'full', 't', 'fail', '[]', 3)`;
  const cost = `INSERT INTO telemetry (id, run_id, feature_id, role, provider, input_tokens, output_tokens, cost_usd, duration_ms, calls, at) VALUES ('1', 'r', 'a', 'qa', 'replay', 1, 1, 0.25, 1, 1, 1)`;
  const merge = `INSERT INTO merges (feature_id, commit_sha, feature_commit, tree, base_branch, base_before, strategy, change, approval_id, approved_by, at) VALUES ('b', 'c0ffee', 'f', 't', 'main', 'b', 'squash', 'x', 'i', 'kim', 4)`;
  const statements = [
    gate,
    cost,
    merge,
    lock("api", "a", NOW + HOUR_MS),
    lock("db", "a", NOW - HOUR_MS),
    question("a", "approval"),
    run("r", null),
    run("r/feature:d", "r"),
    "UPDATE runs SET finished_at = 6 WHERE run_id = 'r/feature:d'",
    started(specs("a", "b", "c", "d")),
  ];
  const { layout, records } = await database(["a", "b"], ...statements);
  const told = await dashboard({ sqlite: records.database.sqlite, layout, clock: { ...records.clock, now: () => NOW } });
  const seen = (await readBoard(layout)).features;
  const shared = ({ status, last_gate, locks, cost_usd, merged_as }: (typeof seen)[number] | (typeof told.features)[number]) => ({
    status,
    last_gate,
    locks,
    cost_usd,
    merged_as,
  });
  expect(
    seen.map((feature) => ({
      id: feature.id,
      reason: feature.status === "waiting" ? "waits for a free slot" : feature.reason,
      ...shared(feature),
    })),
  ).toEqual(told.features.map((feature) => ({ id: feature.feature_id, reason: feature.status_reason, ...shared(feature) })));
  expect(seen.map(({ waits_for }) => (waits_for?.for === "person" ? waits_for.question : null))).toEqual(
    told.features.map(({ question: asked }) => asked?.id ?? null),
  );
});
