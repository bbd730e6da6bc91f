import { SlipwayError } from "../../../schema/errors.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LocationTally, addCounts, ratioOf } from "./coverage.ts";
import { parseCobertura } from "./parse-cobertura.ts";
import { parseJacoco } from "./parse-jacoco.ts";
import { parseJunit } from "./parse-junit.ts";
import { parseLcov } from "./parse-lcov.ts";

async function* pieces(text: string, size = 7): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

const LCOV = `TN:
SF:src/a.ts
FN:1,f
DA:1,5
DA:2,0
DA:3,1,checksum
BRDA:1,0,0,1
BRDA:1,0,1,-
BRF:2
BRH:1
LF:3
LH:2
end_of_record
SF:src/b.ts
DA:1,0
LF:1
LH:0
end_of_record
`;

const JUNIT = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="99" failures="0">
  <testsuite name="a" tests="4">
    <testcase name="one"/>
    <testcase name="two"><failure message="no">at x</failure></testcase>
    <testcase name="three"><skipped/></testcase>
    <testcase name="four"><system-out>&lt;ok&gt;</system-out></testcase>
    <testcase name="five"><error/><failure/></testcase>
  </testsuite>
</testsuites>`;

const JACOCO = `<?xml version="1.0"?><!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN" "report.dtd">
<report name="x"><package name="p"><class name="C"><method name="m"><counter type="LINE" missed="9" covered="9"/></method><counter type="LINE" missed="8" covered="8"/></class>
<counter type="LINE" missed="1" covered="3"/><counter type="BRANCH" missed="2" covered="2"/></package>
<counter type="INSTRUCTION" missed="7" covered="7"/><counter type="LINE" missed="1" covered="3"/><counter type="BRANCH" missed="1" covered="2"/></report>`;

const COBERTURA = `<?xml version="1.0"?><!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">
<coverage line-rate="1" branch-rate="1"><packages><package><classes><class name="C" filename="c.py">
<methods><method name="m"><lines><line number="1" hits="1"/></lines></method></methods>
<lines><line number="1" hits="1"/><line number="2" hits="0" branch="true" condition-coverage="50% (1/2)"/><line number="3" hits="4" branch="false"/></lines>
</class><class name="D" filename="c.py"><lines><line number="1" hits="0"/></lines></class></classes></package></packages></coverage>`;

describe("[FEA-141] parsers count from the records of a report", () => {
  it("lcov: lines and branches", async () => {
    expect(await parseLcov(pieces(LCOV), "lcov.info")).toEqual({ lines: { covered: 2, total: 4 }, branches: { covered: 1, total: 2 } });
  });

  it("lcov: several records of one file count once, each line with its best count", async () => {
    const twice = "SF:a\nDA:1,0\nDA:2,0\nend_of_record\nSF:a\nDA:1,3\nend_of_record";
    expect(await parseLcov(pieces(twice), "l")).toEqual({ lines: { covered: 1, total: 2 }, branches: null });
  });

  it('lcov: "no branches" differs from "branches not measured"', async () => {
    expect((await parseLcov(pieces("SF:a\nDA:1,1\nBRF:0\nBRH:0\nend_of_record\n"), "l")).branches).toEqual({ covered: 0, total: 0 });
    expect((await parseLcov(pieces("SF:a\nDA:1,1\nend_of_record\n"), "l")).branches).toBeNull();
    expect(await parseLcov(pieces("SF:a\r\nBRF:0\r\nend_of_record\r\n"), "l")).toEqual({ lines: null, branches: null });
    expect((await parseLcov(pieces("SF:a\nDA:1,-4\nDA:2,99999999999999999999\nend_of_record"), "l")).lines).toEqual({
      covered: 1,
      total: 2,
    });
  });

  it("junit: counts the cases, not the totals in attributes", async () => {
    expect((await parseJunit(pieces(JUNIT), "r.xml")).counts).toEqual({ total: 5, passed: 2, failed: 2, skipped: 1 });
    const { counts } = await parseJunit(pieces('<testsuite tests="500"/>'), "r.xml");
    expect(counts).toEqual({ total: 0, passed: 0, failed: 0, skipped: 0 });
  });

  it("junit: an error outside a case is a failure", async () => {
    const { counts } = await parseJunit(pieces("<testsuite><error>set-up</error><testcase/></testsuite>"), "r.xml");
    expect(counts).toMatchObject({ total: 1, failed: 1 });
  });

  it("junit: names the tests that failed, by a failure or an error, and no others", async () => {
    const report =
      '<testsuite><testcase name="a"/><testcase name="b"><failure/></testcase><testcase name="c"><error/></testcase><testcase name="d"><skipped/></testcase></testsuite>';
    expect((await parseJunit(pieces(report), "r.xml")).failed).toEqual(new Set(["b", "c"]));
  });

  it("junit: names the tests that ran, with the number of runs, without skipped ones", async () => {
    const report =
      '<testsuite><testcase name="a"/><testcase name="a"/><testcase name="b"><failure/></testcase><testcase name="c"><skipped/></testcase></testsuite>';
    expect((await parseJunit(pieces(report), "r.xml")).ran).toEqual(
      new Map([
        ["a", 2],
        ["b", 1],
      ]),
    );
  });

  it("jacoco: the counters of the report, or of its packages", async () => {
    expect(await parseJacoco(pieces(JACOCO), "j.xml")).toEqual({ lines: { covered: 3, total: 4 }, branches: { covered: 2, total: 3 } });
    const grouped =
      '<report><group><package><counter type="LINE" missed="1" covered="1"/></package><package><counter type="LINE" missed="0" covered="2"/></package></group></report>';
    expect(await parseJacoco(pieces(grouped), "j.xml")).toEqual({ lines: { covered: 3, total: 4 }, branches: null });
  });

  it("cobertura: counts each line once, and ignores the rates in attributes", async () => {
    expect(await parseCobertura(pieces(COBERTURA), "c.xml")).toEqual({
      lines: { covered: 2, total: 3 },
      branches: { covered: 1, total: 2 },
    });
    expect(await parseCobertura(pieces('<coverage line-rate="1"/>'), "c.xml")).toEqual({ lines: null, branches: null });
  });
});

const BOMB = `<?xml version="1.0"?><!DOCTYPE testsuite [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><testsuite><testcase name="&b;"/></testsuite>`;

describe("malformed reports", () => {
  it.each([
    ["lcov", parseLcov, "this is no report"],
    ["lcov", parseLcov, ""],
    ["lcov", parseLcov, "SF:a\nDA:one,1\nend_of_record"],
    ["lcov", parseLcov, `SF:a\nDA:1,${"x".repeat(200)}`],
    ["lcov", parseLcov, "SF:a\nBRDA:1,0\n"],
    ["lcov", parseLcov, "SF:a\nBRDA:1,0,0,x\n"],
    ["junit", parseJunit, "<testsuites>"],
    ["junit", parseJunit, "<html></html>"],
    ["junit", parseJunit, BOMB],
    ["junit", parseJunit, "<testsuite>&undefined;</testsuite>"],
    ["junit", parseJunit, "not xml"],
    ["junit", parseJunit, "<testsuite>".repeat(200)],
    ["jacoco", parseJacoco, "<coverage/>"],
    ["jacoco", parseJacoco, '<report><counter type="LINE" missed="-1" covered="1"/></report>'],
    ["jacoco", parseJacoco, "<report><counter/></report>"],
    ["cobertura", parseCobertura, "<report/>"],
    ["cobertura", parseCobertura, "<coverage><lines><line number='1'/></lines></coverage>"],
    ["cobertura", parseCobertura, "<coverage><lines><line number='1' hits='1' branch='true'/></lines></coverage>"],
    [
      "cobertura",
      parseCobertura,
      "<coverage><lines><line number='1' hits='1' branch='true' condition-coverage='(3/2)'/></lines></coverage>",
    ],
  ])("%s: the failure names the file", async (_, parser, text) => {
    await expect(parser(pieces(text), "some/report")).rejects.toMatchObject({
      code: "gate_failed",
      message: expect.stringContaining("some/report"),
    });
  });

  it("fuzzed reports are counted or refused, and never crash or hang", async () => {
    const seeds = fc.constantFrom(LCOV, JUNIT, JACOCO, COBERTURA, BOMB);
    const edit = fc.record({
      at: fc.nat(),
      length: fc.nat(20),
      text: fc.oneof(fc.string({ maxLength: 20 }), fc.constantFrom("<", ">", "&", "<![CDATA[", "<!--", "\0", "\ud800", "DA:", "]]>")),
    });
    const mutated = fc.tuple(seeds, fc.array(edit, { maxLength: 6 })).map(([seed, edits]) =>
      edits.reduce<string>((text, { at, length, text: inserted }) => {
        const start = at % (text.length + 1);
        return text.slice(0, start) + inserted + text.slice(start + length);
      }, seed),
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(mutated, fc.string({ maxLength: 300 })), fc.integer({ min: 5, max: 50 }), async (text, size) => {
        for (const parser of [parseLcov, parseJunit, parseJacoco, parseCobertura]) {
          const result = await parser(pieces(text, size), "fuzzed").catch((error: unknown) => error);
          if (result instanceof Error) expect(result).toBeInstanceOf(SlipwayError);
          else for (const count of Object.values(result as object)) if (typeof count === "number") expect(count).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("chunk boundaries do not change the result", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 400 }), async (size) => {
        expect(await parseLcov(pieces(LCOV, size), "x")).toEqual(await parseLcov(pieces(LCOV, 1), "x"));
        expect(await parseJunit(pieces(JUNIT, size), "x")).toEqual(await parseJunit(pieces(JUNIT, 1), "x"));
      }),
      { numRuns: 50 },
    );
  });
});

describe("counts", () => {
  it("ratios", () => {
    expect([ratioOf(null), ratioOf({ covered: 0, total: 0 }), ratioOf({ covered: 1, total: 4 })]).toEqual([null, 1, 0.25]);
  });

  it("sums keep known values", () => {
    const one = { covered: 1, total: 2 };
    expect([addCounts(null, null), addCounts(one, null), addCounts(null, one), addCounts(one, one)]).toEqual([
      null,
      one,
      one,
      { covered: 2, total: 4 },
    ]);
  });

  it("a report with too many locations is refused before it fills the memory", () => {
    const tally = new LocationTally(() => new Error("too many"));
    expect(() => {
      for (let place = 0; place < 2_000_002; place++) tally.see(String(place), 0, 1);
    }).toThrow("too many");
  });
});
