import { kindAt } from "@slipway/kernel/host/sandbox/paths";
import { beforeAll, expect, test } from "vitest";
import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { projectFolder, testMachine } from "../testing/adapter-suite.ts";
import { skipWithout, testSandbox } from "../testing/tools-here.ts";
import { cppAdapter } from "./adapter.ts";
import { librariesOf } from "./project.ts";

const adapter = cppAdapter(testMachine());
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await testSandbox();
});

const GTEST =
  "#include <gtest/gtest.h>\n#include <cstdlib>\nTEST(Sum, Adds) { EXPECT_EQ(1 + 1, 2); }\nTEST(Sum, Fails) { EXPECT_EQ(1 + 1, 3); }\n";

test("tests of GoogleTest are read one by one from its report", { timeout: 120_000 }, async (context) => {
  await skipWithout(context, adapter, "g++");
  context.skip(kindAt("/usr/include/gtest/gtest.h") === "missing", "gtest is not installed (Debian: apt-get install libgtest-dev)");
  const { tests, broken } = await adapter.runTests(projectFolder({ "tests/sum_test.cpp": GTEST }), { sandbox });
  expect(broken).toBeNull();
  expect(tests.map(({ name, result }) => [name, result])).toEqual([
    ["Sum > Adds", "PASS"],
    ["Sum > Fails", "FAIL"],
  ]);
  const left = await adapter.runTests(projectFolder({ "tests/sum_test.cpp": `${GTEST}TEST(Sum, Leaves) { std::exit(0); }\n` }), {
    sandbox,
  });
  expect(left.broken).toBe("the test runner wrote no report");
});

test("a test is linked with the sources, and with the libraries that its headers need", () => {
  expect(librariesOf("#include <rapidcheck.h>")).toEqual(["-lrapidcheck"]);
  expect(librariesOf("#include <gtest/gtest.h>")).toEqual(["-lgtest_main", "-lgtest", "-pthread"]);
  expect(librariesOf("#include <gtest/gtest.h>\nint main() {}")).toEqual(["-lgtest", "-pthread"]);
  expect(librariesOf("#include <vector>")).toEqual([]);
});

test(
  "a test that does not compile is a broken run, a program of the project is not linked, and an empty project compiles",
  { timeout: 120_000 },
  async (context) => {
    await skipWithout(context, adapter, "g++");
    const bad = await adapter.runTests(projectFolder({ "tests/a_test.cpp": "int main() { return x; }\n" }), { sandbox });
    expect(bad.broken).toContain("tests/a_test.cpp:1");
    const two = {
      "src/main.cpp": "int main() { return 1; }\n",
      "src/a.cpp": "int a() { return 0; }\n",
      "tests/a_test.cpp": "int a();\nint main() { return a(); }\n",
    };
    expect(await adapter.runTests(projectFolder(two), { sandbox })).toMatchObject({ tests: [{ result: "PASS" }], broken: null });
    expect(await adapter.compileCheck(projectFolder({ "README.md": "" }), { sandbox })).toEqual({ passed: true, problems: [] });
  },
);
