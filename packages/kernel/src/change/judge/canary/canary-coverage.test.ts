import { afterEach, describe, expect, test } from "vitest";
import type { ScratchKernel } from "../../testing/scratch-kernel.ts";
import { changedProject, fullGate, gates } from "./testing/changed-gate.ts";

let scratch: ScratchKernel;
afterEach(() => scratch.close());

const COVERED = [
  process.execPath,
  "--test",
  "--experimental-test-coverage",
  ...["spec", "stdout", "junit", "reports/junit.xml", "lcov", "reports/lcov.info"].map(
    (value, index) => `--test-reporter${index % 2 === 0 ? "" : "-destination"}=${value}`,
  ),
];
const PARSERS =
  "parsers: { tests: { type: junit_xml, path: reports/junit.xml }, coverage: { type: lcov, path: reports/lcov.info } }\nthresholds: { coverage_line_min: 0.9 }\n";
const SUM = `export function sum(list) {
  return list.reduce((left, right) => left + right, 0);
}
`;
const PRODUCT = `
export function product(list) {
  let all = 1;
  for (const one of list) {
    all *= one;
  }
  if (Number.isNaN(all)) {
    throw new RangeError("not a number");
  }
  return all;
}
`;
const TEST = (more = "") => `import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import { sum } from "../src/sum.js";

test("adds the numbers", () => {
  assert.equal(sum([1, 2]), 3);
});
${more}`;
/** The runner has opened its report before; it writes to the file that was moved away. */
const forging = (lines: string) => `
process.on("exit", () => {
  const count = ${lines};
  fs.renameSync("reports/lcov.info", "reports/old.info");
  const records = Array.from({ length: count }, (_, at) => "DA:" + (at + 1) + ",1\\n").join("");
  fs.writeFileSync("reports/lcov.info", "SF:src/sum.js\\n" + records + "end_of_record\\n");
});
`;
const PROJECT = {
  "package.json": '{ "type": "module" }\n',
  "src/sum.js": SUM,
  "test/sum.test.js": TEST(),
  "reports/.gitignore": "*\n",
  "slipway/gates.yaml": gates(COVERED) + PARSERS,
};

async function coverageOf(work: Readonly<Record<string, string>>, gate = PROJECT["slipway/gates.yaml"]) {
  scratch = await changedProject({ ...PROJECT, "slipway/gates.yaml": gate }, work);
  const { passed, failure, canary } = await fullGate(scratch);
  return { passed, failure, outcome: canary?.outcome, runs: canary?.runs, covers: canary?.planted.filter(({ kind }) => kind === "cover") };
}

describe("the coverage report of the run with a planted failure", () => {
  test("of an honest change has the planted line as not run, in the same run", async () => {
    expect(await coverageOf({ "src/sum.js": `${SUM}// sums\n` })).toMatchObject({
      passed: true,
      outcome: "proven",
      runs: 1,
      covers: [{ path: "src/sum.js", fate: "red" }],
    });
  });

  test.each([
    ["was written for the change", "14", /does not know line 17, which nothing calls/],
    [
      "counts the lines of the source",
      `fs.readFileSync("src/sum.js", "utf8").split("\\n").length`,
      /says that line 17 ran, which nothing calls/,
    ],
  ])("that %s contradicts the run, which stops the change, with honest tests", async (_, lines, says) => {
    const found = await coverageOf({ "src/sum.js": `${SUM}${PRODUCT}`, "test/sum.test.js": TEST(forging(lines)) });
    expect(found).toMatchObject({ passed: false, outcome: "not_proven", runs: 1, covers: [{ fate: "green" }] });
    expect(found.failure?.code).toBe("verdict_not_proven");
    expect(found.failure?.message).toMatch(/^The coverage report of the full gate contradicts what was run: a function that nothing calls/);
    expect(found.failure?.message).toMatch(says);
  });

  test("is not asked of a gate that dislikes a function without callers: it runs again without one", async () => {
    const picky = `import fs from "node:fs";\nif (/\\d{7}/.test(fs.readFileSync("src/sum.js", "utf8"))) process.exit(1);\n`;
    const both = ["sh", "-c", `${process.execPath} lint.js && ${COVERED.join(" ")}`];
    expect(await coverageOf({ "src/sum.js": `${SUM}// sums\n`, "lint.js": picky }, gates(both) + PARSERS)).toMatchObject({
      passed: true,
      outcome: "proven",
      runs: 2,
    });
  });
});
