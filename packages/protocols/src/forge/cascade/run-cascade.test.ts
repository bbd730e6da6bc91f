import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { openCascadeScene, resultsOf, RUN, type CascadeScene } from "./testing/cascade-scene.ts";

const ADD = "export function add(a, b) {\n  return a + b;\n}\n";
const ADD_TEST =
  'import assert from "node:assert";\nimport test from "node:test";\nimport { add } from "./add.js";\ntest("adds", () => assert.equal(add(1, 2), 3));\n';
const PACKAGE = (scripts: Record<string, string>) => JSON.stringify({ name: "sums", type: "module", scripts });

const NODE = { "package.json": PACKAGE({}), "src/add.js": ADD, "src/add.test.js": ADD_TEST };
const SMOKE = {
  path: "smoke.mjs",
  text: 'import { add } from "./src/add.js";\nif (add(1, 2) !== 3) process.exit(1);\nconsole.log("ok");\n',
  command: ["node", "smoke.mjs"],
};

const gatesOf = async ({ ledger }: CascadeScene, size: "Standard" | "Large" = "Standard", round = 1) => {
  const task = { run_id: RUN, task_id: "task-01", round };
  const results = await ledger.gates([
    { gate: "baseline-exists", run_id: RUN, task_id: "task-01" },
    { gate: "verification-sufficient", ...task, size },
    { gate: "no-failed-check", ...task },
  ]);
  return results.map(({ passed }) => passed);
};

describe("a Node.js project with node:test", () => {
  test("[FOR-062][FOR-063][FOR-091] passes on the base and after a good change, under the same names, without Tier 3", async () => {
    const scene = await openCascadeScene(NODE);
    const files = ["src/add.js"];
    const baseline = await scene.run("baseline", files);
    const names = ["diagnostics-javascript", "syntax-javascript", "tests-node"];
    expect(Object.keys(resultsOf(baseline))).toEqual(["diagnostics-paths", ...names]);
    await scene.change({ "src/add.js": ADD.replace("a + b", "b + a") });
    const after = await scene.run("after", files);
    expect(resultsOf(after)).toEqual({ "diagnostics-javascript": true, "syntax-javascript": true, "tests-node": true });
    expect(after).toMatchObject({ ran_code: true, infeasible: null, stopped_at_build: false, failed_tests: { "tests-node": 0 } });
    expect(after.rows.at(-1)).toMatchObject({ phase: "after", tool: "node", command: "node --test", exit_code: 0 });
    expect(await gatesOf(scene)).toEqual([true, true, true]);
  });

  test("[FOR-092] a test that passed on the base and fails after the change is a regression", async () => {
    const scene = await openCascadeScene(NODE);
    await scene.run("baseline", ["src/add.js"]);
    await scene.change({ "src/add.js": ADD.replace("a + b", "a - b") });
    const after = await scene.run("after", ["src/add.js"]);
    expect(after.failed_tests).toEqual({ "tests-node": 1 });
    expect(await gatesOf(scene)).toEqual([true, true, false]);
    const round = { run_id: RUN, task_id: "task-01", round: 1 };
    expect((await scene.ledger.regressions(round)).map(({ check_name }) => check_name)).toEqual(["tests-node"]);
  });

  test("[FOR-062] a syntax error fails Tier 1", async () => {
    const scene = await openCascadeScene(NODE);
    await scene.change({ "src/add.js": "export function add( {\n", "src/other.ts": "const a: number = ;\n" });
    const after = await scene.run("after", ["src/add.js", "src/other.ts"]);
    expect(resultsOf(after)).toMatchObject({ "syntax-javascript": false, "syntax-typescript": false });
  });

  test("[FOR-083] tests that failed on the base are excused, but not more failed tests than there were", async () => {
    const failing = `${ADD_TEST}test("is wrong", () => assert.equal(add(1, 2), 4));\n`;
    const scene = await openCascadeScene({ ...NODE, "src/add.test.js": failing });
    const { failed_tests } = await scene.run("baseline", ["src/add.js"]);
    expect(failed_tests).toEqual({ "tests-node": 1 });
    const same = await scene.run("after", ["src/add.js"], { baseline_failed_tests: failed_tests });
    expect(resultsOf(same)).not.toHaveProperty("tests-node-worse");
    expect(await gatesOf(scene)).toEqual([true, true, true]);
    await scene.change({ "src/add.js": ADD.replace("a + b", "a - b") });
    const worse = await scene.run("after", ["src/add.js"], { baseline_failed_tests: failed_tests, round: 2 });
    expect(resultsOf(worse)).toMatchObject({ "tests-node": false, "tests-node-worse": false });
    expect(await gatesOf(scene, "Standard", 2)).toEqual([true, true, false]);
  });

  test("a repeat under the same operation id runs nothing and adds no row", async () => {
    const scene = await openCascadeScene(NODE);
    const first = await scene.run("baseline", ["src/add.js"], {}, {}, "once");
    let started = 0;
    const second = await scene.run("baseline", ["src/add.js"], {}, { onOutput: () => void started++ }, "once");
    expect(second).toEqual(first);
    expect(started).toBe(0);
    expect((await scene.ledger.rows(RUN)).checks).toEqual(first.rows);
  });

  test.each(["run-tier-2", "record-tier-2", "inspect-tier-1"])(
    "a cascade that stopped after %s goes on where it stopped, without a second row",
    async (last) => {
      let broken = true;
      const scene = await openCascadeScene(NODE, ({ phase, operationId }) => {
        if (broken && phase === "committed" && operationId === `cascade/${last}`) throw new Error("killed");
      });
      await expect(scene.run("baseline", ["src/add.js"], {}, {}, "cascade")).rejects.toThrow("killed");
      broken = false;
      const { rows } = await scene.run("baseline", ["src/add.js"], {}, {}, "cascade");
      expect(rows.map(({ check_name }) => check_name)).toEqual([
        "diagnostics-paths",
        "diagnostics-javascript",
        "syntax-javascript",
        "tests-node",
      ]);
      expect((await scene.ledger.rows(RUN)).checks).toEqual(rows);
    },
  );
});

