import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import type { FeatureResult } from "../../change/feature-run.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { implementation, partFile, partText, sectionOf } from "../testing/answers.ts";
import { openForgeScene, type ForgeScene } from "../testing/forge-scene.ts";

const BUG = partText("BUG");

describe("a task that fails its first verification, before a second wave", () => {
  let scene: ForgeScene;
  let result: FeatureResult;
  let base = "";

  beforeAll(async () => {
    scene = await openForgeScene({
      tasks: 3,
      waves: [[1, 2], [3]],
      script: { "implementer/task-02-w1-i1": implementation({ [partFile(2)]: BUG }) },
    });
    base = scene.scratch.git("rev-parse", "HEAD").trim();
    result = await scene.finish();
  }, 60_000);
  afterAll(() => scene.close());

  const from = (first: string) => {
    const all = scene.dispatched();
    return all.slice(all.indexOf(first));
  };

  test("[FOR-094][FOR-157] the planner gets the findings, and only that task is implemented and verified again", () => {
    expect(result.status).toBe("merged");
    const replan = scene.sent.find(({ attempt }) => attempt === "replan-w1-i1.1");
    expect(replan?.prompt).toMatch(/tests-fast-check failed \(sh check\.sh\)/);
    expect(from("planner replan-w1-i1.1").slice(0, 3)).toEqual([
      "planner replan-w1-i1.1",
      "implementer task-02-w1-i2.1",
      "verifier task-02-w1-i2.1",
    ]);
  });

  test("[FOR-036] a wave is implemented and verified before the next one is dispatched", () => {
    const order = scene.dispatched().filter((name) => /^(?:implementer|verifier)/.test(name));
    const sorted = [...order.slice(0, 2).toSorted(), ...order.slice(2, 4).toSorted(), ...order.slice(4)];
    expect(sorted).toEqual([
      "implementer task-01-w1-i1.1",
      "implementer task-02-w1-i1.1",
      "verifier task-01-w1-i1.1",
      "verifier task-02-w1-i1.1",
      "implementer task-02-w1-i2.1",
      "verifier task-02-w1-i2.1",
      "implementer task-03-w2-i1.1",
      "verifier task-03-w2-i1.1",
    ]);
  });

  test("[FOR-082] the passes of the first iteration do not count in the second: each has its own round", async () => {
    const rows = (await scene.checks()).filter(({ task_id, phase }) => task_id === "task-02" && phase === "after");
    expect(rows.map(({ round, check_name, passed }) => [round, check_name, passed])).toEqual([
      [1, "diagnostics-json", 1],
      [1, "syntax-json", 1],
      [1, "tests-fast-check", 0],
      [2, "diagnostics-json", 1],
      [2, "syntax-json", 1],
      [2, "tests-fast-check", 1],
    ]);
  });

  test("[FOR-081][FOR-091] the baseline of a task is recorded once, on the base, also for a repeated task", async () => {
    const rows = (await scene.checks()).filter(({ phase }) => phase === "baseline");
    expect(rows.map(({ task_id, check_name, passed }) => `${task_id} ${check_name} ${passed}`)).toEqual(
      ["task-01", "task-02", "task-03"].flatMap((id) => [`${id} diagnostics-paths 1`, `${id} tests-fast-check 1`]),
    );
  });

  test("[FOR-090] later waves and iterations leave the tag where it is", async () => {
    const tagged = scene.scratch.git("for-each-ref", "--format=%(refname:short) %(objectname)", "refs/tags").trim();
    expect(tagged).toBe(`pipeline-baseline-${(await scene.runId()).replaceAll(":", "-")} ${base}`);
    expect((await scene.steps()).filter(({ name }) => name.startsWith("baseline-tag"))).toHaveLength(1);
  });
});

