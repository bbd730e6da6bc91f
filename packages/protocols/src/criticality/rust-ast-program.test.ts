import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const PROGRAM = join(import.meta.dirname, "..", "..", "bin", "criticality-rust-ast.mjs");
const run = (args: readonly string[], input: string) =>
  spawnSync(process.execPath, ["--conditions=slipway-source", "--disable-warning=ExperimentalWarning", PROGRAM, ...args], {
    input,
    encoding: "utf8",
  });

test("[CRI-182] `criticality-rust-ast inject` answers with the code, and leaves the rest of the skeleton as it is", () => {
  const skeleton = "// kept\nfn double(a: i32) -> i32 {\n    todo!()\n}\n";
  const { status, stdout } = run(["inject"], JSON.stringify({ skeleton, fnName: "double", body: "a * 2" }));
  expect([status, JSON.parse(stdout)]).toEqual([0, { code: "// kept\nfn double(a: i32) -> i32 {\n    a * 2\n}\n" }]);
});

test("[CRI-182] a missing function is an error, with nothing on standard output", () => {
  const { status, stdout, stderr } = run(["inject"], JSON.stringify({ skeleton: "fn a() {}\n", fnName: "b", body: "" }));
  expect([status, stdout, stderr]).toEqual([1, "", expect.stringContaining("function_not_found")]);
});

test("another command is refused with the usage", () => {
  expect(run(["parse"], "").status).toBe(2);
});
