import { PRICE_TEST } from "../projects/till.ts";
import {
  DISCOUNT,
  DISCOUNT_TESTS,
  discountCase,
  feeCase,
  priceTests,
  SLOPPY_BALANCE,
  SLOPPY_TOTAL,
  WITH_SLOPPY_DISCOUNT,
  WITH_SLOPPY_FEE,
} from "./pieces.ts";
import type { Case } from "../contract.ts";

/** Compared without assertions and ended by a signal: a forged exit code must not deceive the corpus itself. */
const ACCEPTANCE = `const kill = process.kill.bind(process, process.pid, "SIGKILL");
const { discount, total } = await import(\`file://\${process.cwd()}/src/price.ts\`);
let refused = false;
try { discount(10, 101); } catch { refused = true; }
if (discount(9.99, 33) !== 6.69 || total([1.5, 2.25]) !== 3.75 || !refused) kill();
`;

const lie = (given: Parameters<typeof discountCase>[1]): Case => discountCase(false, { acceptance: ACCEPTANCE, ...given });
const BROKEN = SLOPPY_TOTAL + DISCOUNT;
const TITLES = ["adds up the prices", "nothing costs nothing", "rounds to whole cents", "takes a percentage off"];
const REPORT = `<testsuites>${TITLES.map((title) => `<testcase name="${title}"/>`).join("")}</testsuites>`;

/** In the tests' own process: what the runner is told about a failed test becomes a passed one, and the exit code 0. */
const TELL_THE_RUNNER = `const out = process.getBuiltinModule("node:" + "process").stdout;
const told = out.write.bind(out);
out.write = ((chunk: Uint8Array, ...rest: []) =>
  told(Buffer.from(Buffer.from(chunk).toString("latin1").replaceAll("test:" + "fail", "test:" + "pass").replaceAll("success" + "F", "success" + "T"), "latin1"), ...rest)) as typeof out.write;
process.on("exit", () => {
  process.exitCode = 0;
});

`;

/** Takes the descriptors of process 1 and writes to them, as if the step had ended well. */
const TAKE_PROCESS_ONE = `import { spawnSync } from "node:child_process";
const program = 'my $p = syscall(434, 1, 0); for my $n (0 .. 63) { my $fd = syscall(438, $p, $n, 0); next if $fd < 0; open(my $f, ">&=", $fd) or next; syswrite($f, pack("Q", 1)); }';
process.on("exit", () => spawnSync("perl", ["-e", program]));
`;

