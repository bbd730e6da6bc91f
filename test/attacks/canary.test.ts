import { afterEach, describe, expect, test } from "vitest";
import { POLICY } from "@slipway/kernel/change/testing/scratch-kernel";
import { slipway } from "./cli.ts";
import { adding, rewriting } from "./patches.ts";
import { planFor } from "./site.ts";
import { makeYard, type Yard } from "./yard.ts";

/** Nobody is asked before a merge, so that only the gates decide. */
const UNATTENDED = POLICY.replace("canary: off", "canary: final").replace(
  "merge_policy: {",
  "merge_policy: { require_user_approval: false,",
);
const TESTS = [
  "node",
  "--test",
  "--test-reporter=spec",
  "--test-reporter-destination=stdout",
  "--test-reporter=junit",
  "--test-reporter-destination=reports/junit.xml",
];
const gates = (cmd: readonly string[], more = "") =>
  `version: 1\nprofiles: { default: { modes: { fast: [{ name: look, cmd: ["true"] }], full: [{ name: test, cmd: ${JSON.stringify(cmd)} }] } } }\n${more}`;
const REPORTED = gates(TESTS, "parsers: { tests: { type: junit_xml, path: reports/junit.xml, modes: [full] } }\n");

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

const AGENT = `import fs from "node:fs";
let text = "";
for await (const chunk of process.stdin) text += chunk;
const { role, input } = JSON.parse(text);
const answers = JSON.parse(fs.readFileSync("answers.json", "utf8"));
const entries = JSON.parse(input?.context_bundle?.find(({ kind }) => kind === "qa_index")?.text ?? '{"pending":[]}');
const updates = entries.pending.map(({ path, hunks }) => ({ path, hunks: hunks.map(({ start_line, end_line }) => ({ start_line, end_line })), status: "passed" }));
process.stdout.write(JSON.stringify({ output: role === "qa" ? { type: "NOTE", text: "covered", updates } : answers[role] }));
`;

let yard: Yard;
afterEach(() => yard.remove());

async function run(project: Readonly<Record<string, string>>, unified_diff: string, policy = UNATTENDED) {
  const files = [...unified_diff.matchAll(/^\+\+\+ b\/(.*)$/gm)].map(([, path = ""]) => path);
  const isNew = (path: string) => unified_diff.includes(`--- /dev/null\n+++ b/${path}`);
  const plan = planFor("letters", {
    allowed_areas: ["."],
    files: { create: files.filter(isNew), modify: files.filter((path) => !isNew(path)), delete: [] },
  });
  yard = await makeYard({
    files: {
      ...PROJECT,
      "slipway/gates.yaml": REPORTED,
      "slipway/policy.yaml": policy,
      "agent.mjs": AGENT,
      "answers.json": JSON.stringify({
        planner: { type: "PLAN_SUBMISSION", plan },
        builder: { type: "PATCH", summary: "sums", unified_diff },
      }),
      "slipway/agents.yaml": "version: 1\nroles: {}\nruntime: { default_provider: custom, custom: { command: [node, agent.mjs] } }\n",
      ...project,
    },
  });
  // The checkout must be clean, or nothing merges into it.
  yard.git("reset", "--quiet", "--hard");
  return slipway(yard, ["run", "letters.spec.md"]);
}

const head = () => yard.git("log", "-1", "--format=%s", "main").trim();
const canaries = () =>
  yard.sql("SELECT status, counts FROM checks WHERE kind = 'canary' ORDER BY at") as { status: string; counts: string }[];
const outcomes = () => canaries().map(({ counts }) => JSON.parse(counts) as { outcome: string; runs: number; planted: { path: string }[] });

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
    expect(stdout).toMatch(
      /full gates passed .*turned red as it must: a failing test in test\/\S+\.test\.js \(step test\); 1 additional run/,
    );
    expect(outcomes()).toMatchObject([{ outcome: "proven", runs: 1 }]);
    expect((await slipway(yard, ["evidence", "letters"])).stdout).toContain("## Planted failures");
    const planted = outcomes()[0]?.planted[0]?.path ?? "";
    expect(yard.git("ls-tree", "-r", "--name-only", "main")).not.toContain(planted);
  });

  test("only documents changed: nothing is planted, and the evidence says so", async () => {
    const { stdout, stderr } = await run({}, rewriting("README.md", "# Demo\n\nA small project.\n", "# Demo\n\nIt adds.\n"));
    expect(head(), stdout + stderr).not.toBe("files");
    expect((await slipway(yard, ["evidence", "letters"])).stdout).toContain("nothing planted: only documents changed");
  });

  test("a gate that runs no test never merges a change of sources by itself", async () => {
    const { stdout, stderr } = await run({ "slipway/gates.yaml": gates(["true"]) }, rewriting("lib/sum.js", SUM, BETTER));
    expect(head(), stdout + stderr).toBe("files");
    expect((await slipway(yard, ["inbox"])).stdout).toContain("proves nothing");
  });

  test("a test that hides in its own file does not escape", async () => {
    const hidden = `${EVERYTHING_GREEN}import { test } from "node:test";\nimport { sum } from "../lib/sum.js";\ntest("adds", () => sum(1, 2));\n`;
    const { stdout, stderr } = await run({}, adding("test/more.test.js", hidden));
    expect(head(), stdout + stderr).toBe("files");
  });
});