describe("the build", () => {
  const scripts = { build: "node build.js", lint: "node -e 0" };
  const project = { ...NODE, "package.json": PACKAGE(scripts), "build.js": 'import "./src/add.js";\n' };

  test("[FOR-063] runs before type check, lint and tests, in this order", async () => {
    const scene = await openCascadeScene({ ...project, "package.json": PACKAGE({ ...scripts, typecheck: "node -e 0" }) });
    const { rows } = await scene.run("baseline", ["src/add.js"]);
    expect(rows.slice(-4).map(({ check_name }) => check_name)).toEqual(["build-node", "typecheck-node", "lint-node", "tests-node"]);
  });

  test("[FOR-064] ends the cascade if it fails: nothing after it runs, not even Tiers 3 and 4", async () => {
    const scene = await openCascadeScene(project);
    await scene.change({ "src/add.js": "throw new Error('no');\n" });
    const task = { id: "task-01", size: "Large", files: ["src/add.js"] } as const;
    const after = await scene.run("after", task.files, { task, smoke: SMOKE });
    expect(resultsOf(after)).toEqual({ "diagnostics-javascript": true, "syntax-javascript": true, "build-node": false });
    expect(after).toMatchObject({ stopped_at_build: true, ran_code: false, infeasible: null });
    const { rows } = after;
    expect((await scene.ledger.rows(RUN)).checks).toEqual(rows);
  });
});

test("[FOR-064] the first of two builds that fails ends the cascade", async () => {
  const build = (command: string) => PACKAGE({ build: command, lint: "node -e 0" });
  const scene = await openCascadeScene({
    "packages/a/package.json": build("node -e nothing"),
    "packages/b/package.json": build("node -e 0"),
  });
  expect(resultsOf(await scene.run("baseline", ["packages/a/package.json"]))).toEqual({
    "diagnostics-paths": true,
    "diagnostics-json": true,
    "syntax-json": true,
    "build-node-packages-a": false,
  });
});

test("[FOR-091] a baseline is taken on the base, also when the feature has changed already", async () => {
  const scene = await openCascadeScene({ "a.json": "{}" });
  await scene.change({ "a.json": "{" });
  expect(resultsOf(await scene.run("baseline", ["a.json"]))).toMatchObject({ "syntax-json": true });
  expect(resultsOf(await scene.run("after", ["a.json"]))).toMatchObject({ "syntax-json": false });
});

