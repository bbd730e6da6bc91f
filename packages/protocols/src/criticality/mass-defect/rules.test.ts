import { LANGUAGE_IDS } from "@slipway/languages/adapter";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GUARD_CHECKS } from "../catalog/schema.ts";
import { parseConfig } from "../config/config.ts";
import { guardAgainst } from "./guards.ts";
import { plainCode } from "./plain-code.ts";
import { reductionText } from "./summary.ts";
import { exceededTargets, unmetCoverage } from "./targets.ts";
import { verifyTransform, type TransformVerifier, type VerificationScope } from "./verify-transform.ts";

const { targets } = parseConfig(null).config.mass_defect;

describe("targets", () => {
  const names = (reading: Parameters<typeof exceededTargets>[1]) => exceededTargets("f", reading, targets).map(({ target }) => target);

  test("[CRI-083] the limits are 10, 50, 4 and 0.80, and a value at its limit is within it", () => {
    expect(names({ cyclomatic: 10, lines: 50, nesting: 4 })).toEqual([]);
    expect(names({ cyclomatic: 11, lines: 50, nesting: 4 })).toEqual(["max_cyclomatic_complexity"]);
    expect(names({ cyclomatic: 10, lines: 51, nesting: 4 })).toEqual(["max_function_length_lines"]);
    expect(names({ cyclomatic: 10, lines: 50, nesting: 5 })).toEqual(["max_nesting_depth"]);
    expect(unmetCoverage(0.8, targets)).toEqual([]);
    expect(unmetCoverage(0.799, targets)).toEqual([{ target: "min_test_coverage", limit: 0.8, measured: 0.799, function: null }]);
  });

  test("[CRI-083] a coverage that was not measured is no met target", () => {
    expect(unmetCoverage(null, targets)).toMatchObject([{ target: "min_test_coverage", measured: null }]);
  });

  test("[CRI-010] the end of the phase says why it ended, and how many targets are not met", () => {
    const unmet = [...exceededTargets("src/a.ts#f", { cyclomatic: 12, lines: 1, nesting: 0 }, targets), ...unmetCoverage(null, targets)];
    expect(reductionText({ accepted: [], reverted: [], ended: "exhausted", unmet })).toBe(
      "0 transformations accepted, 0 reverted; no applicable pattern is left; 2 targets are not met",
    );
    expect(reductionText({ accepted: [], reverted: [], ended: "satisfied", unmet: [] })).toMatch(/no smell is left; all targets are met$/);
  });
});

describe("guards", () => {
  test.each([
    ["releases_resource", "lock.acquire(); work(); lock.release();", "release(order);"],
    ["yields", "yield item;", "const yielded = 1;"],
    ["awaits", "await load(item);", "const awaited = 1;"],
    ["breaks_loop", "for (const x of xs) { if (x) break; }", "return breakEven;"],
    ["reflects", "return eval(text);", "return evaluate(text);"],
  ] as const)("%s is seen in code, and not in comments and texts", (check, applies, applies_not) => {
    const guard = (body: string) => guardAgainst({ checks: [check] }, body, "typescript");
    expect(guard(applies)).toBe(check);
    expect(guard(applies_not)).toBeNull();
    expect(guard(`// ${applies}\n/* ${applies} */ const text = ${JSON.stringify(applies)};`)).toBeNull();
  });

  test("only the guards of the pattern count", () => {
    expect(guardAgainst({ checks: [] }, "await x; yield y; break;", "typescript")).toBeNull();
    expect(guardAgainst({ checks: GUARD_CHECKS }, "yield_ = 1  # yield", "python")).toBeNull();
  });

  test("code without comments and texts keeps what is neither, in every language", () => {
    for (const language of LANGUAGE_IDS)
      fc.assert(
        fc.property(fc.array(fc.constantFrom("a", " ", "=", "1", ";", "\n", "(", ")"), { maxLength: 40 }), (pieces) => {
          expect(plainCode(pieces.join(""), language)).toBe(pieces.join(""));
        }),
        { numRuns: 30 },
      );
    expect(plainCode("a # b\n'''c'''\nd", "python")).toBe('a  \n""\nd');
    expect(plainCode('a // b\n\'c\' `d\ne` "f\\"g"', "typescript")).toBe('a  \n"" "" ""');
    expect(plainCode("fn f<'a>(x: &'a str) {} // it's", "rust")).toBe("fn f<'a>(x: &'a str) {}  ");
  });
});

