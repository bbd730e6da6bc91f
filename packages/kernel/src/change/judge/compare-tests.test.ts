import { afterEach, expect, test, vi } from "vitest";
import { checksOf } from "./evidence/checks.ts";
import { callAs, LETTERS, lettersOn } from "../testing/letters.ts";
import { addFile, openScratchKernel, POLICY, replaceLine, type ScratchKernel } from "../testing/scratch-kernel.ts";

/**
 * A runner that reports the tests of the sources except those named in `skip.txt` or excluded by its argument, plus those of `extra.txt`.
 */
const RUNNER = `mkdir -p reports
{
  echo '<testsuites><testsuite>'
  grep -rahoE '^test\\("[^"]+' src --include='*.test.js' | sed 's/^test("//' | grep -vxF -f src/skip.txt | grep -v "^\${1:--}" > all
  grep -v '^-' src/extra.txt >> all
  sed 's|.*|<testcase name="&"/>|' all
  echo '</testsuite></testsuites>'
} > reports/junit.xml
if grep -q BUG src/a.txt; then exit 1; fi
`;
const STEP = { name: "test", cmd: ["sh", "run.sh"] };
const GATES = `version: 1
profiles: { default: { modes: { fast: [${JSON.stringify(STEP)}], full: [${JSON.stringify(STEP)}] } } }
parsers: { tests: { type: junit_xml, path: reports/junit.xml } }
`;
const declare = (title: string) => `test("${title}", () => expect(1).toBe(1));`;
const FILES = {
  "run.sh": RUNNER,
  "slipway/gates.yaml": GATES,
  "src/a.test.js": `${declare("adds")}\n${declare("subtracts")}\n`,
  "src/b.test.js": `${declare("prints")}\n`,
  "src/binary.test.js": "\0 nobody can read this\n",
  "src/skip.txt": "-\n",
  "src/extra.txt": "-\n",
};
const PLAN = {
  files: {
    create: ["src/new.test.js", "src/new.test.lua", "src/new.lua"],
    modify: ["src/a.txt", "src/skip.txt", "src/extra.txt", "src/b.test.js"],
    delete: [],
  },
};

let scratch: ScratchKernel;
let feature: ReturnType<typeof lettersOn>;
afterEach(() => scratch.close());

async function open(files: Record<string, string> = {}) {
  scratch = await openScratchKernel({ ...FILES, ...files });
  feature = lettersOn(scratch);
}
const tried = () => scratch.kernel.trials.onBase(callAs());
const patch = (...diffs: string[]) => scratch.kernel.features.applyPatch(callAs(), { ...LETTERS, unified_diff: diffs.join("") });
const gate = () => scratch.kernel.features.runGates(callAs(), { ...LETTERS, mode: "fast" });
const baseTree = () => scratch.git("rev-parse", "main^{tree}").trim();
/** The tree that the latest gate's report was compared with. */
async function compared() {
  const checks = await checksOf(scratch.records.database.db, LETTERS);
  const counts = checks.findLast(({ name }) => name === "fast")?.counts as { readonly compared: unknown } | undefined;
  return counts?.compared;
}
const without = (title: string) => replaceLine("src/skip.txt", "-", title);
const invented = (title: string) => replaceLine("src/extra.txt", "-", title);

test("a report that matches the change passes: tests that are added, renamed or unchanged", async () => {
  await open();
  await tried();
  await feature.planned(PLAN);
  expect(await gate()).toMatchObject({ passed: true, tests: { total: 3 } });
  expect(await compared()).toBe(baseTree());
  await patch(addFile("src/new.test.js", declare("multiplies")), replaceLine("src/b.test.js", declare("prints"), declare("shows")));
  expect(await gate()).toMatchObject({ passed: true, failure: null, tests: { total: 4 } });
  expect(await compared()).toBe(baseTree());
});

test("a report that lacks tests of unchanged sources fails the gate and names them", async () => {
  await open();
  await tried();
  await feature.planned(PLAN);
  await patch(without("adds"));
  const lacking = await gate();
  expect(lacking).toMatchObject({
    passed: false,
    failure: { code: "tests_contradict_sources", details: { vanished: ["adds"], undeclared: [] } },
  });
  expect(lacking.failure?.message).toContain("1 test ran on the base but not here, although the source is unchanged");
  expect(JSON.parse((await feature.row()).gates)).toMatchObject({ fast: "fail", "fast:test": "pass" });
  await expect(scratch.kernel.features.changeStatus(callAs(), { ...LETTERS, to: "qa", reason: "done" })).rejects.toMatchObject({
    code: "invalid_status_transition",
  });
  await patch(replaceLine("src/a.txt", "one", "BUG"));
  expect((await gate()).failure).toMatchObject({ code: "gate_failed" });
});

