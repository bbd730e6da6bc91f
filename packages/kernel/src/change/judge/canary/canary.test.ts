import { afterEach, describe, expect, test } from "vitest";
import { callAs, LETTERS } from "../../testing/letters.ts";
import { POLICY, type ScratchKernel } from "../../testing/scratch-kernel.ts";
import { checksOf } from "../evidence/checks.ts";
import { changedProject, fullGate, gates } from "./testing/changed-gate.ts";

let scratch: ScratchKernel;
afterEach(() => scratch.close());

async function changed(...given: Parameters<typeof changedProject>) {
  scratch = await changedProject(...given);
}
const full = () => fullGate(scratch);

const REPORT = "parsers: { tests: { type: junit_xml, path: reports/junit.xml } }\n";
const NODE = [process.execPath, "--test"];
const REPORTING = [
  ...NODE,
  "--test-reporter=spec",
  "--test-reporter-destination=stdout",
  "--test-reporter=junit",
  "--test-reporter-destination=reports/junit.xml",
];
const SUM = "export function sum(list) {\n  return list.reduce((left, right) => left + right, 0);\n}\n";
const SUM_TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { sum } from "../src/sum.js";

test("adds the numbers", () => {
  assert.equal(sum([1, 2]), 3);
});
`;
const SUMS = { "package.json": '{ "type": "module" }\n', "src/sum.js": SUM, "test/sum.test.js": SUM_TEST };
const REPORTED = { ...SUMS, "reports/.gitignore": "*\n", "slipway/gates.yaml": gates(REPORTING) + REPORT };
const BETTER = SUM.replace("0);", "0); // sums");

describe("a gate of node:test", () => {
  test("turns red at a planted test: one additional run, none for the same change again", async () => {
    await changed(REPORTED, { "src/sum.js": BETTER });
    const { passed, status, canary } = await full();
    expect({ passed, status, canary }).toMatchObject({
      passed: true,
      status: "pass",
      canary: {
        outcome: "proven",
        runs: 1,
        collects: "test",
        planted: [
          {
            kind: "test",
            path: expect.stringMatching(/^test\/[a-z-]+\.test\.js$/),
            near: "test/sum.test.js",
            framework: "node:test",
            fate: "red",
          },
        ],
      },
    });
    expect(scratch.git("-C", ".worktrees/letters", "status", "--porcelain", "--ignored")).toBe(" M src/sum.js\n");
    expect((await full()).canary).toMatchObject({ outcome: "reused", runs: 0 });
  });

  const TRICKS: Readonly<Record<string, string>> = {
    "an assertion library that no longer asserts": `import assert from "node:assert/strict";\nassert.equal = () => undefined;\n`,
    "an exit code that is always 0, and output without failures": `const write = process.stdout.write.bind(process.stdout);\nprocess.stdout.write = () => true;\nprocess.stderr.write = () => true;\nprocess.on("exit", () => { process.exitCode = 0; });\nvoid write;\n`,
    "a process that ends well at the first failure": `import assert from "node:assert/strict";\nassert.equal = (a, b) => { if (a !== b) process.exit(0); };\n`,
    "a report of its own in place of the runner's": `import fs from "node:fs";
