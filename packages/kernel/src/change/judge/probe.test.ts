import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { recorded } from "../../record/facts/testing/recorded.ts";
import { checksOf, recordCheck } from "./evidence/checks.ts";
import { callAs, LETTERS, lettersOn } from "../testing/letters.ts";
import { addFile, openScratchKernel, POLICY, replaceLine, type ScratchKernel } from "../testing/scratch-kernel.ts";

/** Every line of cases.txt is a test: a word that src/a.js must contain. The report is JUnit. */
const RUNNER = `status=0
{ echo '<testsuite>'
while read -r word; do
  if grep -qF -e "$word" src/a.js; then echo '<testcase/>'; else echo '<testcase><failure/></testcase>'; status=1; fi
done < cases.txt
echo '</testsuite>'; } > junit.xml
exit $status
`;
const GATES = `version: 1
profiles: { default: { modes: { fast: [{ name: test, cmd: [sh, run.sh] }], full: [{ name: test, cmd: [sh, run.sh] }] } } }
parsers: { tests: { type: junit_xml, path: junit.xml } }
`;
const OLD = "export const add = (a, b) => a;";
const NEW = "export const add = (a, b) => a + b;";

let scratch: ScratchKernel;
afterEach(() => scratch.close());

async function built(cases: string, { probe = "probe: { mode: fast }\n", more = "", now = NEW } = {}) {
  scratch = await openScratchKernel({
    "run.sh": RUNNER,
    "cases.txt": cases,
    "src/a.js": `${OLD}\n`,
    "slipway/gates.yaml": GATES,
    "slipway/policy.yaml": POLICY + probe,
  });
  await lettersOn(scratch).planned({ allowed_areas: ["."], files: { create: ["b.txt"], modify: ["src/a.js", "cases.txt"], delete: [] } });
  await scratch.kernel.features.applyPatch(callAs(), { ...LETTERS, unified_diff: replaceLine("src/a.js", OLD, now) + more });
  await scratch.kernel.features.runGates(callAs(), { ...LETTERS, mode: "fast" });
}
const probe = () => scratch.kernel.features.probe(callAs(), LETTERS);

test("a test that fails on a broken line confirms the change", async () => {
  await built("export\na + b\n");
  expect(await probe()).toMatchObject({ tried: 1, noticed: 1, warnings: [] });
});

test("a change that no test notices is reported, and no files are left", async () => {
  await built("export\n");
  const before = scratch.git("status", "--porcelain", "--ignored");
  expect(await probe()).toMatchObject({
    tried: 1,
    noticed: 0,
    warnings: ["no test failed when a line of this change was broken on purpose (src/a.js:1)"],
  });
  expect(scratch.git("status", "--porcelain", "--ignored")).toBe(before);
  expect(existsSync(join(scratch.root, ".slipway/features/letters/probe"))).toBe(false);
  const checks = await checksOf(scratch.records.database.db, { feature_id: "letters" });
  expect(checks.at(-1)).toMatchObject({
    kind: "probe",
    status: "fail",
    counts: { tried: [{ path: "src/a.js", line: 1, noticed: false }] },
  });
});

test("fewer tests than on the base", async () => {
  const removed = "diff --git a/cases.txt b/cases.txt\n--- a/cases.txt\n+++ b/cases.txt\n@@ -1,2 +1 @@\n export\n-const\n";
  await built("export\nconst\n", { probe: "probe: { mutants: 0 }\n", more: removed });
  expect((await probe()).warnings).toEqual(["fewer tests pass in the fast gate than on the base: 1 instead of 2"]);
});

test("earlier gate results of the base are reused", async () => {
  await built("export\n", { probe: "probe: { mutants: 0 }\n", more: addFile("b.txt", "x") });
  const { db } = scratch.records.database;
  const tree = scratch.git("rev-parse", "main^{tree}").trim();
  const [seen] = await db.selectFrom("checks").selectAll().where("kind", "=", "mode").execute();
  const counts = { ...JSON.parse(seen!.counts ?? ""), tests: { total: 1, passed: 1, failed: 0, skipped: 0 } };
  await recorded(db, (tx) => recordCheck(tx, { ...seen!, id: "earlier", tree, counts }));
  expect(await probe()).toMatchObject({ tried: 0, warnings: [] });
  const checks = await checksOf(scratch.records.database.db, { feature_id: "letters" });
  expect(checks.at(-1)?.counts).toMatchObject({ before: { passed: 1 }, now: { passed: 1 } });
});

test("is refused unless the policy enables it, and runs on the base only if the policy wants that", async () => {
  await built("export\n", { probe: "" });
  await expect(probe()).rejects.toMatchObject({ code: "policy_violation", details: { field: "probe" } });
  await scratch.close();
  await built("export\n", { probe: "probe: { mutants: 0, baseline: false }\n" });
  await probe();
  const checks = await checksOf(scratch.records.database.db, { feature_id: "letters" });
  expect(checks.at(-1)?.counts).toMatchObject({ before: null });
});
