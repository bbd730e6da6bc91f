import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openDatabase } from "../../open-database.ts";
import { MIGRATIONS } from "../../migrations.ts";
import { othersClaims } from "./claims-store.ts";
import { planOf, policyOf } from "./testing/samples.ts";

test("plans that an earlier release accepted still collide with new ones", async () => {
  const path = join(mkdtempSync(join(tmpdir(), "slipway-claims-")), "slipway.db");
  const before = MIGRATIONS.findIndex(({ name }) => name === "plan-claims");
  const old = await openDatabase({ path, migrations: MIGRATIONS.slice(0, before) });
  const words = {
    run_id: "",
    status_reason: "",
    branch: "",
    worktree: "",
    base_branch: "",
    base_commit: "",
    tree: "",
    spec_source: "",
    spec_digest: "",
    gate_profile: "",
    gates: "{}",
  };
  for (const [id, status] of [
    ["living", "building"],
    ["over", "merged"],
  ] as const) {
    await old.db
      .insertInto("features")
      .values({ id, status, ...words, version: 1, created_at: 0, updated_at: 0 })
      .execute();
    for (const plan_version of [1, 2]) {
      const files = { create: [], modify: [plan_version === 1 ? "src/first.ts" : "src/greet.ts"], delete: [] };
      const plan = JSON.stringify(planOf({ feature_id: id, plan_version, files }));
      await old.db.insertInto("plans").values({ feature_id: id, plan_version, plan, accepted_at: 0 }).execute();
    }
  }
  await old.close();
  const { db, close } = await openDatabase({ path });
  const plan = planOf({ feature_id: "new", files: { create: [], modify: ["src/greet.ts", "src/first.ts"], delete: [] } });
  const found = await db.transaction().execute((tx) => othersClaims(tx, plan, policyOf()));
  expect(found).toEqual([{ type: "file", resource: "src/greet.ts", feature_id: "living" }]);
  await close();
});
