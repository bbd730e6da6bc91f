import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROGRAM } from "slipway/testing/program";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cassetteFiles, recordedCassette } from "./demo-author.ts";
import { COMPOSITION_CASSETTE } from "./demo-composition/author.ts";

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
}

let output = "";
let summary: Summary;
const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, env, encoding: "utf8" });

beforeAll(() => {
  const argv = [...PROGRAM, "demo", "composition", "--json", "--keep", folder];
  output = execFileSync(process.execPath, argv, { cwd: home, env, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
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

test("a plan that collides waits until the earlier feature has landed, and both texts are on the base", () => {
  const readme = git("show", "main:README.md");
  expect([readme.includes("catalogue"), readme.includes("fractions")]).toEqual([true, true]);
  expect(git("log", "--format=%s", "main")).toContain("feat(b_fractions): pipeline complete");
});

test("the files of each inner protocol are in a folder of its own below the run's", () => {
  const [run = ""] = readdirSync(join(folder, ".slipway", "runs"));
  const inside = readdirSync(join(folder, ".slipway", "runs", run)).filter(
    (name) => name.endsWith("_b_fractions") || name.endsWith("_c_units"),
  );
  expect(inside).toHaveLength(2);
  expect(readdirSync(join(folder, ".slipway", "runs", run, inside[0] ?? ""))).toContain("evidence-bundle.md");
});
