import { describe, expect, test } from "vitest";
import { specMentions } from "./spec-mentions.ts";
import { inWords } from "./finding.ts";
import { addedLines, doubleFindings, lineFindings, secretFindings } from "./line-rules.ts";

const added = (line: string, { path = "src/a.ts", isTest = false, before = "", spec = "" } = {}) =>
  lineFindings({ path, status: "M", before, after: `${before}\n${line}\n` }, isTest, specMentions(spec)).filter(
    ({ level }) => level === "warning",
  );

describe("lines that weaken a check", () => {
  test.each([
    ["/* c8 ignore next */", "src/a.ts", false, "coverage_silenced"],
    ["/* node:coverage disable */", "src/a.ts", false, "coverage_silenced"],
    ["x = 1  # pragma: no cover", "a.py", false, "coverage_silenced"],
    ["// @ts-ignore", "src/a.ts", false, "checker_silenced"],
    ["// eslint-disable-next-line no-eval", "src/a.ts", false, "checker_silenced"],
    ["x = y  # type: ignore", "a.py", false, "checker_silenced"],
    ['if (process.env["NODE_TEST_CONTEXT"]) return 1;', "src/a.ts", false, "asks_for_tests"],
    ['if (process.env.NODE_ENV === "test") return 1;', "src/a.ts", false, "asks_for_tests"],
    ["if (process.env.CI) return 1;", "src/a.ts", false, "asks_for_tests"],
    ['if "unittest" in sys.modules:', "a.py", false, "asks_for_tests"],
    ["assert.equal = () => undefined;", "test/a.test.ts", true, "assertions_replaced"],
    ["Object.assign(assert, fake);", "src/a.ts", false, "assertions_replaced"],
    ["unittest.TestCase.assertEqual = nothing", "test_a.py", true, "assertions_replaced"],
    ["const xit = () => undefined;", "test/a.test.ts", true, "runner_replaced"],
    ["process.exit(0);", "test/a.test.ts", true, "process_ended"],
    ["process.exitCode = 0;", "test/a.test.ts", true, "process_ended"],
    ["os._exit(0)", "test_a.py", true, "process_ended"],
    ["sys.exit(0)", "test_a.py", true, "process_ended"],
  ])("%s in %s", (line, path, isTest, rule) => {
    expect(added(line, { path, isTest })).toMatchObject([{ rule, path }]);
  });

  test.each([
    ["const total = prices.length;", "src/a.ts", false],
    ["process.exit(0);", "src/cli.ts", false],
    ["const port = process.env.PORT;", "src/a.ts", false],
    ["// @ts-expect-error", "test/a.test.ts", true],
    ["const test = base.extend({});", "test/a.test.ts", true],
    ["assert.equal(a, b);", "test/a.test.ts", true],
    ['log("process.exit(0)");', "test/a.test.ts", true],
    ["process.env.NODE_TEST_CONTEXT;", "test/a.test.ts", true],
    ["/* c8 ignore next */", "notes.txt", false],
  ])("but not %s in %s", (line, path, isTest) => {
    expect(added(line, { path, isTest })).toEqual([]);
  });

  test("existing lines are no finding, also at a new position", () => {
    expect(added("  // @ts-ignore", { before: "" })).toHaveLength(1);
    expect(
      lineFindings({ path: "a.ts", status: "M", before: "// @ts-ignore\n", after: "x\n  // @ts-ignore\n" }, false, specMentions("")),
    ).toEqual([]);
    expect(addedLines("a\na\n", "a\na\na\n\n")).toEqual(["a"]);
  });

  test("a variable that the specification names is allowed", () => {
    expect(added("if (process.env.VITEST) return;", { spec: "Under VITEST do nothing." })).toEqual([]);
  });

  test("a deleted file has no lines", () => {
    expect(lineFindings({ path: "a.ts", status: "D", before: "x", after: null }, false, specMentions(""))).toEqual([]);
  });
});

describe("a test double that replaces the changed code", () => {
  const doubled = (line: string, path = "test/a.test.ts", sources = ["src/price.ts", "shop/ledger.py", "pkg/__init__.py"]) =>
    doubleFindings({ path, status: "A", before: null, after: `${line}\n` }, sources).map(inWords);

  test.each([
    ['vi.mock("../src/price.js", () => ({}));', "test/a.test.ts", "src/price.ts"],
    ['mock.module("../src/price.ts", {});', "test/a.test.ts", "src/price.ts"],
    ['jest.doMock("../src/price");', "test/a.test.ts", "src/price.ts"],
    ['with mock.patch("shop.ledger.fee", return_value=1):', "test_a.py", "shop/ledger.py"],
    ['@patch("ledger.fee")', "test_a.py", "shop/ledger.py"],
    ["patch.object(ledger, 'fee')", "test_a.py", "shop/ledger.py"],
    ['patch("pkg.fee")', "test_a.py", "pkg/__init__.py"],
  ])("%s", (line, path, target) => {
    expect(doubled(line, path)).toEqual([`${path}: replaces ${target}, which this change is about, with a test double`]);
  });

  test.each([
    ['vi.mock("../src/clock.ts");', "test/a.test.ts"],
    ['vi.mock("price");', "test/a.test.ts"],
    ['patch("shop.ledgers.fee")', "test_a.py"],
    ['patch("time.time")', "test_a.py"],
  ])("but not %s", (line, path) => {
    expect(doubled(line, path)).toEqual([]);
  });

  test("only readable files are inspected", () => {
    expect(doubled('vi.mock("../src/price.js")', "test/a.txt")).toEqual([]);
    expect(doubleFindings({ path: "test/a.test.ts", status: "D", before: "", after: null }, ["src/price.ts"])).toEqual([]);
  });
});

test("a new value that the redactor would remove is a secret", () => {
  const redact = (text: string) => text.replaceAll("hunter2", "[redacted]");
  const file = (before: string | null, after: string | null) => ({ path: "a", status: "M" as const, before, after });
  expect(secretFindings(file(null, "password=hunter2"), redact).map(inWords)).toEqual(["a: adds an apparent secret"]);
  expect(secretFindings(file("hunter2\n", "hunter2\nmore\n"), redact)).toEqual([]);
  expect(secretFindings(file("hunter2", null), redact)).toEqual([]);
});
