import { cpSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { POLICY } from "@slipway/kernel/change/testing/scratch-kernel";
import { layoutAt } from "@slipway/kernel/host/layout";
import { rowDigest } from "@slipway/kernel/record/facts/collect";
import { eventHash, type JournalEvent } from "@slipway/durable/chain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { slipway } from "./cli.ts";
import { replacing } from "./patches.ts";
import { connect } from "./server.ts";
import { openSite, type Site } from "./site.ts";

const WITHOUT_APPROVAL = POLICY.replace("merge_policy: {", "merge_policy: { require_user_approval: false,");
const MERGE = { commit_message: "Letters", merge_strategy: "squash" };

/** Built by tools alone; its gates have run. */
async function built(site: Site, path: string, text: string): Promise<string> {
  const feature_id = await site.feature({ files: { create: [], modify: [path], delete: [] } });
  await site.builder.ok("repo.apply_patch", { feature_id, unified_diff: replacing(path, "one", text) });
  for (const mode of ["fast", "full"]) await site.builder.call("gates.run", { feature_id, profile: "default", mode });
  return feature_id;
}

async function readyToMerge(site: Site, path: string): Promise<string> {
  const feature_id = await built(site, path, "two");
  for (const status of ["qa", "ready_to_merge"]) {
    const { version } = await site.state(feature_id);
    const patch = { status, status_reason: "passed" };
    await site.orchestrator.ok("feature.state_patch", { feature_id, expected_version: version, patch });
  }
  return feature_id;
}

const main = ({ yard }: Site) => yard.git("rev-parse", "main").trim();

/** Every way to merge, to approve, to read evidence and to verify, after rows were changed. */
async function assertNoticed(site: Site, feature_id: string, key: string, reason: string): Promise<void> {
  const before = main(site);
  const { code } = await site.orchestrator.refused("feature.ready_to_merge", { feature_id, ...MERGE });
  expect(code).toBe("evidence_tampered");
  for (const argv of [
    ["approve", feature_id],
    ["evidence", feature_id],
    ["evidence", feature_id, "--format", "in-toto"],
  ]) {
    const { code: exit, stdout, stderr } = await slipway(site.yard, argv);
    expect(exit, stderr).not.toBe(0);
    expect(stderr).toContain("evidence_tampered");
    expect(stderr).toContain("of checks was");
    expect(stdout).not.toContain("payload");
  }
  await assertNamed(site, key, reason);
  expect(main(site)).toBe(before);
}

async function assertNamed({ yard }: Site, key: string, reason: string): Promise<void> {
  const { code, stdout } = await slipway(yard, ["journal", "verify", "--json"]);
  expect(code).toBe(3);
  const { ok, rows } = JSON.parse(stdout) as { ok: boolean; rows: { key: string; reason: string }[] };
  expect(ok).toBe(false);
  expect(rows.map((row) => `${row.key} ${row.reason}`)).toContain(`${key} ${reason}`);
}

async function assertWhole({ yard }: Site): Promise<void> {
  const { code, stdout } = await slipway(yard, ["journal", "verify"]);
  expect(code, stdout).toBe(0);
}

describe.each([
  ["with an approval", POLICY],
  ["without one", WITHOUT_APPROVAL],
])("a merge %s", (_what, policy) => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite({ files: { "slipway/policy.yaml": policy, "src/b.txt": "one\n" } });
  });
  afterAll(() => site.close());

  test("B17: a failed gate that is turned into a passed one by writing to the database merges nothing, and is named", async () => {
    const feature = await built(site, "src/a.txt", "BUG");
    const [run] = site.yard.sql(`SELECT id FROM checks WHERE feature_id = '${feature}' AND kind = 'mode' AND name = 'full'`) as {
      id: string;
    }[];
    const id = run?.id ?? "none";
    site.yard.sql(`UPDATE checks SET status = 'pass', exit_code = 0 WHERE feature_id = '${feature}'`);
    site.yard.sql(
      `UPDATE features SET status = 'ready_to_merge', gates = '{"plan":"pass","fast":"pass","full":"pass"}' WHERE id = '${feature}'`,
    );
    await assertNoticed(site, feature, id, "changed");
    // Invented runs instead of changed ones: the failed ones are back as they were.
    site.yard.sql(
      `UPDATE checks SET status = 'fail', exit_code = CASE kind WHEN 'mode' THEN NULL ELSE 1 END WHERE feature_id = '${feature}'`,
    );
    await assertWhole(site);
    site.yard.sql(
      `INSERT INTO checks SELECT 'invented ' || name, run_id, feature_id, name, kind, tree, 'pass', NULL, counts, NULL, produced_by, at + 1 FROM checks WHERE feature_id = '${feature}' AND kind = 'mode'`,
    );
    await assertNoticed(site, feature, "invented full", "invented");
    site.yard.sql("DELETE FROM checks WHERE id LIKE 'invented %'");
    await assertWhole(site);
    const honest = await site.orchestrator.refused("feature.ready_to_merge", { feature_id: feature, ...MERGE });
    expect(honest.code).toBe("gate_failed");
  });
});

