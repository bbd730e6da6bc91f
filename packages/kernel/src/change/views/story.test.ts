import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { layoutAt } from "../../host/layout.ts";
import { openRecords } from "../../open-records.ts";
import { storyOf } from "./story.ts";

async function story(...statements: readonly string[]) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "slipway-story-")));
  const records = await openRecords({ layout: layoutAt(root) });
  onTestFinished(async () => {
    await records.close();
    rmSync(root, { recursive: true });
  });
  await records.database.sqlite.exclusive((database) => {
    database.exec("PRAGMA foreign_keys = OFF");
    for (const statement of statements) database.exec(statement);
  });
  return storyOf(records);
}

const operation = (feature: string, step: string, name: string, at: number, failure: object | null) =>
  `INSERT INTO operations (id, name, actor_type, actor_id, input_digest, status, started_at, failure)
   VALUES ('r/feature:${feature}/${step}', '${name}', 'system', 's', 'd', '${failure === null ? "finished" : "failed"}', ${at}, ${failure === null ? "NULL" : `'${JSON.stringify(failure)}'`})`;
const merged = (feature: string, at: number) =>
  `INSERT INTO merges (feature_id, commit_sha, feature_commit, tree, base_branch, base_before, strategy, change, approval_id, approved_by, at)
   VALUES ('${feature}', 'c', 'f', 't', 'main', 'b', 'squash', 'x', '${feature}', 'kim', ${at})`;
const planned = (feature: string, at: number) =>
  `INSERT INTO plans (feature_id, plan_version, plan, accepted_at) VALUES ('${feature}', 1, '{}', ${at})`;
const collision = { code: "collision_detected", details: { conflicting_feature_ids: ["a"], collisions: [{ resource: "src/x.ts" }] } };
const check = (id: string, status: string, at: number) =>
  `INSERT INTO checks (id, run_id, feature_id, name, kind, tree, status, produced_by, at) VALUES ('${id}', 'r', 'a', 'full', 'mode', 't', '${status}', 'harness', ${at})`;
const lock = (holder: string) =>
  `INSERT INTO locks (resource, token, holder, ttl_ms, acquired_at, expires_at) VALUES ('db', 1, ${holder}, 1, 1, 1)`;
const taken = `INSERT INTO events (stream, seq, kind, name, key, at, payload, prev, hash)
   VALUES ('repository', 1, 'operation', 'locks.acquire', 'k', 1, '{"event":{"feature_id":"a","resources":["db"]}}', '', 'h')`;
const outside = { code: "policy_violation", details: { violations: [{ rule: "not_in_files_modify", path: "src/x.ts" }] } };

test("a feature waited only if the colliding features had landed before its plan was accepted, and it landed itself", async () => {
  const refused = operation("b", "plan:1", "plan.submit", 1, collision);
  const fact = { fact: "waited", feature_id: "b", for: ["a"], over: ["src/x.ts"] };
  expect(await story(refused, merged("a", 2), planned("b", 2), merged("b", 3))).toEqual([fact]);
  expect(await story(refused, merged("a", 2), planned("b", 1), merged("b", 3))).toEqual([]);
  expect(await story(refused, planned("b", 2), merged("b", 3))).toEqual([]);
  expect(await story(refused, merged("a", 2), planned("b", 2))).toEqual([]);
  expect(await story(operation("b", "plan:1", "plan.submit", 1, { code: "policy_violation", details: {} }), merged("b", 3))).toEqual([]);
});

test("a lock was held until the merge only if the feature has merged and the lock is free", async () => {
  expect(await story(taken, lock("NULL"), merged("a", 2))).toEqual([{ fact: "locked", feature_id: "a", resources: ["db"] }]);
  expect(await story(taken, lock("'a'"), merged("a", 2))).toEqual([]);
  expect(await story(taken, lock("NULL"))).toEqual([]);
});

test("a patch was refused and then kept to the plan only if a later one was applied", async () => {
  const refused = operation("a", "patch:1", "repo.apply_patch", 1, outside);
  expect(await story(refused, operation("a", "patch:2", "repo.apply_patch", 2, null))).toEqual([
    { fact: "refused", feature_id: "a", paths: ["src/x.ts"] },
  ]);
  expect(await story(refused, operation("b", "patch:1", "repo.apply_patch", 2, null))).toEqual([]);
  const conflict = operation("a", "patch:1", "repo.apply_patch", 1, { code: "patch_apply_failed", details: {} });
  expect(await story(conflict, operation("a", "patch:2", "repo.apply_patch", 2, null))).toEqual([]);
});

test("a gate was repaired only if it passed in the end", async () => {
  const [fact] = await story(check("1", "fail", 1), check("2", "fail", 2), check("3", "pass", 3));
  expect(fact).toEqual({ fact: "repaired", feature_id: "a", mode: "full", failures: 2 });
  expect(await story(check("1", "pass", 1), check("2", "fail", 2))).toEqual([]);
  expect(await story(check("1", "pass", 1))).toEqual([]);
});
