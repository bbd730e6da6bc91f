import { describe, expect, test } from "vitest";
import { failedTest, passedTest } from "./test-report.ts";
import { END_MARK } from "./result-lines.ts";
import { plantCpp, plantGo, plantJava, plantPython, plantRust, withoutPlanted } from "./planted-tests.ts";

const below = (limit: number) => limit - 1;
const run = (tests: Parameters<typeof withoutPlanted>[0]["tests"], broken: string | null = null) => ({ tests, skipped: [], broken });
const [good, bad] = [passedTest("adds"), failedTest("adds", { message: "wrong" })];

describe("the planted tests of a run", () => {
  test.each(["more", "suite > more", "tests::more"])("that failed as they must are left out of it: %s", (name) => {
    expect(withoutPlanted(run([good, failedTest(name, { message: "" })]), ["more"])).toEqual(run([good]));
  });

  test.each([
    ["passed", [good, passedTest("more")]],
    ["is missing", [good]],
  ])("break it if one %s", (_, tests) => {
    expect(withoutPlanted(run(tests), ["more"])).toEqual(
      run([good], "1 of 1 failing tests that were planted in the test files did not fail, so the results prove nothing"),
    );
  });

  test("add nothing to a run that failed or broke anyway", () => {
    expect(withoutPlanted(run([bad]), ["more"])).toEqual(run([bad]));
    expect(withoutPlanted(run([good], "timed out"), ["more"])).toEqual(run([good], "timed out"));
    expect(withoutPlanted(run([good]), [])).toEqual(run([good]));
  });
});

describe("a planted test is called like a test of its file", () => {
  test.each([
    [plantPython, "def test_sum_ensures_1():\n    pass", "test_sum_ensures_9999"],
    [plantPython, "", "test_order_9999"],
    [plantRust, "#[test]\nfn inside() {\n}\n", "inside_9999"],
    [plantGo, 'package a\n\nimport (\n\t"testing"\n)\n\nfunc TestSum(t *testing.T) {\n}\n', "TestSum_9999"],
    [plantJava, `run("sum_ensures_2", x);\n        print("${END_MARK}");\n`, "sum_ensures_9999"],
    [plantCpp, `report("sum_1", true, "");\n  print("${END_MARK}");\n`, "sum_9999"],
    [plantCpp, "#include <gtest/gtest.h>\nTEST(Sum, Adds) {\n}\n", "Adds_9999"],
  ])("%o", (plant, text, title) => {
    const planted = plant(text, below);
    expect(planted?.title).toBe(title);
    expect(planted?.text).toContain(title);
  });

  test("where no framework is known, there is none", () => {
    for (const plant of [plantGo, plantJava, plantCpp]) expect(plant("int main() {}", below)).toBeNull();
  });
});