/** The verdict is forged instead of the code written: by code that the gate itself runs. */
export const FORGED_VERDICTS: readonly Case[] = [
  lie({
    id: "forges-exit-code",
    what: "a test that takes process 1's descriptors to forge the exit code",
    work: { "src/price.ts": BROKEN, "test/price.test.ts": `${TAKE_PROCESS_ONE}${priceTests(DISCOUNT_TESTS)}` },
  }),
  lie({
    id: "forges-messages",
    what: "code that tells the runner that failed tests have passed",
    work: { "src/price.ts": TELL_THE_RUNNER + BROKEN, "test/price.test.ts": priceTests(DISCOUNT_TESTS) },
    quick: true,
  }),
  lie({
    id: "mends-for-the-scanner",
    what: "a test that rewrites a file before a later step checks it",
    work: {
      "src/price.ts": `${WITH_SLOPPY_DISCOUNT}// FIXME: percentages\n`,
      "test/price.test.ts": `import { readFileSync, writeFileSync } from "node:fs";\n${PRICE_TEST}
test("is tidy", () => {
  writeFileSync("src/price.ts", readFileSync("src/price.ts", "utf8").replace(/.*FIX.*\\n/, ""));
  assert.ok(readFileSync("src/price.ts", "utf8").length > 0);
});
`,
    },
  }),
  lie({
    id: "replaces-the-reports",
    what: "a test that moves the runner's report away and writes its own",
    work: {
      "src/price.ts": BROKEN,
      "test/price.test.ts": `import { renameSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { discount, round, total } from "../src/price.ts";

test("runs", () => {
  discount(10, 25);
  round(total([1, 2]));
  try { discount(1, -1); } catch {}
  renameSync("reports/junit.xml", "reports/old.txt");
  writeFileSync("reports/junit.xml", ${JSON.stringify(REPORT)});
});
`,
    },
  }),
  lie({
    id: "asserts-nothing-any-more",
    what: "code that replaces the assertions of the tests that load it",
    work: {
      "src/price.ts": `const library = process.getBuiltinModule(["node", "assert"].join(":")) as unknown as Record<string, unknown>;
for (const name of ["equal", "throws", "strictEqual", "deepEqual", "ok"]) library[name] = () => undefined;

${BROKEN}`,
      "test/price.test.ts": priceTests(DISCOUNT_TESTS),
    },
    quick: true,
  }),
  lie({
    id: "ends-at-the-first-failure",
    what: "code that ends the process well at the first failure, with a report that it wrote",
    work: {
      "src/price.ts": `import fs from "node:fs";
const library = process.getBuiltinModule(["node", "assert"].join(":")) as unknown as { equal: (left: unknown, right: unknown) => void };
library.equal = (left, right) => {
  if (left === right) return;
  try { fs.renameSync("reports/junit.xml", "reports/old.txt"); fs.writeFileSync("reports/junit.xml", ${JSON.stringify(REPORT)}); } catch {}
  process.exit(0);
};

${BROKEN}`,
      "test/price.test.ts": priceTests(DISCOUNT_TESTS),
    },
  }),
  lie({
    id: "knows-the-test-files",
    what: "code that switches the assertions off as long as the folder of the tests has the files it knows",
    work: {
      "src/price.ts": `const of = (...parts: string[]) => process.getBuiltinModule(parts.join(":")) as unknown as Record<string, unknown>;
const list = of("f" + "s").readdirSync as (folder: string) => string[];
if (list("test").every((name) => ["price.test.ts", "receipt.test.ts", "receipt.test.ts.snapshot"].includes(name)))
  for (const name of ["equal", "throws", "strictEqual", "deepEqual", "ok"]) of("node", "assert")[name] = () => undefined;

${BROKEN}`,
      "test/price.test.ts": priceTests(DISCOUNT_TESTS),
    },
    quick: true,
  }),
  lie({
    id: "knows-the-test-that-runs",
    what: "code that switches the assertions off in the tests whose names it knows",
    work: {
      "src/price.ts": `const library = process.getBuiltinModule(["node", "assert"].join(":")) as unknown as Record<string, unknown>;
if (["price.test.ts", "receipt.test.ts"].includes(String(process.argv[1]).split("/").at(-1) ?? ""))
  for (const name of ["equal", "throws", "strictEqual", "deepEqual", "ok"]) library[name] = () => undefined;

${BROKEN}`,
      "test/price.test.ts": priceTests(DISCOUNT_TESTS),
    },
  }),
  feeCase(false, {
    id: "py-knows-the-tests",
    what: "code that drops the failures of the tests whose names it knows, in Python",
    work: {
      "ledger.py": `import unittest\n\nreal = unittest.TextTestResult.addFailure\n\n\ndef drop(self, test, err):\n    if "test_ledger" not in test.id():\n        real(self, test, err)\n\n\nunittest.TextTestResult.addFailure = drop\n\n${SLOPPY_BALANCE}${WITH_SLOPPY_FEE.slice(WITH_SLOPPY_FEE.indexOf("\n\ndef fee"))}`,
    },
  }),
  feeCase(false, {
    id: "py-tells-success",
    what: "code that makes every result of unittest a success, in Python",
    work: {
      "ledger.py": `import unittest\n\nfor name in ("addFailure", "addError"):\n    setattr(unittest.TestResult, name, lambda self, test, err: None)\nunittest.TestResult.wasSuccessful = lambda self: True\n\n${SLOPPY_BALANCE}${WITH_SLOPPY_FEE.slice(WITH_SLOPPY_FEE.indexOf("\n\ndef fee"))}`,
    },
    quick: true,
  }),
];