const file = "reports/junit.xml";
try { fs.renameSync(file, file + ".old"); } catch {}
fs.writeFileSync(file, '<testsuites>' + Array.from({ length: 500 }, (_, at) => '<testcase name="t' + at + '"/>').join("") + "</testsuites>");
`,
  };
  test.each(Object.keys(TRICKS))("%s is caught", async (trick) => {
    await changed(REPORTED, { "src/sum.js": `${TRICKS[trick]}\n${BETTER}` });
    const { passed, failure, status, canary } = await full();
    expect({ passed, status, canary }, JSON.stringify(canary)).toMatchObject({
      passed: false,
      status: "fail",
      canary: { outcome: "not_proven" },
    });
    expect(failure).toMatchObject({
      code: "verdict_not_proven",
      message: expect.stringMatching(
        /^The full gate did not turn red although a failing test was planted in it \(test\/\S+\.test\.js\).*, so its verdict proves nothing\.$/,
      ),
    });
  });

  test("a list of files in the command: the test in it is changed to fail, with one run", async () => {
    await changed({ ...SUMS, "slipway/gates.yaml": gates([...NODE, "test/sum.test.js"]) }, { "src/sum.js": BETTER });
    expect((await full()).canary).toMatchObject({ outcome: "proven", runs: 1, planted: [{ path: "test/sum.test.js", fate: "red" }] });
  });

  test("a program in place of the tests: an exception in the changed file turns it red, and the next change pays for one run", async () => {
    const check = 'import { sum } from "./src/sum.js";\nif (sum([1, 2]) !== 3) process.exit(1);\n';
    await changed({ ...SUMS, "check.js": check, "slipway/gates.yaml": gates([process.execPath, "check.js"]) }, { "src/sum.js": BETTER });
    expect((await full()).canary).toMatchObject({
      outcome: "proven",
      collects: "load",
      planted: [
        { kind: "test", path: "test/sum.test.js", fate: "unseen" },
        { kind: "load", path: "src/sum.js", fate: "red" },
        { kind: "load", path: "test/sum.test.js", fate: "unseen" },
      ],
    });
    await scratch.kernel.features.applyPatch(callAs(), {
      ...LETTERS,
      unified_diff: `diff --git a/src/sum.js b/src/sum.js\n--- a/src/sum.js\n+++ b/src/sum.js\n@@ -3 +3,2 @@\n }\n+// more\n`,
    });
    expect((await full()).canary).toMatchObject({ outcome: "proven", runs: 1, planted: [{ kind: "load", fate: "red" }] });
  });

  test("a step that fails on the new file itself proves nothing; the test after it does", async () => {
    const onlyKnown = ["sh", "-c", "ls test | grep -v '^sum' && exit 1; exit 0"];
    await changed({ ...SUMS, "slipway/gates.yaml": gates(onlyKnown, NODE) }, { "src/sum.js": BETTER });
    expect((await full()).canary).toMatchObject({ outcome: "proven", runs: 1, planted: [{ step: "step-2" }] });
  });

  test("a gate that runs no test at all is not proven, in CommonJS too", async () => {
    const project = {
      "src/sum.js": "exports.sum = 1;\n",
      "test/sum.spec.js": 'const { it } = require("node:test");\nit("is one", () => {});\n',
      "slipway/gates.yaml": gates(["true"]),
    };
    await changed(project, { "src/sum.js": "exports.sum = 1 + 0;\n" });
    expect((await full()).canary).toMatchObject({ outcome: "not_proven", runs: 2 });
  });

  test("a change that deletes every test does not escape", async () => {
    await changed({ ...SUMS, "slipway/gates.yaml": gates(["true"]) }, { "test/sum.test.js": null });
    expect((await full()).canary).toMatchObject({ outcome: "not_proven", planted: [{ kind: "test", near: "test/sum.test.js" }] });
  });
});

describe("where nothing is planted", () => {
  test("only documents changed", async () => {
    await changed({ ...SUMS, "README.md": "sums\n", "slipway/gates.yaml": gates(["true"]) }, { "README.md": "sums of numbers\n" });
    expect(await full()).toMatchObject({ passed: true, status: "pass", canary: { outcome: "documents", runs: 0 } });
  });

  test("no framework and no language that Slipway knows", async () => {
    await changed({ "run.sh": "true\n", "slipway/gates.yaml": gates(["sh", "run.sh"]) }, { "run.sh": "true # all\n" });
    expect(await full()).toMatchObject({ passed: true, canary: { outcome: "nothing", unknown: [".sh"] } });
  });

  test("the policy turns it off, which the check of the mode says", async () => {
    await changed({ ...SUMS, "slipway/gates.yaml": gates(["true"]) }, { "src/sum.js": BETTER }, POLICY);
    expect(await full()).toMatchObject({ passed: true, canary: null });
    const [mode] = (await checksOf(scratch.records.database.db, LETTERS)).filter(({ kind }) => kind === "mode");
    expect(mode?.counts).toMatchObject({ canary: "off" });
  });

  test("every gate mode gets one if the policy says so", async () => {
    await changed({ ...SUMS, "slipway/gates.yaml": gates(NODE) }, { "src/sum.js": BETTER }, POLICY.replace("canary: off", "canary: every"));
    const { canary } = await scratch.kernel.features.runGates(callAs(), { ...LETTERS, mode: "fast" });
    expect(canary).toMatchObject({ outcome: "proven", runs: 1 });
  });
});
