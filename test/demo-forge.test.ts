import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { cassetteFiles, recordedCassette } from "./demo-author.ts";
import { FORGE_CASSETTE } from "./demo-forge/author.ts";
import { canGoOffline, demoCommand } from "./demo-offline.ts";

const home = realpathSync(mkdtempSync(join(tmpdir(), "slipway-demo-forge-test-")));
const folder = join(home, "repository");
const env = {
  PATH: process.env["PATH"],
  HOME: home,
  XDG_CONFIG_HOME: join(home, "config"),
  XDG_STATE_HOME: join(home, "state"),
  USER: "kim",
};

interface ForgeSummary {
  readonly status: string;
  readonly commit: string;
  readonly dispatches: number;
  readonly rows: Readonly<Record<string, number>>;
  readonly reverted: readonly string[];
  readonly blocked: { readonly status: string; readonly words: readonly string[]; readonly verdicts: readonly string[] };
}

interface Recorded {
  readonly stream: string;
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
}

test("the cassette of forge is what its author writes", () => {
  // A role's answer has changed: `npm run record:demo-forge`.
  expect(recordedCassette("forge")).toEqual(cassetteFiles(FORGE_CASSETTE));
});

describe.skipIf(!canGoOffline)("the demo of forge, without any network", () => {
  let summary: ForgeSummary;
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, env, encoding: "utf8" });
  const runs = () => join(folder, ".slipway", "runs");
  const runOf = (part: string) => join(runs(), readdirSync(runs()).find((name) => name.includes(part)) ?? "");

  /** The recorded steps of the first run, in order. */
  function steps(part: RegExp): Recorded[] {
    const lines = readFileSync(join(runOf("fractions"), "journal.jsonl"), "utf8")
      .trimEnd()
      .split("\n");
    const events = lines.map((line) => JSON.parse(line) as { event: string; data: { stream: string; name: string; payload: object } });
    const found = events.filter(({ event, data }) => event === "step" && part.test(data.name));
    return found.map(({ data: { stream, name, payload } }) => ({ stream, name, value: {}, ...payload }));
  }

  beforeAll(() => {
    const output = execFileSync(...demoCommand("forge", folder), {
      cwd: home,
      env,
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    });
    summary = JSON.parse(output.trim().split("\n").at(-1) ?? "") as ForgeSummary;
  }, 240_000);

  test("[FOR-158] a whole autonomous run ends merged, with one task reverted and given up", () => {
    expect(summary).toMatchObject({ status: "merged", reverted: ["task-02"] });
    expect(summary.dispatches).toBeGreaterThan(20);
    expect(git("rev-parse", "main").trim()).toBe(summary.commit);
    expect(git("log", "-1", "--format=%s", "main").trim()).toBe("feat(print-fractions-shopping-lists): pipeline complete");
    expect(git("ls-tree", "-r", "--name-only", "main")).toMatch(/src\/fraction\.js/);
    expect(git("ls-tree", "-r", "--name-only", "main")).not.toMatch(/shopping/);
  });

  test("[FOR-158] its run folder has the outputs of each step, and the bundle the command to take it back", () => {
    const place = runOf("fractions");
    for (const path of [
      "initial-request.md",
      "spec-output.yaml",
      "design-output.yaml",
      "plan-output.yaml",
      "knowledge-output.yaml",
      "decisions.yaml",
    ])
      expect(readFileSync(join(place, path), "utf8"), path).not.toBe("");
    expect(readFileSync(join(place, "evidence-bundle.md"), "utf8")).toMatch(/git revert --no-commit pipeline-baseline-\S+\.\.HEAD/);
  });

  test("[FOR-033] the design is sent back once, and its second round is approved", () => {
    const design = steps(/^forge-route:/).filter(({ value }) => /^(?:the design|design review)/.test(String(value["input"])));
    expect(design.map(({ value }) => [value["row"], value["input"]])).toEqual([
      [6, "the design"],
      [8, "design review, round 1"],
      [6, "the design, revision 1"],
      [7, "design review, round 2"],
    ]);
    expect(readFileSync(join(runOf("fractions"), "review-verdicts", "design.yaml"), "utf8")).toMatch(/round: 2/);
  });

  test("one answer is sent back: a reviewer cites a check that never ran", () => {
    const returned = steps(/^forge-agent:/).filter(({ value }) => value["sentBack"] !== undefined);
    expect(returned.map(({ name, value }) => [name, value["sentBack"]])).toEqual([
      ["forge-agent:adversarial-reviewer:code-correctness-r1.1", [expect.stringContaining("the check end-to-end of task-01 never ran")]],
    ]);
    expect(steps(/^forge-agent:.*\.2$/)).toEqual([]);
  });

  test("[FOR-094][FOR-095] task-02 fails a check, is planned again, fails again, and is restored from the baseline tag", () => {
    const verified = steps(/^forge-route:/).filter(({ value }) => String(value["input"]).startsWith("verification"));
    expect(verified.map(({ value }) => [value["row"], value["action"]])).toEqual([
      [14, { type: "replan", tasks: ["task-02"] }],
      [13, { type: "revert", tasks: ["task-02"], next: "replan" }],
    ]);
    const [reverted, ...more] = steps(/^forge-revert:/);
    expect(more).toEqual([]);
    expect(reverted?.value).toMatchObject({ ok: true, value: { deleted: ["src/shopping.js", "test/shopping.test.js"] } });
    expect(steps(/^revert-row:task-02/)[0]?.value).toMatchObject({ check_name: "revert-task-02" });
  });

  test("[FOR-105] one blocker ends the second run in the design review, and its outputs stay", () => {
    expect(summary.blocked.status).toBe("failed");
    expect(summary.blocked.words[0]).toMatch(/^ERROR in step 3b/);
    expect(summary.blocked.verdicts.filter((verdict) => verdict.endsWith(": approve"))).toHaveLength(2);
    const place = runOf("import");
    expect(readFileSync(join(place, "design-output.yaml"), "utf8")).toContain("alt-1");
    expect(readdirSync(place)).not.toContain("plan-output.yaml");
  });

  test("the merged program passes its own tests", () => {
    const { status, stdout } = spawnSync(process.execPath, ["--test"], { cwd: folder, env, encoding: "utf8" });
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^ℹ fail 0$/m)]);
  });
});
