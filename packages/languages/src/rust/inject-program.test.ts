import fc from "fast-check";
import { expect, test } from "vitest";
import { runRustInject } from "./inject-program.ts";

const SKELETON = "/// Doc.\npub fn add(a: i32, b: i32) -> i32 {\n    todo!()\n}\n\nfn after() {} // ü\n";
const inject = (request: unknown) => runRustInject(JSON.stringify(request));

test("[CRI-182] the answer is the code with the body of that function", () => {
  const { stdout, stderr, exitCode } = inject({ skeleton: SKELETON, fnName: "add", body: "a + b" });
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  expect(JSON.parse(stdout)).toEqual({ code: SKELETON.replace("todo!()", "a + b") });
});

test("[CRI-182] a missing function is an error that names it, without an answer", () => {
  const { stdout, stderr, exitCode } = inject({ skeleton: SKELETON, fnName: "subtract", body: "a - b" });
  expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
  expect(stderr).toContain("function_not_found: The source has no function subtract.");
});

test("[CRI-182] code outside the body is unchanged, whatever the body is", () => {
  const [before = "", after = ""] = SKELETON.split("{\n    todo!()\n}");
  fc.assert(
    fc.property(fc.array(fc.constantFrom("a", "+", "{", "}", ";", "fn x() {}", '"', "/*", "*/", "//", "\n"), { maxLength: 6 }), (parts) => {
      const { stdout, exitCode } = inject({ skeleton: SKELETON, fnName: "add", body: parts.join(" ") });
      if (exitCode !== 0) return;
      const { code } = JSON.parse(stdout) as { code: string };
      expect(code.startsWith(before)).toBe(true);
      expect(code.endsWith(after)).toBe(true);
    }),
  );
});

test.each([
  ["a skeleton that does not parse", { skeleton: "fn f( {", fnName: "f", body: "1" }, "source_syntax"],
  ["a body that does not parse", { skeleton: SKELETON, fnName: "add", body: "(" }, "body_syntax"],
  ["a body that leaves its function", { skeleton: SKELETON, fnName: "add", body: "1 } fn evil() -> i32 { 2" }, "body_escapes"],
])("%s is refused", (_, request, code) => {
  expect(inject(request)).toMatchObject({ stdout: "", exitCode: 1, stderr: expect.stringContaining(code) as string });
});

test.each(["", "no JSON", "[]", "{}", '{"skeleton":"","fnName":""}', '{"skeleton":"","fnName":"","body":"","more":1}'])(
  "the request %j is refused as a usage error",
  (stdin) => {
    expect(runRustInject(stdin)).toMatchObject({ stdout: "", exitCode: 2 });
  },
);
