import { afterEach, describe, expect, test } from "vitest";
import { slipway } from "./cli.ts";
import { canariesOf, gatedRun, gatesOf, UNATTENDED } from "./gated-run.ts";
import { adding, rewriting } from "./patches.ts";
import type { Yard } from "./yard.ts";

const SUM = "export const sum = (left, right) => left + right;\n";
const BETTER = "export const sum = (left, right) => Number(left) + Number(right);\n";
const PROJECT = {
  "package.json": '{ "type": "module" }\n',
  "lib/sum.js": SUM,
  "test/sum.test.js": `import assert from "node:assert";\nimport { test } from "node:test";\nimport { sum } from "../lib/sum.js";\n\ntest("adds", () => assert.equal(sum(1, 2), 3));\n`,
};

/** Loaded by the tests: every exit code is 0, no failure is printed, and the runner's messages and report are replaced. */
const EVERYTHING_GREEN = `const fs = process.getBuiltinModule("f" + "s");
const assert = process.getBuiltinModule("node:ass" + "ert");
for (const name of Object.keys(assert)) if (typeof assert[name] === "function") assert[name] = () => undefined;
process.on("exit", () => { process.exitCode = 0; });
try { fs.renameSync("reports/junit.xml", "reports/old.xml"); } catch {}
try { fs.writeFileSync("reports/junit.xml", '<testsuites><testcase name="adds"/></testsuites>'); } catch {}
`;

let yard: Yard;
afterEach(() => yard.remove());

async function run(project: Readonly<Record<string, string>>, unified_diff: string, policy = UNATTENDED) {
  const ran = await gatedRun({ ...PROJECT, ...project }, unified_diff, policy);
  yard = ran.yard;
  return ran;
}

const head = () => yard.git("log", "-1", "--format=%s", "main").trim();
const outcomes = () => canariesOf(yard);

describe("a gate that merges by itself is first run with a planted failure", () => {
  test("code that turns every result green is stopped: a person is asked, and their decision to merge is recorded and shown", async () => {
    const { stdout, stderr } = await run({}, rewriting("lib/sum.js", SUM, EVERYTHING_GREEN + BETTER));
    expect(head(), stdout + stderr).toBe("files");
    const asked = (await slipway(yard, ["inbox"])).stdout;
    expect(asked).toContain("The full gate did not turn red although a failing test was planted in it (test/");
    expect(asked).toContain("so its verdict proves nothing.");
    expect(outcomes()).toMatchObject([{ outcome: "not_proven" }]);
    expect((await slipway(yard, ["answer", "Q1", "merge_all_the_same", "--comment", "I have read it"])).code).toBe(0);
    const resumed = await slipway(yard, ["resume"]);
    expect(head(), resumed.stdout + resumed.stderr).not.toBe("files");
    expect(outcomes().at(-1)).toMatchObject({ outcome: "waived", waived_by: "kim", comment: "I have read it" });
    expect((await slipway(yard, ["evidence", "letters"])).stdout).toMatch(/proves nothing.*kim decided to merge all the same/);
  });

  test("an honest change merges with one additional run of the final gate, which its evidence shows", async () => {
    const { stdout, stderr } = await run({}, rewriting("lib/sum.js", SUM, BETTER));
    expect(head(), stdout + stderr).not.toBe("files");
    expect(stdout).toMatch(/full gates passed .*they fail with a planted failure, as they must \(1 additional run, \d+ ms\)/);
    expect(outcomes()).toMatchObject([{ outcome: "proven", runs: 1 }]);
    expect((await slipway(yard, ["evidence", "letters"])).stdout).toMatch(
      /## Planted failures[^]*turned red as it must: a failing test in test\/\S+\.test\.js .*1 additional run/,
    );
    expect(yard.git("diff", "--stat", "HEAD~1", "--", ".", ":!lib/sum.js")).toBe("");
  });

  test("only documents changed: nothing is planted, and the evidence says so", async () => {
    const { stdout, stderr } = await run({}, rewriting("README.md", "# Demo\n\nA small project.\n", "# Demo\n\nIt adds.\n"));
    expect(head(), stdout + stderr).not.toBe("files");
    expect((await slipway(yard, ["evidence", "letters"])).stdout).toContain("nothing planted: only documents changed");
  });

  test("the policy adds it to every mode, and the cost of each is printed, also by slipway evidence", async () => {
    const steps = (...cmd: string[]) => JSON.stringify([{ name: "test", cmd: ["node", "--test", ...cmd] }]);
    const both = `version: 1\nprofiles: { default: { modes: { fast: ${steps("test/sum.test.js")}, full: ${steps()} } } }\n`;
    const every = UNATTENDED.replace("canary: final", "canary: every");
    const { stdout, stderr } = await run({ "slipway/gates.yaml": both }, rewriting("lib/sum.js", SUM, BETTER), every);
    expect(head(), stdout + stderr).not.toBe("files");
    const cost = String.raw`turned red as it must: .*1 additional run, \d+ ms, \d+\.\d\d times the gate's own \d+ ms`;
    for (const mode of ["fast", "full"]) expect(stdout).toMatch(new RegExp(`${mode} gates passed.*\\(1 additional run, \\d+ ms\\)`));
    const evidence = (await slipway(yard, ["evidence", "letters"])).stdout;
    for (const mode of ["fast", "full"]) expect(evidence).toMatch(new RegExp(`^- ${mode} on .*${cost}`, "m"));
  });

  test("a gate that runs no test never merges a change of sources by itself", async () => {
    const { stdout, stderr } = await run({ "slipway/gates.yaml": gatesOf(["true"]) }, rewriting("lib/sum.js", SUM, BETTER));
    expect(head(), stdout + stderr).toBe("files");
    expect((await slipway(yard, ["inbox"])).stdout).toContain("proves nothing");
  });

  test("a test that hides in its own file does not escape", async () => {
    const hidden = `${EVERYTHING_GREEN}import { test } from "node:test";\nimport { sum } from "../lib/sum.js";\ntest("adds", () => sum(1, 2));\n`;
    const { stdout, stderr } = await run({}, adding("test/more.test.js", hidden));
    expect(head(), stdout + stderr).toBe("files");
  });
});
