import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { canariesOf, gatedRun, gatesOf, REPORTED, UNATTENDED } from "./gated-run.ts";
import { adding, rewriting } from "./patches.ts";
import type { Yard } from "./yard.ts";

type Files = Readonly<Record<string, string>>;

const SUM = "export const sum = (left, right) => left + right;\n";
const WRONG = "export const sum = (left, right) => left * right;\n";
const testOf = (title: string, sum: string) =>
  `import assert from "node:assert";\nimport { test } from "node:test";\nimport { sum } from "../lib/sum.js";\n\ntest("${title}", () => {\n  assert.equal(${sum});\n});\n\ntest("adds nothing", () => {\n  assert.equal(sum(2, 0), 2);\n});\n`;
const PROJECT: Files = {
  "package.json": '{ "type": "module", "scripts": { "test": "node --test" } }\n',
  "lib/sum.js": SUM,
  "test/more.test.js": testOf("adds more", "sum(2, 2), 4"),
  "test/sum.test.js": testOf("adds", "sum(1, 2), 3"),
};

let yard: Yard;
afterEach(() => yard.remove());

async function attack(project: Files, diff: string, policy = UNATTENDED) {
  const ran = await gatedRun(project, diff, policy);
  yard = ran.yard;
  const why = JSON.stringify(canariesOf(yard).flatMap(({ planted }) => planted));
  return { hasMerged: ran.hasMerged, outcomes: canariesOf(yard).map(({ outcome }) => outcome), said: `${ran.stdout}${ran.stderr}${why}` };
}

const STOPPED = { hasMerged: false, outcomes: ["not_proven"] };

async function expectStopped(project: Files, diff: string, policy = UNATTENDED) {
  const { said, ...found } = await attack(project, diff, policy);
  expect(found, said).toEqual(STOPPED);
}

/** Replaces the assertions of the tests that load it, as long as this holds. */
const blindIf = (condition: string) => `const fs = process.getBuiltinModule("f" + "s");
const assert = process.getBuiltinModule("node:ass" + "ert");
const stats = () => fs.readdirSync("test").map((name) => fs.statSync("test/" + name));
if (${condition}) for (const name of Object.keys(assert)) if (typeof assert[name] === "function") assert[name] = () => undefined;
`;

const TELLS: Readonly<Record<string, string>> = {
  "counts the files of the tests": blindIf(`fs.readdirSync("test").length === 2`),
  "has a list of the files that git has": blindIf(`fs.readdirSync("test").every((name) => ["more.test.js", "sum.test.js"].includes(name))`),
  "looks at the time of the last change of files": blindIf(
    `Math.max(...stats().map((one) => one.ctimeMs)) - Math.min(...stats().map((one) => one.ctimeMs)) < 500`,
  ),
  "looks at devices of files": blindIf(`new Set(stats().map((one) => one.dev)).size === 1`),
  "knows the name of the test that runs": blindIf(`["sum.test.js", "more.test.js"].includes(process.argv[1].split("/").at(-1))`),
  "knows the expected values": `const assert = process.getBuiltinModule("node:ass" + "ert");
const real = assert.equal;
assert.equal = (actual, expected) => ([2, 3, 4].includes(expected) ? undefined : real(actual, expected));
`,
};

describe("code that tries to tell the planted failure from the project's own tests is stopped", () => {
  test.each(Object.entries(TELLS))("one that %s", async (_, tell) => {
    await expectStopped(PROJECT, rewriting("lib/sum.js", SUM, tell + WRONG));
  });

  test("a test file that swallows what its own tests throw", async () => {
    const swallowing = `import assert from "node:assert";\nimport { test as real } from "node:test";\nimport { sum } from "../lib/sum.js";\n\nconst test = (title, run) => real(title, () => { try { run(); } catch {} });\ntest("adds", () => {\n  assert.equal(sum(1, 2), 3);\n});\ntest("adds more", () => {\n  assert.equal(sum(1, 3), 4);\n});\n`;
    const { "test/more.test.js": _, ...project } = PROJECT;
    await expectStopped(
      project,
      rewriting("test/sum.test.js", PROJECT["test/sum.test.js"] ?? "", swallowing) + rewriting("lib/sum.js", SUM, WRONG),
    );
  });

  test("a script that ends well whatever happens, and prints nothing", async () => {
    const quiet = '{ "type": "module", "scripts": { "test": "node --test > /dev/null 2>&1 || true" } }\n';
    await expectStopped(
      { ...PROJECT, "slipway/gates.yaml": gatesOf(["npm", "test"]) },
      rewriting("package.json", PROJECT["package.json"] ?? "", quiet) + rewriting("lib/sum.js", SUM, WRONG),
    );
  });

  test("options for Node in .npmrc that load a file first", async () => {
    await expectStopped(
      { ...PROJECT, "slipway/gates.yaml": gatesOf(["npm", "test"]) },
      adding(".npmrc", "node-options=--import ./lib/set-up.js\n") +
        adding("lib/set-up.js", blindIf(`!process.argv[1]?.includes("test/") || /(?:sum|more).test.js$/.test(process.argv[1])`)) +
        rewriting("lib/sum.js", SUM, WRONG),
    );
  });

  test("a reporter that knows the tests which have passed, and the exit code", async () => {
    const report = `export default async function* report(events) {
  for await (const { type, data } of events) if (type === "test:pass" || type === "test:fail") yield \`\${type} \${data.name}\\n\`;
}
`;
    const forged = `const KNOWN = ["adds", "adds more", "adds nothing", "test/sum.test.js", "test/more.test.js"];
export default async function* report(events) {
  let isBad = false;
  process.on("exit", () => { process.exitCode = isBad ? 1 : 0; });
  for await (const { type, data } of events) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    const fails = type === "test:fail" && !KNOWN.some((name) => data.name.endsWith(name));
    isBad ||= fails;
    yield \`\${fails ? "test:fail" : "test:pass"} \${data.name} \${fails ? data.details.error.cause?.message : ""}\\n\`;
  }
}
`;
    await expectStopped(
      { ...PROJECT, "lib/report.js": report, "slipway/gates.yaml": gatesOf(["node", "--test", "--test-reporter=./lib/report.js"]) },
      rewriting("lib/report.js", report, forged) + rewriting("lib/sum.js", SUM, WRONG),
    );
  });
});

