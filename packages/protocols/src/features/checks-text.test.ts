import { gatesSchema } from "@slipway/kernel/config/gates";
import { expect, test } from "vitest";
import { checksText } from "./checks-text.ts";

const gates = (full: readonly string[], thresholds: object = {}) =>
  gatesSchema.parse({
    version: 1,
    profiles: { default: { modes: { fast: [{ name: "test", cmd: ["npm", "test"] }], full: [{ name: "held out", cmd: full }] } } },
    ...thresholds,
  });

test("each mode has its moment and its commands, with the minima of coverage", () => {
  const coverage = {
    parsers: { coverage: { type: "lcov", path: "reports/lcov.info" } },
    thresholds: { coverage_line_min: 0.9, coverage_branch_min: 0.8 },
  };
  expect(checksText(gates(["npm", "run", "lint"], coverage), null)).toBe(
    "after every patch: test: npm test\nwhen QA is done: held out: npm run lint\ncoverage of lines: at least 90 %\ncoverage of branches: at least 80 %",
  );
});

test("a command that runs a file below slipway/ is only named: nobody is to write for the tests in it", () => {
  expect(checksText(gates(["node", "--test", "slipway/held-out.test.js"]), null)).toBe(
    "after every patch: test: npm test\nwhen QA is done: held out",
  );
});