describe("evidence of a merge", () => {
  let site: Site;
  let feature: string;
  beforeAll(async () => {
    site = await openSite({ files: { "slipway/policy.yaml": POLICY } });
    feature = await readyToMerge(site, "src/a.txt");
    const merge = { feature_id: feature, ...MERGE };
    await site.orchestrator.refused("feature.ready_to_merge", merge);
    const { stdout } = await slipway(site.yard, ["approve", feature, "--json"]);
    const { token: user_approval_token } = JSON.parse(stdout) as { token: string };
    await site.orchestrator.ok("feature.ready_to_merge", { ...merge, user_approval_token });
  });
  afterAll(() => site.close());

  const sign = () => slipway(site.yard, ["evidence", feature, "--format", "in-toto"]);

  test("B17: is signed as long as every row is as the journal recorded it", async () => {
    await assertWhole(site);
    const { code, stdout } = await sign();
    expect(code).toBe(0);
    const { payload } = JSON.parse(stdout) as { payload: string };
    expect(JSON.parse(Buffer.from(payload, "base64").toString())).toMatchObject({ predicate: { feature, approval: { by: "kim" } } });
  });

  test.each([
    [
      "an invented check",
      `INSERT INTO checks SELECT 'audit', run_id, feature_id, 'security-audit', 'mode', tree, 'pass', 0, '{"tests":9999}', NULL, produced_by, at FROM checks LIMIT 1`,
      "DELETE FROM checks WHERE id = 'audit'",
      /^audit invented$/,
    ],
    [
      "another approver",
      "UPDATE approvals SET approved_by = 'the security officer'",
      "UPDATE approvals SET approved_by = 'kim'",
      /^approval_.* changed$/,
    ],
    ["another merged tree", "UPDATE merges SET tree = 'x' || tree", "UPDATE merges SET tree = substr(tree, 2)", /^feature-1 changed$/],
    [
      "a check that was removed",
      "CREATE TABLE aside AS SELECT * FROM checks WHERE kind = 'mode'",
      "INSERT INTO checks SELECT * FROM aside",
      /missing$/,
    ],
  ])("B17: is not signed with %s", async (_what, change, back, named) => {
    site.yard.sql(change);
    if (change.startsWith("CREATE")) site.yard.sql("DELETE FROM checks WHERE kind = 'mode'");
    const { code, stdout, stderr } = await sign();
    expect(code).not.toBe(0);
    expect(stdout).toBe("");
    expect(stderr).toContain("evidence_tampered");
    const verified = await slipway(site.yard, ["journal", "verify", "--json"]);
    expect(verified.code).toBe(3);
    const { rows } = JSON.parse(verified.stdout) as { rows: { key: string; reason: string }[] };
    expect(rows.map(({ key, reason }) => `${key} ${reason}`)).toContainEqual(expect.stringMatching(named));
    site.yard.sql(back);
    await assertWhole(site);
  });
});

/** Makes every event from this one on say what the rows say, with correct hashes, as one with the program's own code could. */
function rewriteChain(file: string, from: number): void {
  const database = new DatabaseSync(file);
  const events = database.prepare("SELECT * FROM events WHERE stream = 'repository' ORDER BY seq").all() as unknown as JournalEvent[];
  let prev = events.find(({ seq }) => seq === from)?.prev ?? "";
  for (const { hash: _hash, ...event } of events.filter(({ seq }) => seq >= from)) {
    const payload = JSON.parse(event.payload) as { facts?: { checks?: Record<string, string> }; note?: string };
    if (event.seq === from) payload.note = "rewritten";
    for (const id of Object.keys(payload.facts?.checks ?? {})) {
      const row = database.prepare("SELECT * FROM checks WHERE id = ?").get(id);
      if (row !== undefined && payload.facts?.checks !== undefined) payload.facts.checks[id] = rowDigest(row);
    }
    const next = { ...event, payload: JSON.stringify(payload), prev };
    prev = eventHash(next);
    database
      .prepare("UPDATE events SET payload = ?, prev = ?, hash = ? WHERE stream = 'repository' AND seq = ?")
      .run(next.payload, next.prev, prev, event.seq);
  }
  database.prepare("UPDATE heads SET hash = ? WHERE stream = 'repository'").run(prev);
  database.close();
}

test("B17: a chain that is rewritten with correct hashes, in part or from its first event, merges and signs nothing", async () => {
  const site = await openSite({ files: { "slipway/policy.yaml": WITHOUT_APPROVAL } });
  const { yard } = site;
  const database = layoutAt(yard.root).database;
  const feature = await built(site, "src/a.txt", "BUG");
  await Promise.all([site.orchestrator.close(), site.builder.close()]);
  const [first] = yard.sql(`SELECT min(seq) AS seq FROM events WHERE name = 'gates.run'`) as { seq: number }[];
  const kept = join(dirname(database), "kept.db");
  yard.sql("PRAGMA wal_checkpoint(TRUNCATE)");
  cpSync(database, kept);
  for (const from of [first?.seq ?? 0, 1]) {
    yard.sql(`UPDATE checks SET status = 'pass', exit_code = 0 WHERE feature_id = '${feature}'`);
    yard.sql(`UPDATE features SET status = 'ready_to_merge' WHERE id = '${feature}'`);
    rewriteChain(database, from);
    const before = main(site);
    const { code, stdout } = await slipway(yard, ["journal", "verify"]);
    expect(code).toBe(3);
    expect(stdout).toContain("BROKEN  repository: rolled_back");
    expect(await slipway(yard, ["evidence", feature, "--format", "in-toto"])).toMatchObject({
      stdout: "",
      stderr: expect.stringContaining("journal_broken"),
    });
    const server = await connect(yard, "orchestrator").catch(() => null);
    if (server !== null) {
      expect((await server.refused("feature.ready_to_merge", { feature_id: feature, ...MERGE })).code).toBe("journal_broken");
      await server.close();
    }
    expect(main(site)).toBe(before);
    for (const suffix of ["-wal", "-shm"]) rmSync(`${database}${suffix}`, { force: true });
    cpSync(kept, database);
  }
  yard.remove();
});
