import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cassetteFiles, recordedCassette } from "./demo-author.ts";
import { canGoOffline, demoCommand } from "./demo-offline.ts";
import { COMPOSITION_CASSETTE } from "./demo-composition/author.ts";
import { demoRows } from "./demo-records.ts";

const home = realpathSync(mkdtempSync(join(tmpdir(), "slipway-demo-composition-test-")));
const folder = join(home, "repository");
const env = {
  PATH: process.env["PATH"],
  HOME: home,
  XDG_CONFIG_HOME: join(home, "config"),
  XDG_STATE_HOME: join(home, "state"),
  USER: "kim",
};

interface Summary {
  readonly status: string;
  readonly merged: readonly { readonly feature_id: string; readonly commit: string }[];
  readonly story: readonly object[];
}

let output = "";
let summary: Summary;
const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, env, encoding: "utf8" });

const rows = (sql: string) => demoRows(folder, sql);

/** Throws if the program ends with another exit code than 0. */
beforeAll(() => {
  output = execFileSync(...demoCommand("composition", folder), { cwd: home, env, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  summary = JSON.parse(output.trim().split("\n").at(-1) ?? "") as Summary;
}, 300_000);
afterAll(() => rmSync(home, { recursive: true, force: true }));

test("the cassette of the composition is what its author writes", () => {
  // A role's answer has changed: `npm run record:demo-composition`.
  expect(recordedCassette("composition")).toEqual(cassetteFiles(COMPOSITION_CASSETTE));
});

test("each specification is made by the protocol it names, and all are merged in one run", () => {
  expect(summary.status).toBe("completed");
  expect(summary.merged.map(({ feature_id }) => feature_id).toSorted()).toEqual(["a_catalogue", "b_fractions", "c_units"]);
  const workflows = new Set(
    output
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as { event?: string; name?: string })
      .filter(({ event }) => event === "completed")
      .map(({ name }) => name),
  );
  expect([...workflows]).toEqual(expect.arrayContaining(["feature", "forge-change", "crew-change", "features"]));
});

test.skipIf(!canGoOffline)("the whole composition runs without any network", () => {
  expect(summary).toMatchObject({ status: "completed", elapsed_ms: expect.any(Number) });
});

test("a plan that collides waits until the earlier feature has landed, and is then built on it", () => {
  const [refused] = rows(`
    SELECT json_extract(failure, '$.code') AS code, json_extract(failure, '$.details.conflicting_feature_ids') AS others,
      json_extract(failure, '$.details.collisions[0].resource') AS file
    FROM operations WHERE name = 'plan.submit' AND status = 'failed' AND id LIKE '%feature:b_fractions/%'`);
  expect(refused).toEqual({ code: "blocked_by_collision_policy", others: '["a_catalogue"]', file: "README.md" });
  const waits = rows(`
    SELECT name FROM events WHERE stream LIKE '%/feature:b_fractions' AND (name LIKE 'plan:%' OR name LIKE 'queued:%') ORDER BY seq`);
  expect(waits.map(({ name }) => name)).toEqual(["plan:plan-1", "queued:plan-1"]);
  const [order] = rows(`
    SELECT merged <= accepted AS accepted_after_merge, merged <= resumed AS resumed_after_merge FROM (SELECT
      (SELECT at FROM merges WHERE feature_id = 'a_catalogue') AS merged,
      (SELECT min(accepted_at) FROM plans WHERE feature_id = 'b_fractions') AS accepted,
      (SELECT at FROM events WHERE stream LIKE '%/feature:b_fractions' AND name = 'queued:plan-1') AS resumed)`);
  expect(order).toEqual({ accepted_after_merge: 1, resumed_after_merge: 1 });
  expect(summary.story).toContainEqual({ fact: "waited", feature_id: "b_fractions", for: ["a_catalogue"], over: ["README.md"] });
  const [catalogue] = summary.merged;
  expect(git("merge-base", "--is-ancestor", catalogue?.commit ?? "", "refs/heads/b_fractions")).toBe("");
  const readme = git("show", "main:README.md");
  expect([readme.includes("catalogue"), readme.includes("fractions")]).toEqual([true, true]);
});

test("the feature that waited merges last: the other two were approved while it could not go on", () => {
  expect(summary.merged.map(({ feature_id }) => feature_id)).toEqual(["a_catalogue", "c_units", "b_fractions"]);
  const landed = git("log", "--first-parent", "--reverse", "--format=%H", "main").trimEnd().split("\n").slice(1);
  expect(landed).toEqual(summary.merged.map(({ commit }) => commit));
  expect(git("log", "-1", "--format=%s", "main").trim()).toBe("feat(b_fractions): pipeline complete");
});

test("the files of each inner protocol are in a folder of its own below the run's", () => {
  const [run = ""] = readdirSync(join(folder, ".slipway", "runs"));
  const inside = readdirSync(join(folder, ".slipway", "runs", run)).filter(
    (name) => name.endsWith("_b_fractions") || name.endsWith("_c_units"),
  );
  expect(inside).toHaveLength(2);
  expect(readdirSync(join(folder, ".slipway", "runs", run, inside[0] ?? ""))).toContain("evidence-bundle.md");
});