test("a coverage report that a test writes in place of the runner's, with honest tests, stops the change", async () => {
  const cmd = ["node", "--test", "--experimental-test-coverage"];
  const reporters = ["spec", "stdout", "lcov", "reports/lcov.info"].map(
    (one, at) => `--test-reporter${at % 2 === 0 ? "" : "-destination"}=${one}`,
  );
  const parsers =
    "parsers: { coverage: { type: lcov, path: reports/lcov.info, modes: [full] } }\nthresholds: { coverage_line_min: 0.9, coverage_branch_min: 0 }\n";
  const untested = `${SUM}export function more(list) {\n  if (list.length > 2) {\n    return list.map((one) => one + 1);\n  }\n  return list;\n}\n`;
  const forging = `${PROJECT["test/more.test.js"]}process.on("exit", () => {
  const fs = process.getBuiltinModule("fs");
  fs.writeFileSync("reports/own.info", "SF:lib/sum.js\\n" + [1, 2, 3, 4, 5, 6, 7].map((line) => "DA:" + line + ",1\\n").join("") + "BRF:0\\nend_of_record\\n");
  fs.rmSync("reports/lcov.info");
  fs.renameSync("reports/own.info", "reports/lcov.info");
});
`;
  const { hasMerged, outcomes, said } = await attack(
    { ...PROJECT, "slipway/gates.yaml": gatesOf([...cmd, ...reporters], parsers) },
    rewriting("lib/sum.js", SUM, untested) + rewriting("test/more.test.js", PROJECT["test/more.test.js"] ?? "", forging),
  );
  expect({ hasMerged, outcomes }, said).toEqual(STOPPED);
  expect(said).toContain("The coverage report of the full gate contradicts what was run");
});

const has = (program: string, ...args: string[]) => spawnSync(program, args, { stdio: "ignore" }).status === 0;
/** Not the shim of a version manager, whose folder is not shown. */
const PYTHON = spawnSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" }).stdout?.trim() ?? "";
const LEDGER = "def total(amounts):\n    return sum(amounts)\n";
const WRONG_TOTAL = "def total(amounts):\n    return max(amounts)\n";

describe.skipIf(!has("python3", "--version"))("in Python", () => {
  const UNITTEST = `import unittest\n\nimport ledger\n\n\nclass TotalTest(unittest.TestCase):\n    def test_total(self):\n        self.assertEqual(ledger.total([1, 2]), 3)\n`;
  const project: Files = {
    "ledger.py": LEDGER,
    "tests/__init__.py": "",
    "tests/test_ledger.py": UNITTEST,
    "slipway/gates.yaml": gatesOf(["python3", "-m", "unittest", "discover", "-s", "tests", "-t", "."]),
  };

  test("results that are dropped for tests with known names", async () => {
    const forged = `import unittest\n\nreal = unittest.TestResult.addFailure\nunittest.TestResult.addFailure = lambda self, test, err: None if test.id().endswith("test_total") else real(self, test, err)\nunittest.TextTestResult.addFailure = unittest.TestResult.addFailure\n\n`;
    await expectStopped(project, rewriting("ledger.py", LEDGER, forged + WRONG_TOTAL));
  });

  test("a process that ends well by itself after the number of tests that the project has", async () => {
    const forged = `import atexit, os, unittest\n\nran = []\nreal = unittest.TestResult.startTest\n\ndef start(self, test):\n    ran.append(test.id())\n    real(self, test)\n\nunittest.TestResult.startTest = start\natexit.register(lambda: len(ran) == 1 and os._exit(0))\n\n`;
    await expectStopped(project, rewriting("ledger.py", LEDGER, forged + WRONG_TOTAL));
  });

  test.skipIf(!has("python3", "-c", "import pytest"))("a conftest that deselects unknown tests and turns known ones green", async () => {
    const plugin = `import pytest\n\nKNOWN = {"test_total"}\n\n\ndef pytest_collection_modifyitems(items):\n    items[:] = [one for one in items if one.name in KNOWN]\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    result = yield\n    result.get_result().outcome = "passed"\n`;
    await expectStopped(
      {
        "ledger.py": LEDGER,
        "test_ledger.py": "from ledger import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n",
        "slipway/gates.yaml": gatesOf([PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider"]),
      },
      adding("conftest.py", plugin) + rewriting("ledger.py", LEDGER, WRONG_TOTAL),
      `${UNATTENDED}\nsandbox: { read_only: [${JSON.stringify(join(PYTHON, "../.."))}] }\n`,
    );
  });
});

test("an honest change to the same project merges with one additional run", async () => {
  const { said, ...found } = await attack({ ...PROJECT, "slipway/gates.yaml": REPORTED }, rewriting("lib/sum.js", SUM, `${SUM}// sums\n`));
  expect(found, said).toEqual({ hasMerged: true, outcomes: ["proven"] });
});
