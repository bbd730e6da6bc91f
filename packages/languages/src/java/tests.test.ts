import { beforeAll, expect, test } from "vitest";
import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { projectFolder, testMachine } from "../testing/adapter-suite.ts";
import { skipWithout, testSandbox } from "../testing/tools-here.ts";
import { javaAdapter } from "./adapter.ts";

const adapter = javaAdapter(testMachine());
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await testSandbox();
});

const JUNIT = `package bank;
import org.junit.jupiter.api.*;
class SumTest {
    @Test void adds() { Assertions.assertEquals(2, 1 + 1); }
    @Test void fails() { Assertions.assertEquals(3, 1 + 1); }
    @Test @Disabled void later() {}
}
`;

test("[CRI-186] tests of JUnit are read one by one from its report", { timeout: 120_000 }, async (context) => {
  await skipWithout(context, adapter, "javac", "JUnit 5");
  const { tests, skipped, broken } = await adapter.runTests(projectFolder({ "tests/bank/SumTest.java": JUNIT }), { sandbox });
  expect(broken).toBeNull();
  expect(tests.map(({ name, result }) => [name, result]).toSorted()).toEqual([
    ["bank.SumTest > adds()", "PASS"],
    ["bank.SumTest > fails()", "FAIL"],
  ]);
  expect(skipped).toEqual(["bank.SumTest > later()"]);
  const leaves = JUNIT.replace("1 + 1); }\n    @Test void fails", "1 + 1); System.exit(0); }\n    @Test void fails");
  expect((await adapter.runTests(projectFolder({ "tests/bank/SumTest.java": leaves }), { sandbox })).broken).toBe(
    "the test runner wrote no report",
  );
});

test("a test that does not compile is a broken run, and an empty project compiles", { timeout: 120_000 }, async (context) => {
  await skipWithout(context, adapter, "javac");
  const bad = await adapter.runTests(projectFolder({ "tests/ATest.java": "public class ATest { int x = y; }\n" }), { sandbox });
  expect(bad.broken).toContain("tests/ATest.java:1");
  expect(await adapter.compileCheck(projectFolder({ "README.md": "" }), { sandbox })).toEqual({ passed: true, problems: [] });
});
