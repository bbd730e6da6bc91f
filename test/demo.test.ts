import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { demoRows } from "./demo-records.ts";
import { canGoOffline, demoCommand } from "./demo-offline.ts";

const home = realpathSync(mkdtempSync(join(tmpdir(), "slipway-demo-test-")));
const folder = join(home, "repository");
const env = {
  PATH: process.env["PATH"],
  HOME: home,
  XDG_CONFIG_HOME: join(home, "config"),
  XDG_STATE_HOME: join(home, "state"),
  USER: "kim",
};
const FEATURES = ["currency_format", "discount_codes", "order_archive", "order_export", "stock_rules"];

const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, encoding: "utf8" }).trim();

const rows = (sql: string) => demoRows(folder, sql);

describe.skipIf(!canGoOffline)("the demo, without any network", () => {
  let output = "";
  let summary: { readonly merged: readonly { readonly feature_id: string; readonly commit: string; readonly tree: string }[] } & Record<
    string,
    unknown
  >;

  beforeAll(() => {
    output = execFileSync(...demoCommand("features", folder), {
      cwd: home,
      env,
      encoding: "utf8",
    });
    summary = JSON.parse(output.trim().split("\n").at(-1) ?? "") as typeof summary;
  }, 180_000);

  test("[FEA-006] [FEA-009] brings five specifications to five merges on main, one by one, and does not touch the user's branch", () => {
    expect(summary).toMatchObject({
      status: "completed",
      checks: { passed: expect.any(Number), failed: 2 },
      journal: { events: expect.any(Number), head: expect.stringMatching(/^[0-9a-f]{64}$/) },
      elapsed_ms: expect.any(Number),
    });
    // One object per line; the last has the whole result.
    expect(
      output
        .trim()
        .split("\n")
        .map((line) => typeof JSON.parse(line)),
    ).not.toContain("string");
    expect(summary.merged.map(({ feature_id }) => feature_id).toSorted()).toEqual(FEATURES);
    const landed = git("log", "--first-parent", "--reverse", "--format=%H %T", "main").split("\n").slice(1);
    expect(landed).toEqual(summary.merged.map(({ commit, tree }) => `${commit} ${tree}`));
    expect(git("symbolic-ref", "HEAD")).toBe("refs/heads/main");
    expect(git("status", "--porcelain")).toBe("");
    expect(
      git("worktree", "list", "--porcelain")
        .match(/^branch .*/gm)
        ?.toSorted(),
    ).toEqual(["main", ...FEATURES].map((name) => `branch refs/heads/${name}`).toSorted());
  });

  test("main works: its tests pass when run by hand", () => {
    const ran = execFileSync(process.execPath, ["--test"], {
      cwd: folder,
      encoding: "utf8",
      env: { ...env, NODE_TEST_CONTEXT: undefined },
    });
    expect(ran).toMatch(/^# pass 28$|^ℹ pass 28$/m);
  });

  test("two plans wanted one file: the second waited until the first had landed, and was then built on top of it", () => {
    const [collision] = rows(`
      SELECT json_extract(failure, '$.details.conflicting_feature_ids[0]') AS other, json_extract(failure, '$.details.collisions[0].resource') AS file
      FROM operations WHERE name = 'plan.submit' AND status = 'failed' AND id LIKE '%feature:stock_rules/%'`);
    expect(collision).toEqual({ other: "discount_codes", file: "src/cart.ts" });
    const [order] = rows(`
      SELECT (SELECT at FROM merges WHERE feature_id = 'discount_codes') <= (SELECT min(accepted_at) FROM plans WHERE feature_id = 'stock_rules') AS waited`);
    expect(order).toEqual({ waited: 1 });
    const first = summary.merged.find(({ feature_id }) => feature_id === "discount_codes")?.commit ?? "";
    expect(git("merge-base", "--is-ancestor", first, "refs/heads/stock_rules")).toBe("");
    expect(git("show", "main:src/cart.ts")).toMatch(/stock\?: Stock[^]*code\?: string/);
  });

  test("the lock of the migration was held by its feature only, and released with its merge", () => {
    expect(rows("SELECT resource, holder, token FROM locks")).toEqual([{ resource: "db_migrations", holder: null, token: 1 }]);
    const taken = rows(
      "SELECT DISTINCT json_extract(payload, '$.event.feature_id') AS id FROM events WHERE kind = 'operation' AND name = 'locks.acquire'",
    );
    expect(taken).toEqual([{ id: "order_archive" }]);
  });

  test("a patch outside its plan was refused, and nothing of it is on main", () => {
    const refused = rows(
      "SELECT id, json_extract(failure, '$.details.violations[0].path') AS path FROM operations WHERE name = 'repo.apply_patch' AND status = 'failed'",
    );
    expect(refused).toEqual([{ id: expect.stringMatching(/feature:order_export\/patch:1$/), path: "src/cart.ts" }]);
    expect(git("log", "--all", "--format=%H", "-S", "lineInCents", "--", "src/cart.ts")).toBe("");
  });

  test("one batch of tests failed the full gates, and the merged change passed them on exactly its tree", () => {
    expect(rows("SELECT feature_id, name FROM checks WHERE kind = 'mode' AND status = 'fail'")).toEqual([
      { feature_id: "currency_format", name: "full" },
    ]);
    for (const { feature_id, tree } of summary.merged) {
      const passed = rows(
        `SELECT DISTINCT name FROM checks WHERE kind = 'mode' AND status = 'pass' AND feature_id = '${feature_id}' AND tree = '${tree}' ORDER BY name`,
      );
      expect(passed, feature_id).toEqual([{ name: "fast" }, { name: "full" }]);
    }
  });

  test("every answer matches the prompt it was recorded for", () => {
    expect(output).not.toContain("was recorded for another prompt");
    expect(rows("SELECT count(*) AS calls FROM telemetry")).toEqual([{ calls: 17 }]);
  });

  test("the story matches the rows", () => {
    expect(summary["story"]).toEqual([
      { fact: "waited", feature_id: "stock_rules", for: ["discount_codes"], over: ["src/cart.ts"] },
      { fact: "locked", feature_id: "order_archive", resources: ["db_migrations"] },
      { fact: "refused", feature_id: "order_export", paths: ["src/cart.ts"] },
      { fact: "repaired", feature_id: "currency_format", mode: "full", failures: 1 },
    ]);
  });
});
