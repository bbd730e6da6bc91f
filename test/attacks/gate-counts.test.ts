import { execFileSync } from "node:child_process";
import { PROGRAM } from "slipway/testing/program";
import { afterAll, beforeAll, expect, test } from "vitest";
import { adding, rewriting } from "./patches.ts";
import { openSite, type Site } from "./site.ts";
import { OPEN_POLICY } from "./yard.ts";

/** Real reports of Node's own test runner. */
const step = `{ name: test, cmd: [sh, tests.sh], timeout_seconds: 60 }`;
const GATES = `version: 1
profiles:
  default:
    modes: { fast: [${step}], full: [${step}] }
parsers: { tests: { type: junit_xml, path: junit.xml } }
`;
const RUNNER = 'node --test --test-reporter=junit --test-reporter-destination=junit.xml "$@"\n';
const SUM = `import test from "node:test";
import assert from "node:assert";
import { sum } from "../src/sum.mjs";
test("adds two numbers", () => assert.equal(sum(1, 2), 3));
test("adds nothing", () => assert.equal(sum(), 0));
`;
const OTHER = `import test from "node:test";
test("stands alone", () => {});
`;

let site: Site;

beforeAll(async () => {
  const files = {
    "slipway/gates.yaml": GATES,
    "slipway/policy.yaml": OPEN_POLICY,
    "tests.sh": RUNNER,
    "src/sum.mjs": "export const sum = (...numbers) => numbers.reduce((a, b) => a + b, 0);\n",
    "test/sum.test.mjs": SUM,
    "test/other.test.mjs": OTHER,
  };
  site = await openSite({ files });
  // The same gate on the base, which every `slipway run` tries first.
  execFileSync(process.execPath, [...PROGRAM, "gates"], { cwd: site.yard.root, env: site.yard.env, stdio: "pipe" });
});
afterAll(() => site.close());

async function gate(unified_diff: string, plan?: Readonly<Record<string, unknown>>) {
  const feature_id = await site.feature(plan);
  await site.builder.ok("repo.apply_patch", { feature_id, unified_diff });
  return site.builder.call("gates.run", { feature_id, mode: "full" });
}

test("B8: a report that a test writes in place of the runner's, with undeclared tests, stops the change", async () => {
  const forge = `import test from "node:test";
import { renameSync, writeFileSync } from "node:fs";
test("forges", () => {
  renameSync("junit.xml", "kept.xml");
  const cases = Array.from({ length: 500 }, (_, n) => '<testcase name="case ' + n + '"/>');
  writeFileSync("junit.xml", "<testsuites>" + cases.join("") + "</testsuites>");
});
`;
  expect(await gate(adding("test/forge.test.mjs", forge))).toMatchObject({
    ok: false,
    error: {
      code: "tests_contradict_sources",
      message: expect.stringMatching(/500 tests in the report are not declared by any source: "case 0"/),
    },
  });
});

test("tests of the base that the gate no longer runs stop the change, even if all their sources are unchanged", async () => {
  const narrowed = rewriting("tests.sh", RUNNER, RUNNER.replace('"$@"', "test/other.test.mjs"));
  expect(await gate(narrowed)).toMatchObject({
    ok: false,
    error: { code: "tests_contradict_sources", details: { vanished: ["adds two numbers", "adds nothing"] } },
  });
});

test("arguments that a plan appends must not omit tests of the base", async () => {
  const verification_overrides = { modes: { full: { steps: [{ name: "test", cmd: ["sh", "tests.sh", "test/other.test.mjs"] }] } } };
  const plan = { files: { create: ["src/c.txt"], modify: [], delete: [] }, verification_overrides };
  expect(await gate(adding("src/c.txt", "three\n"), plan)).toMatchObject({ ok: false, error: { code: "tests_contradict_sources" } });
});

test("new, renamed and removed tests that match their sources pass, and the evidence names the compared tree", async () => {
  const renamed = SUM.replace("adds nothing", "gives zero for nothing");
  const added =
    'import { describe, test } from "node:test";\ndescribe("more", () => { for (const n of [1, 2]) test(`case ${n}`, () => {}); });\n';
  const removed = `--- a/test/other.test.mjs\n+++ /dev/null\n@@ -1,2 +0,0 @@\n${OTHER.replaceAll(/^(?=.)/gm, "-")}`;
  const unified_diff = rewriting("test/sum.test.mjs", SUM, renamed) + adding("test/more.test.mjs", added) + removed;
  expect(await gate(unified_diff)).toMatchObject({ ok: true });
  const [check] = site.yard.sql("SELECT counts FROM checks WHERE kind = 'mode' AND status = 'pass' ORDER BY at DESC LIMIT 1");
  expect(JSON.parse(String(check?.["counts"]))).toMatchObject({ compared: site.yard.git("rev-parse", "main^{tree}").trim() });
});
