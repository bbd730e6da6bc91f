import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { scratchFolder } from "@slipway/kernel/host/sandbox/testing/scratch";
import { unsandboxed } from "@slipway/kernel/host/sandbox/unsandboxed";
import { beforeAll, describe, expect, test } from "vitest";
import { projectFolder } from "../testing/adapter-suite.ts";
import { skipWithout, testSandbox } from "../testing/tools-here.ts";
import { pythonAdapter } from "./adapter.ts";
import { SYNTAX_ONLY } from "./compile.ts";
import { pythonWitness } from "./witness.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await testSandbox();
});
const plain = pythonAdapter({ env: process.env });

function program(path: string, script: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** A machine whose programs are scripts; they are outside of what the sandbox shows, so they run without it. */
function scripted(scripts: Readonly<Record<string, string>>) {
  const folder = scratchFolder();
  for (const [name, script] of Object.entries(scripts)) program(join(folder, "bin", name), script);
  return {
    adapter: pythonAdapter({ env: { PATH: join(folder, "bin"), HOME: folder } }),
    open: unsandboxed({ reason: "scripts outside of the sandbox", by: "test" }),
    folder,
  };
}

describe("a compile check without a type checker", () => {
  test("checks the syntax, and says that it is all it checked", async (context) => {
    await skipWithout(context, plain, "python3");
    const adapter = pythonAdapter({ env: { PATH: "", HOME: "/nonexistent" } });
    await skipWithout(context, adapter, "python3");
    context.skip(!(await adapter.missingTools()).some(({ tool }) => tool === "pyright"), "pyright is installed for everyone");
    const result = await adapter.compileCheck(projectFolder({ "src/a.py": "x: int = 'text'\n" }), { sandbox });
    expect(result).toEqual({ passed: true, problems: [], notes: [SYNTAX_ONLY] });
    const oracle = await adapter.openOracle({ "a.py": "x = 1\n" }, { sandbox });
    expect(await oracle.checkFile("a.py", "x = (\n")).toMatchObject({ passed: false, problems: [{ file: "a.py", line: 1 }] });
    await oracle.close();
  });

  test("finds a syntax error with its place, a NUL and a wrong encoding", async (context) => {
    await skipWithout(context, plain, "python3");
    const check = (text: string) => plain.compileCheck(projectFolder({ "src/a.py": text }), { sandbox });
    expect(await check("x = 1\nif x\n    pass\n")).toMatchObject({ passed: false, problems: [{ file: "src/a.py", line: 2 }] });
    expect((await check("x = 1\0\n")).passed).toBe(false);
    expect((await check("# coding: no-such-thing\n")).passed).toBe(false);
    expect(await plain.compileCheck(projectFolder({ "README.md": "" }), { sandbox })).toEqual({ passed: true, problems: [] });
  });

  test("an interpreter that fails is a problem without a place", async () => {
    const { adapter, open } = scripted({ python3: "echo no memory >&2; exit 9" });
    const result = await adapter.compileCheck(projectFolder({ "a.py": "" }), { sandbox: open });
    expect(result).toMatchObject({ passed: false, problems: [{ file: null, message: "python3 ended with 9: no memory" }] });
    const garbage = scripted({ python3: "echo no JSON" });
    expect((await garbage.adapter.compileCheck(projectFolder({ "a.py": "" }), { sandbox: garbage.open })).passed).toBe(false);
  });
});

describe("[CRI-186] mypy is the gate where it is installed", () => {
  test.each([
    ["src/a.py", "src"],
    ["a.py", "."],
  ])("for %s it checks %s", async (path, root) => {
    const mypy = `for last; do :; done\n[ "$last" = "${root}" ] || exit 9\necho '${path}:3:5: error: Incompatible return value type  [return-value]'\necho '${path}:9: note: see above'\nexit 1`;
    const { adapter, open } = scripted({ python3: "echo '[]'", mypy });
    expect(await adapter.compileCheck(projectFolder({ [path]: "" }), { sandbox: open })).toEqual({
      passed: false,
      problems: [{ file: path, line: 3, column: 5, message: "Incompatible return value type  [return-value]" }],
    });
  });
});

describe("a pyright that misbehaves", () => {
  const withPyright = (index: string, server = "process.exit(1)") => {
    const folder = scratchFolder();
    mkdirSync(join(folder, "node_modules", "pyright"), { recursive: true });
    writeFileSync(join(folder, "node_modules", "pyright", "index.js"), index);
    writeFileSync(join(folder, "node_modules", "pyright", "langserver.index.js"), server);
    return pythonAdapter({ env: process.env, packages: [join(folder, "node_modules")] });
  };

  test("is a problem without a place", async (context) => {
    await skipWithout(context, plain, "python3");
    const adapter = withPyright("console.log('no JSON'); console.error('broken'); process.exit(2)");
    const result = await adapter.compileCheck(projectFolder({ "a.py": "" }), { sandbox });
    expect(result).toMatchObject({ passed: false, problems: [{ file: null, message: "pyright ended with 2: broken" }] });
  });

  test("is asked with the project's own settings, and a finding without a place is kept", async (context) => {
    await skipWithout(context, plain, "python3");
    const report = {
      generalDiagnostics: [
        { severity: "error", message: "no interpreter" },
        { severity: "warning", message: "old" },
      ],
    };
    const adapter = withPyright(`console.log(JSON.stringify(${JSON.stringify(report)})); process.exit(1)`);
    const result = await adapter.compileCheck(projectFolder({ "a.py": "", "pyproject.toml": "" }), { sandbox });
    expect(result).toMatchObject({ passed: false, problems: [{ file: null, line: 1, message: "no interpreter" }] });
  });

  test("cannot be an oracle", async () => {
    await expect(withPyright("", "process.exit(1)").openOracle({ "a.py": "" }, { sandbox })).rejects.toMatchObject({
      code: "compiler_failed",
    });
  });
});

describe("tests of Python", () => {
  test("[CRI-186] name pytest if it is missing", async () => {
    const { adapter, open } = scripted({ python3: "echo 'python3: No module named pytest' >&2; exit 1" });
    await expect(adapter.runTests(projectFolder({ "test_a.py": "" }), { sandbox: open })).rejects.toMatchObject({
      code: "tool_missing",
      message: expect.stringContaining("pytest") as string,
    });
    expect((await adapter.missingTools()).map(({ tool }) => tool)).toEqual(expect.arrayContaining(["pytest", "hypothesis"]));
  });

  test("that pytest refuses to start are a broken run, and so is a file that cannot be imported", { timeout: 120_000 }, async (context) => {
    await skipWithout(context, plain, "python3", "pytest");
    const missing = await plain.runTests(projectFolder({ "test_a.py": "" }), { sandbox, files: ["no_such_file.py"] });
    expect(missing.broken).toContain("pytest refused to start");
    const broken = await plain.runTests(projectFolder({ "tests/test_a.py": "import nothing_here\n" }), { sandbox });
    expect(broken.tests).toMatchObject([{ result: "FAIL" }]);
    expect(broken.broken).toBeNull();
  });

  test("that leave a process behind end all the same", { timeout: 120_000 }, async (context) => {
    await skipWithout(context, plain, "python3", "pytest");
    const text = "import subprocess\n\ndef test_a():\n    subprocess.Popen(['sleep', '1000'], start_new_session=True)\n";
    expect(await plain.runTests(projectFolder({ "tests/test_a.py": text }), { sandbox })).toMatchObject({
      tests: [{ result: "PASS" }],
      broken: null,
    });
  });

  test("can be stopped", async () => {
    await expect(plain.runTests(projectFolder({ "test_a.py": "" }), { sandbox, signal: AbortSignal.abort() })).rejects.toThrow();
  });
});

test("a witness keeps its type parameters and can be empty", { timeout: 120_000 }, async (context) => {
  const made = pythonWitness({
    name: "SortedList",
    description: "A sorted list",
    base: {
      generic: true,
      type_params: [
        { name: "T", bounds: ["Ord"] },
        { name: "K", bounds: ["int"] },
      ],
      inner_type: "list[T]",
    },
    invariants: [],
    constructors: [{ name: "empty", trust_level: "safe" }],
  });
  expect(made.text).toContain('T = TypeVar("T")\nK = TypeVar("K", bound="int")');
  expect(made.text).toContain("class SortedList(Generic[T, K]):");
  await skipWithout(context, plain, "python3", "pytest");
  const use = "from witnesses.sorted_list import SortedList\n\ndef test_empty():\n    assert SortedList.empty().value == []\n";
  expect(await plain.runTests(projectFolder({ [made.path]: made.text, "tests/test_a.py": use }), { sandbox })).toMatchObject({
    tests: [{ result: "PASS" }],
  });
});
