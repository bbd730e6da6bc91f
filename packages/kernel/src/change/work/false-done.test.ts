import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { callAs, LETTERS, lettersOn } from "../testing/letters.ts";
import { addFile, openScratchKernel, POLICY, type ScratchKernel } from "../testing/scratch-kernel.ts";

/** Runs every file of tests/, one test case each, and writes a JUnit report. */
const RUNNER = `status=0
mkdir -p reports
{
  echo '<testsuite>'
  for file in tests/*.sh; do
    [ -e "$file" ] || continue
    if sh "$file"; then echo '<testcase/>'; else echo '<testcase><failure/></testcase>'; status=1; fi
  done
  echo '</testsuite>'
} > reports/run.xml
[ -e tests ] && mv reports/run.xml reports/junit.xml
exit $status
`;
const GATES = `version: 1
profiles:
  default:
    modes: { fast: [{ name: test, cmd: [sh, run.sh] }], full: [{ name: test, cmd: [sh, run.sh] }] }
parsers: { tests: { type: junit_xml, path: reports/junit.xml } }
`;
const FILES = {
  "run.sh": RUNNER,
  "tests/a.sh": "grep -q one src/a.txt\n",
  "slipway/gates.yaml": GATES,
  "slipway/policy.yaml": POLICY.replace("protected_areas: [slipway]", "protected_areas: []"),
};

let scratch: ScratchKernel;
let feature: ReturnType<typeof lettersOn>;
beforeEach(async () => {
  scratch = await openScratchKernel(FILES);
  feature = lettersOn(scratch);
});
afterEach(() => scratch.close());

const plan = (files: Partial<Record<"create" | "modify" | "delete", string[]>>) =>
  feature.planned({ allowed_areas: ["src", "tests", "reports", "slipway"], files: { create: [], modify: [], delete: [], ...files } });
const patch = (unified_diff: string) => scratch.kernel.features.applyPatch(callAs(), { ...LETTERS, unified_diff });
const full = () => scratch.kernel.features.runGates(callAs(), { ...LETTERS, mode: "full" });
const removing = (path: string, line: string) =>
  `diff --git a/${path} b/${path}\ndeleted file mode 100644\n--- a/${path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-${line}\n`;

describe("changes that seem done and are not", () => {
  test("the gate passes and counts while the tests exist", async () => {
    await plan({ modify: ["src/a.txt"] });
    expect(await full()).toMatchObject({ passed: true, tests: { total: 1, passed: 1 } });
  });

  test("deleted tests: the gate ran none, and the approver sees it", async () => {
    await plan({ delete: ["tests/a.sh"] });
    await patch(removing("tests/a.sh", "grep -q one src/a.txt"));
    expect(await full()).toMatchObject({ passed: false, failure: { code: "no_tests_ran" } });
    const { flags } = await scratch.kernel.features.candidate(callAs(), LETTERS);
    expect(flags.some((flag) => flag.startsWith("tests/a.sh: "))).toBe(true);
  });

  test("a report in the patch, in place of the tests, does not count", async () => {
    await plan({ create: ["reports/junit.xml"], delete: ["tests/a.sh"] });
    await patch(
      removing("tests/a.sh", "grep -q one src/a.txt") + addFile("reports/junit.xml", `<testsuite>${"<testcase/>".repeat(500)}</testsuite>`),
    );
    expect(await full()).toMatchObject({ passed: false, failure: { code: "no_tests_ran" } });
    // It is still the feature's own file.
    expect(feature.file("reports/junit.xml")).toContain("<testcase/>");
  });

  test("gates that the patch weakens are still those of the base, and the approver sees it", async () => {
    await plan({ modify: ["slipway/gates.yaml", "src/a.txt"] });
    const first = GATES.split("\n")[0];
    await patch(
      `diff --git a/slipway/gates.yaml b/slipway/gates.yaml\n--- a/slipway/gates.yaml\n+++ b/slipway/gates.yaml\n@@ -1,2 +1,3 @@\n ${first}\n+# easier\n profiles:\n` +
        "diff --git a/src/a.txt b/src/a.txt\n--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1 +1 @@\n-one\n+two\n",
    );
    expect(await full()).toMatchObject({ passed: false, failure: { code: "gate_failed" } });
    const { flags } = await scratch.kernel.features.candidate(callAs(), LETTERS);
    expect(flags.some((flag) => flag.startsWith("slipway/gates.yaml: "))).toBe(true);
  });

  test("a patch without a net change is reported as such", async () => {
    await plan({ modify: ["src/a.txt"] });
    expect(
      await patch("diff --git a/src/a.txt b/src/a.txt\n--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1 +1 @@\n-one\n+one\n").catch(
        ({ code }) => code,
      ),
    ).toMatchObject({
      empty: true,
    });
  });
});