describe("[CRI-075] verification", () => {
  const scopes = (risk: 1 | 2 | 3 | 4, verify: Partial<TransformVerifier> = {}) => {
    const ran: string[] = [];
    const verifier: TransformVerifier = {
      compile: async () => {
        ran.push("compile");
        return { passed: true, problems: [] };
      },
      tests: async (_tree, scope) => {
        ran.push(scope.type);
        return { passed: true, ran: 1, detail: "" };
      },
      ...verify,
    };
    const change = { tree: {}, path: "src/a.ts", function: "src/a.ts#f", risk, added: ["helper"], minCoverage: 0.8 };
    return verifyTransform(verifier, change, new AbortController().signal).then((verdict) => ({ ran, verdict }));
  };

  test.each([
    [1, ["compile"]],
    [2, ["compile", "unit_tests"]],
    [3, ["compile", "unit_tests", "integration_tests"]],
    [4, ["compile", "full_test_suite"]],
  ] as const)("of risk %i runs exactly its checks", async (risk, expected) => {
    expect(await scopes(risk)).toEqual({ ran: expected, verdict: { passed: true } });
  });

  /** Tests of each scope reach these of ten lines: eight of `f` and two of an added function. */
  const reaching = (byScope: Readonly<Record<string, number>>) => ({
    tests: async (_tree: unknown, scope: VerificationScope) => {
      const upTo = (lines: number[]) => lines.filter((line) => line <= (byScope[scope.type] ?? 0));
      const coverage = [
        { path: "src/a.ts", name: "f", lines: [1, 2, 3, 4, 5, 6, 7, 8] },
        { path: "src/a.ts", name: "helper", lines: [9, 10] },
        { path: "src/a.ts", name: "other", lines: [11, 12, 13, 14, 15, 16] },
        { path: "src/b.ts", name: "f", lines: [1, 2, 3] },
      ].map((one) => ({ ...one, reached: upTo(one.lines) }));
      return { passed: true, ran: 1, detail: "", coverage };
    },
  });

  test("[CRI-083] a change whose lines the tests reach to exactly the target is accepted, one below it is not", async () => {
    expect((await scopes(2, reaching({ unit_tests: 8 }))).verdict).toEqual({ passed: true });
    const below = { unit_tests: 7, integration_tests: 7, full_test_suite: 7 };
    for (const risk of [2, 3, 4] as const) {
      expect((await scopes(risk, reaching(below))).verdict).toMatchObject({
        passed: false,
        detail: "the tests reach 70 % of its lines, and 80 % are needed",
      });
    }
    expect((await scopes(1, reaching(below))).verdict).toEqual({ passed: true });
  });

  test("[CRI-083] wider tests run if those of the scope reach too few lines", async () => {
    const seen: string[] = [];
    const { tests } = reaching({ unit_tests: 7, integration_tests: 9 });
    const { verdict } = await scopes(2, {
      tests: (tree, scope) => {
        seen.push(scope.type);
        return tests(tree, scope);
      },
    });
    expect([verdict, seen]).toEqual([{ passed: true }, ["unit_tests", "integration_tests"]]);
  });

  test("names the function and the module of the scope", async () => {
    const seen: VerificationScope[] = [];
    await scopes(3, {
      tests: async (_tree, scope) => {
        seen.push(scope);
        return { passed: true, ran: 1, detail: "" };
      },
    });
    expect(seen).toEqual([
      { type: "unit_tests", scope: "target_function", function: "src/a.ts#f" },
      { type: "integration_tests", scope: "module", path: "src/a.ts" },
    ]);
  });

  test("stops at a failed compilation, and at a failed test", async () => {
    const problem = { file: null, line: 1, column: 1, message: "no such name" };
    const uncompiled = await scopes(3, { compile: async () => ({ passed: false, problems: [problem] }) });
    expect(uncompiled).toEqual({ ran: [], verdict: { passed: false, check: "compile", detail: "no such name" } });
    const failed = await scopes(3, { tests: async () => ({ passed: false, ran: 1, detail: "expected 1" }) });
    expect(failed.verdict).toEqual({ passed: false, check: "unit_tests_target_function", detail: "expected 1" });
  });

  test("runs wider tests if the function has none, and fails if there is none at all", async () => {
    const ran: string[] = [];
    const only = (type: string) => ({
      tests: async (_tree: unknown, scope: VerificationScope) => {
        ran.push(scope.type);
        return { passed: true, ran: scope.type === type ? 3 : 0, detail: "" };
      },
    });
    expect((await scopes(2, only("integration_tests"))).verdict).toEqual({ passed: true });
    expect(ran.splice(0)).toEqual(["unit_tests", "integration_tests"]);
    expect((await scopes(2, only("full_test_suite"))).verdict).toEqual({ passed: true });
    expect(ran.splice(0)).toEqual(["unit_tests", "integration_tests", "full_test_suite"]);
    expect((await scopes(3, only("nothing"))).verdict).toEqual({
      passed: false,
      check: "integration_tests_module",
      detail: "there is no test",
    });
  });
});