describe("two tasks that fail three verifications", () => {
  let scene: ForgeScene;
  let result: FeatureResult;
  let base = "";

  beforeAll(async () => {
    scene = await openForgeScene({
      tasks: [{ number: 1 }, { number: 2, path: "src/a.txt", operation: "modify", risk: "🟡" }, { number: 3 }],
      script: {
        implementer: ({ attempt }) => {
          if (/-revert-/.test(attempt) || attempt.startsWith("task-01")) return undefined;
          const text = partText(`BUG ${attempt}`);
          return implementation({ [attempt.startsWith("task-02") ? "src/a.txt" : partFile(3)]: text });
        },
      },
    });
    base = scene.scratch.git("rev-parse", "HEAD").trim();
    result = await scene.finish();
  }, 60_000);
  afterAll(() => scene.close());

  test("[FOR-094][FOR-134][FOR-139] replan, then revert and replan, then revert and go on: three iterations and no fourth", async () => {
    expect((await scene.rows()).filter((row) => row >= 10 && row <= 14)).toEqual([10, 11, 14, 10, 11, 13, 10, 11, 13]);
    const builds = scene.dispatched().filter((name) => name.startsWith("implementer task-02"));
    expect(builds.map((name) => name.replace("implementer task-02-", ""))).toEqual([
      "w1-i1.1",
      "w1-i2.1",
      "revert-w1-i2.1",
      "w1-i3.1",
      "revert-w1-i3.1",
    ]);
    expect(scene.dispatched().filter((name) => name.startsWith("planner"))).toHaveLength(3);
  });

  test("[FOR-095] the implementer is dispatched in revert mode with the task's files and the tag", async () => {
    const revert = scene.sent.find(({ attempt }) => attempt === "task-02-revert-w1-i2.1");
    const shown = revert === undefined ? "" : sectionOf(revert, "revert");
    expect(shown).toContain("mode: revert");
    expect(shown).toContain("- src/a.txt");
    expect(shown).toContain(`baseline_tag: pipeline-baseline-${(await scene.runId()).replaceAll(":", "-")}`);
  });

  test("[FOR-096] the files are restored from the tag, new ones deleted, and each revert has its row", async () => {
    expect(readFileSync(scene.worktree("src/a.txt"), "utf8")).toBe("one\n");
    expect(existsSync(scene.worktree(partFile(3)))).toBe(false);
    const rows = (await scene.checks()).filter(({ check_name }) => check_name.startsWith("revert-"));
    expect(rows.map(({ check_name, phase, passed, round }) => [check_name, phase, passed, round])).toEqual([
      ["revert-task-02", "after", 0, 2],
      ["revert-task-03", "after", 0, 2],
      ["revert-task-02", "after", 0, 3],
      ["revert-task-03", "after", 0, 3],
    ]);
  });

  test("[FOR-092] a check that passed on the base and fails is a regression in the report, and counted in the bundle", () => {
    expect(scene.file("verification-reports/task-02.yaml")).toMatch(/regressions:\n +- check_name: tests-fast-check/);
    expect(scene.file("evidence-bundle.md")).toMatch(/\| task-02 \| Part 2 \| Standard \| 3 \| 1 \| 1 \| 1 \|/);
  });

  test("[FOR-045][FOR-114][FOR-136] confidence is Low: nothing is committed, and the rest stays staged in the worktree", () => {
    expect(result).toMatchObject({ status: "failed", landing: null });
    expect(result.words?.join("\n")).toMatch(/confidence: Low[^]*known issue \(Major\): task-02/);
    expect(scene.scratch.git("rev-parse", "main").trim()).toBe(base);
    const staged = execFileSync("git", ["diff", "--cached", "--name-only"], { cwd: scene.worktree(), encoding: "utf8" });
    expect(staged.trim()).toBe(partFile(1));
  });

  test("[FOR-044] the bundle's command restores the worktree from the tag, without a commit", () => {
    const bundle = scene.file("evidence-bundle.md");
    expect(bundle).not.toContain("git revert --no-commit");
    const [command = ""] = /git --literal-pathspecs restore [^`\n]+/.exec(bundle) ?? [];
    execFileSync("sh", ["-c", command], { cwd: scene.worktree(), stdio: "pipe" });
    expect(execFileSync("git", ["diff", "--cached", "--name-only", base], { cwd: scene.worktree(), encoding: "utf8" })).toBe("");
  });

  test("[FOR-042][FOR-048] the code review, the knowledge agent and the bundle still come", async () => {
    expect((await scene.rows()).slice(-3)).toEqual([15, 18, 20]);
    expect(scene.dispatched().at(-1)).toBe("knowledge-agent knowledge.1");
    expect(scene.file("evidence-bundle.md")).toContain("Low");
  });
});