test("a report that invents tests fails the gate, and its message contains no secret", async () => {
  await open();
  await tried();
  await feature.planned(PLAN);
  await patch(replaceLine("src/extra.txt", "-", "ghost a-very-secret-value"), addFile("src/new.lua", "ghost"));
  const { passed, failure } = await gate();
  expect([passed, failure?.code]).toEqual([false, "tests_contradict_sources"]);
  expect(failure?.message).toContain('1 test in the report is not declared by any source: "ghost');
  expect(JSON.stringify(failure)).not.toContain("a-very-secret-value");
});

test("a new test file that cannot be read may declare any test", async () => {
  await open();
  await tried();
  await feature.planned(PLAN);
  await patch(invented("from lua"), addFile("src/new.test.lua", "it('from lua')"));
  expect(await gate()).toMatchObject({ passed: true });
});

test("arguments that a plan appends must not omit tests of the base", async () => {
  await open();
  await tried();
  const step = { ...STEP, cmd: [...STEP.cmd, "adds"] };
  await feature.planned({ ...PLAN, verification_overrides: { modes: { fast: { steps: [step] } } } });
  expect((await gate()).failure).toMatchObject({ code: "tests_contradict_sources", details: { vanished: ["adds"] } });
});

test("a trial of the feature's own tree is never used, neither alone nor in addition to one of the base", async () => {
  await open();
  await feature.planned(PLAN);
  await patch(without("adds"));
  const { trials } = await scratch.kernel.trials.onFeature(callAs(), "letters");
  expect(trials[0]).toMatchObject({ status: "pass", tests: { total: 2 } });
  expect(await gate()).toMatchObject({ passed: true });
  expect(await compared()).toBeNull();
  await tried();
  await scratch.kernel.trials.onFeature(callAs(), "letters", { remembered: false });
  expect((await gate()).failure?.code).toBe("tests_contradict_sources");
});

test("an older trial still counts for sources that the base has not changed since", async () => {
  await open();
  await tried();
  const before = baseTree();
  scratch.write("src/b.test.js", `${declare("shows")}\n`);
  scratch.git("commit", "--quiet", "--all", "--message=rename a test");
  await feature.planned(PLAN);
  expect(await gate()).toMatchObject({ passed: true });
  expect(await compared()).toBe(before);
  await patch(without("subtracts"));
  expect((await gate()).failure?.details["vanished"]).toEqual(["subtracts"]);
  await tried();
  await patch(replaceLine("src/skip.txt", "subtracts", "shows"));
  expect((await gate()).failure?.details["vanished"]).toEqual(["shows"]);
});

test("a trial of another gate is not compared", async () => {
  const other = GATES.replace(`full: [${JSON.stringify(STEP)}]`, 'full: [{ name: test, cmd: [sh, run.sh, "none"] }]');
  await open({ "slipway/gates.yaml": other });
  await scratch.kernel.trials.onBase(callAs(), { modes: ["full"] });
  await feature.planned(PLAN);
  await patch(without("adds"));
  expect(await gate()).toMatchObject({ passed: true });
  expect(await compared()).toBeNull();
});

test("a policy may turn the comparison off", async () => {
  await open({ "slipway/policy.yaml": POLICY.replace("gates: {", "gates: { compare_tests: false,") });
  await tried();
  await feature.planned(PLAN);
  await patch(without("adds"));
  expect(await gate()).toMatchObject({ passed: true });
  expect(await compared()).toBeNull();
});

test("a secret in a test's name is stored nowhere and does not fail the comparison", async () => {
  const token = `ghp_${"a1B2".repeat(9)}`;
  await open({ "src/a.test.js": `${declare("adds a-very-secret-value")}\n${declare(`reads ${token}`)}\n` });
  const put = vi.spyOn(scratch.records.objects, "put");
  await tried();
  const kept = put.mock.calls.map(([bytes]) => Buffer.from(bytes).toString()).find((text) => text.includes("prints"));
  expect(kept).toContain("adds [redacted]");
  expect(kept).not.toContain(token);
  await feature.planned(PLAN);
  await patch(addFile("src/new.test.js", declare("multiplies")));
  expect(await gate()).toMatchObject({ passed: true });
  await patch(without(`reads ${token}`));
  expect((await gate()).failure).toMatchObject({ code: "tests_contradict_sources", details: { vanished: ["reads [redacted]"] } });
});