describe("Tier 3", () => {
  const bare = { "src/add.js": ADD, "package.json": PACKAGE({}) };

  test("[FOR-065] without tests the changed files are loaded and the smoke script runs", async () => {
    const scene = await openCascadeScene(bare);
    await scene.change({ "src/add.js": `${ADD}// documented\n` });
    const after = await scene.run("after", ["src/add.js"], { smoke: SMOKE });
    expect(resultsOf(after)).toMatchObject({ "import-javascript": true, smoke: true });
    expect(after).toMatchObject({ ran_code: true, infeasible: null });
    expect(scene.scratch.git("ls-files").includes("smoke.mjs")).toBe(false);
  });

  test("[FOR-065] a file that cannot be loaded and a smoke script that fails are failed checks", async () => {
    const scene = await openCascadeScene(bare);
    await scene.change({ "src/add.js": 'import "./missing.js";\nexport const add = 1;\n' });
    const after = await scene.run("after", ["src/add.js"], { smoke: SMOKE });
    expect(resultsOf(after)).toMatchObject({ "import-javascript": false, smoke: false });
    expect(await gatesOf(scene)).toEqual([false, true, false]);
  });

  test("[FOR-065] a test command that runs no test is no runtime verification", async () => {
    const scene = await openCascadeScene({
      ...bare,
      "package.json": PACKAGE({ test: "node check.js" }),
      "check.js": 'console.log("fine");\n',
    });
    const after = await scene.run("after", ["src/add.js"], { smoke: SMOKE });
    expect(resultsOf(after)).toMatchObject({ "tests-node": true, "import-javascript": true, smoke: true });
  });

  test("[FOR-066] a package that is not installed and a bad smoke script make it infeasible: a marker with the reason, no signal, no failure", async () => {
    const scene = await openCascadeScene(bare);
    await scene.change({ "src/add.js": 'import "not-installed";\nexport const add = 1;\n' });
    const after = await scene.run("after", ["src/add.js"], { smoke: { ...SMOKE, text: "one line of add\n" } });
    expect(resultsOf(after)).toEqual({ "diagnostics-javascript": true, "syntax-javascript": true, "tier3-infeasible": false });
    expect(after.infeasible).toBe(
      "No test ran in Tiers 1 and 2. Loading the changed files gave no result here, and the smoke script has 1 lines, not 3 to 5.",
    );
    expect(after.rows.at(-1)).toMatchObject({ phase: "after", passed: 0, output_snippet: after.infeasible });
    expect(after.notes).toEqual([expect.stringContaining("import-javascript could not run")]);
    expect(await gatesOf(scene)).toEqual([false, true, true]);
    expect(await gatesOf(scene, "Large")).toEqual([false, false, true]);
  });
});

describe("[FOR-067] Tier 4", () => {
  const token = `ghp_${"a1B2".repeat(9)}`;

  test.each([
    ["Standard", "after", []],
    ["Large", "baseline", []],
    ["Large", "after", ["readiness-secrets", "readiness-observability", "readiness-degradation"]],
  ] as const)("of a %s task, %s the change: %j", async (size, phase, names) => {
    const scene = await openCascadeScene(NODE);
    await scene.change({ "src/add.js": `${ADD}export const key = "${token}";\n` });
    const outcome = await scene.run(phase, ["src/add.js"], { task: { id: "task-01", size, files: ["src/add.js"] } });
    expect(Object.keys(resultsOf(outcome)).filter((name) => name.startsWith("readiness-"))).toEqual(names);
    if (names.length > 0) expect(resultsOf(outcome)).toMatchObject({ "readiness-secrets": false, "readiness-observability": true });
    expect(JSON.stringify(outcome)).not.toContain(token);
  });
});

test("[FOR-081][FOR-091] a task of new files in a plain documentation repository has a baseline and two signals", async () => {
  const scene = await openCascadeScene({ "README.md": "# Notes\n" });
  await scene.run("baseline", ["docs/new.md"]);
  await scene.change({ "docs/new.md": "# New\n\nSee [the notes](../README.md).\n" });
  const after = await scene.run("after", ["docs/new.md"]);
  expect(resultsOf(after)).toEqual({ "diagnostics-markdown": true, "syntax-markdown": true, "tier3-infeasible": false });
  expect(after.infeasible).toContain("No changed file can be loaded by itself, and there is no smoke script.");
  expect(await gatesOf(scene)).toEqual([true, true, true]);
});

function hasPython(): boolean {
  try {
    execFileSync("python3", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(!hasPython())("a Python project with unittest", () => {
  const project = {
    "pyproject.toml": "[project]\nname = 'sums'\n",
    "sums.py": "def add(a, b):\n    return a + b\n",
    "test_sums.py":
      "import unittest\nfrom sums import add\n\nclass Sums(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(add(1, 2), 3)\n",
  };

  test("[FOR-062][FOR-063] passes on the base, and a broken change is found by its tests", async () => {
    const scene = await openCascadeScene(project);
    const baseline = await scene.run("baseline", ["sums.py"]);
    expect(resultsOf(baseline)).toMatchObject({ "syntax-python": true, "tests-python": true });
    expect(baseline.ran_code).toBe(true);
    await scene.change({ "sums.py": "def add(a, b):\n    return a - b\n" });
    expect(resultsOf(await scene.run("after", ["sums.py"]))).toEqual({
      "diagnostics-python": true,
      "syntax-python": true,
      "tests-python": false,
    });
  });

  test("[FOR-065] without tests its modules are loaded", async () => {
    const { "test_sums.py": _tests, ...without } = project;
    const scene = await openCascadeScene({
      ...without,
      "src/pack/__init__.py": "from .inner import one\n",
      "src/pack/inner.py": "one = 1\n",
    });
    const files = ["sums.py", "src/pack/__init__.py"];
    expect(resultsOf(await scene.run("after", files))).toMatchObject({ "import-python": true });
    await scene.change({ "src/pack/inner.py": "two = 2\n" });
    expect(resultsOf(await scene.run("after", files))).toMatchObject({ "import-python": false });
  });
});
