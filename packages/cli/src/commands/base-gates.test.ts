import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { POLICY } from "@slipway/kernel/change/testing/scratch-kernel";
import { sandboxWorksHere } from "@slipway/kernel/host/sandbox/testing/scratch";
import { describe, expect, test } from "vitest";
import { factoryProject } from "../testing/factory-project.ts";
import { answersFor, letters, type Project } from "../testing/project.ts";

const available = sandboxWorksHere();

const gates = (...cmd: string[]) => ({
  "slipway/gates.yaml": JSON.stringify({
    version: 1,
    profiles: { default: { modes: { fast: [{ name: "test", cmd }], full: [{ name: "test", cmd }] } } },
  }),
});

const calls = (project: Project) => project.sql("SELECT role FROM telemetry").map(({ role }) => role);
const trials = (project: Project) => project.sql("SELECT mode, status FROM trials ORDER BY at, id");
const resume = (project: Project) => project.slipway(["resume", "--cassette", project.cassette]);
const inbox = async (project: Project) => (await project.slipway(["inbox", "Q1"])).stdout;
const commit = (project: Project) => project.git("commit", "--quiet", "--all", "--message=repair");

describe.skipIf(!available)("gates on the base", () => {
  test.each([
    ["a module is missing", ["node", "-e", 'require("freezegun")'], "The package freezegun is not found."],
    ["a program is only on the PATH of one user", ["./vendor/no-such-program"], "A program is missing."],
    ["a network is needed", ["node", "-e", 'require("net").connect(5432, "127.0.0.1")'], "needs the network"],
  ])("B2: %s: a person is asked before any agent is called", async (_, cmd, cause) => {
    const project = letters(gates(...cmd));
    const ended = await project.run();
    expect(ended.code).toBe(23);
    expect(ended.stdout).toContain("The fast and full gates fail on main, before any change");
    expect(calls(project)).toEqual([]);
    const shown = await inbox(project);
    expect(shown).toContain('failed at step "test"');
    expect(shown).toContain(cause);
    expect(shown).toMatch(/next: \S/);
    expect(project.git("branch", "--list", "letters")).toBe("");
  });

  test("B2: C1: the question shows exit code, path and end of the log, redacted and without escape sequences", async () => {
    const project = letters(
      gates(
        "sh",
        "-c",
        "for i in $(seq 40); do echo line $i; done; printf 'ghp_0123456789abcdefghij0123456789abcdef \\033[31mred\\n'; exit 7",
      ),
    );
    await project.run();
    const shown = await inbox(project);
    expect(shown).toContain("exit code 7");
    expect(shown).toContain("| line 40");
    expect(shown).not.toContain("| line 20\n");
    expect(shown).toContain("[redacted]");
    expect(shown).not.toContain("ghp_0123");
    const path = /log: (\S+\.log)/.exec(shown)?.[1] ?? "";
    expect(path.startsWith(project.root)).toBe(true);
    expect(project.read(path.slice(project.root.length + 1))).toContain("line 1\n");
  });

  test("B2: go_on: the agents may repair the base", async () => {
    const project = letters({ "src/a.txt": "BUG\n" });
    project.record("builder", "1", {
      type: "PATCH",
      summary: "fix",
      unified_diff: "diff --git a/src/a.txt b/src/a.txt\n--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1 +1 @@\n-BUG\n+two\n",
    });
    expect((await project.run()).code).toBe(23);
    await project.slipway(["answer", "Q1", "go_on"]);
    const ended = await resume(project);
    expect(ended.stdout).toContain("slipway approve letters");
    expect(calls(project)).toEqual(["planner", "builder", "qa"]);
    expect(trials(project)).toHaveLength(1);
  });

  test("B2: again: the repaired gates are run again", async () => {
    const project = letters({ "src/b.txt": "BUG\n" });
    await project.run();
    project.write("src/b.txt", "one\n");
    commit(project);
    await project.slipway(["answer", "Q1", "again"]);
    const ended = await resume(project);
    expect(ended.stdout).toContain("+ main: before any change: fast gates pass; full gates pass, as before\n");
    expect(calls(project)).toEqual(["planner", "builder", "qa"]);
    expect(trials(project).map(({ status }) => status)).toEqual(["fail", "pass"]);
  });

  test("B2: stop: the run ends, its features are not begun, and the specification can be run again", async () => {
    const project = letters({ "src/b.txt": "BUG\n" });
    await project.run();
    await project.slipway(["answer", "Q1", "stop"]);
    const ended = await resume(project);
    expect(ended.code).toBe(3);
    expect(ended.stdout).toContain("letters was not begun: the gates fail on main before any change.");
    expect(calls(project)).toEqual([]);
    expect((await project.run()).code).toBe(23);
  });

  test("several features share one trial, and a second run on the same base reuses it", async () => {
    const project = letters({ "letters2.spec.md": "# More\n", "letters3.spec.md": "# Even more\n" });
    answersFor(project, "letters2", "src/b.txt");
    await project.slipway(["run", "letters.spec.md", "letters2.spec.md", "--cassette", project.cassette]);
    // Both modes have the same steps.
    expect(trials(project)).toEqual([{ mode: "fast", status: "pass" }]);
    await project.slipway(["run", "letters3.spec.md", "--cassette", project.cassette]);
    expect(trials(project)).toHaveLength(1);
  });

  test.each([
    ["another file in the base", (project: Project) => project.write("src/b.txt", "other\n")],
    [
      "another step",
      (project: Project) => project.write("slipway/gates.yaml", gates("sh", "check.sh", "again")["slipway/gates.yaml"] ?? ""),
    ],
    ["another package installed", (project: Project) => writeFileSync(join(project.root, "deps/.package-lock.json"), "{}")],
  ])("%s needs a new trial", async (_, change) => {
    const project = letters({
      "letters2.spec.md": "# More\n",
      ".gitignore": "deps\n",
      "slipway/policy.yaml": `${POLICY}sandbox: { shared_paths: [deps] }\n`,
    });
    mkdirSync(join(project.root, "deps"));
    await project.run();
    change(project);
    project.git("commit", "--quiet", "--all", "--allow-empty", "--message=more");
    await project.slipway(["run", "letters2.spec.md", "--cassette", project.cassette]);
    expect(trials(project)).toHaveLength(2);
  });

  test("coverage below the minimum and a suite without tests are reported and do not stop the run", async () => {
    const file = JSON.parse(
      gates("sh", "-c", "printf 'SF:a\\nDA:1,0\\nDA:2,1\\nend_of_record\\n' > lcov.info")["slipway/gates.yaml"] ?? "",
    ) as object;
    const project = letters({
      ".gitignore": "lcov.info\n",
      "slipway/gates.yaml": JSON.stringify({
        ...file,
        parsers: { coverage: { type: "lcov", path: "lcov.info" } },
        thresholds: { coverage_line_min: 0.9 },
      }),
    });
    const ended = await project.run();
    expect(ended.stdout).toContain(
      "+ main: before any change: fast gates pass, but: Coverage is below its minimum: line coverage is 50.00 %",
    );
    expect(calls(project)).toContain("builder");
  });

  test("a missing report fails the gate, because no change could pass it", async () => {
    const file = JSON.parse(gates("true")["slipway/gates.yaml"] ?? "") as object;
    const parsers = { tests: { type: "junit_xml", path: "junit.xml" } };
    const project = letters({ "slipway/gates.yaml": JSON.stringify({ ...file, parsers }) });
    expect((await project.run()).stdout).toContain("The fast and full gates fail on main");
    expect(await inbox(project)).toContain("no step wrote to junit.xml");
  });

  test.each([
    ["--skip-base-gates", ["--skip-base-gates"], "gates: {"],
    ["gates.try_on_base: false in the policy", [], "gates: { try_on_base: false,"],
  ])("%s: agents are called without a trial", async (_, more, policy) => {
    const project = letters({ "src/b.txt": "BUG\n", "slipway/policy.yaml": POLICY.replace("gates: {", policy) });
    await project.run(...more);
    expect(calls(project)).toContain("planner");
    expect(trials(project)).toEqual([]);
  });

  test("the trial's tree is outside the checkout and is removed afterwards; the checkout is unchanged", async () => {
    const project = letters(gates("sh", "-c", "pwd; touch left-behind; exit 1"));
    project.write("src/a.txt", "mine\n");
    await project.run();
    expect(await inbox(project)).toContain(`| ${join(project.home, "state/slipway/trials/")}`);
    expect(readdirSync(join(project.home, "state/slipway/trials"))).toEqual([]);
    expect(project.git("status", "--porcelain")).toBe(" M src/a.txt\n");
    rmSync(project.home, { recursive: true, force: true });
  });

  test("the factory tries the release's gates before it calls the product owner", async () => {
    const project = factoryProject({ "src/b.txt": "BUG\n" });
    const ended = await project.slipway(["factory", "numbers.md", "--cassette", project.cassette]);
    expect(ended.code).toBe(23);
    expect(ended.stdout).toContain("The fast and full gates fail on main, before any change");
    expect(calls(project)).toEqual([]);
    await project.slipway(["answer", "Q1", "stop", "--comment", "later"]);
    const stopped = await resume(project);
    expect(stopped.code).toBe(3);
    expect(stopped.stdout).toContain("Not begun: later");
  });
});
