import { describe, expect, test } from "vitest";
import { likelyCause, type Symptoms } from "./causes.ts";

const FAILED: Symptoms = {
  code: "gate_failed",
  message: 'Step "test" of the fast gate failed with exit code 1.',
  exitCode: 1,
  log: "",
  network: false,
  hidden: [],
  submodules: [],
  program: null,
  notes: [],
};

type Row = readonly [what: string, symptoms: Partial<Symptoms>, cause: string, next: string];

const NOT_FOUND = "is not found inside the sandbox";
const FRESH = "does not exist in a fresh checkout";
const OTHER_VERSION = "may need another version than the one that was started";

const ROWS: readonly Row[] = [
  [
    "a program that is installed out of sight",
    { code: "gate_command_missing", message: "/opt/x is where the sandbox does not show it" },
    "/opt/x",
    "sandbox.read_only",
  ],
  [
    "a program that is nowhere",
    { code: "gate_command_missing", message: 'cannot start "vitest"' },
    'A program is missing. cannot start "vitest"',
    "correct cmd",
  ],
  ["a step that does not end", { code: "gate_timeout" }, "did not finish in time", "timeout_seconds"],
  ["a limit of the sandbox", { code: "sandbox_limit_exceeded", message: "it used more memory" }, "it used more memory", "fewer workers"],
  ["a host without a sandbox", { code: "sandbox_unavailable", message: "bwrap is missing" }, "bwrap is missing", "slipway doctor"],
  [
    "a submodule that is not there",
    { log: "cannot read vendor/lib/x.c", submodules: ["vendor/lib"] },
    "submodule (vendor/lib) is empty",
    "sandbox.shared_paths",
  ],
  [
    "a package of Node",
    { log: "Error: Cannot find module 'zod'" },
    "The package zod is not found.",
    "Install the packages in your checkout.",
  ],
  ["a package as a bundler says it", { log: `Module not found: Can't resolve "react"` }, "The package react", "Install"],
  [
    "a package that the checkout has",
    { log: "Cannot find package 'zod' imported from /w/a.js", hidden: ["node_modules", "venv"] },
    "Your checkout has node_modules, which gates do not see.",
    "Add node_modules to sandbox.shared_paths",
  ],
  [
    "a module of Python",
    { log: "ModuleNotFoundError: No module named 'yaml'", hidden: ["node_modules"] },
    "Python does not find the module yaml.",
    "PYTHONPATH: src",
  ],
  [
    "a module that a virtual environment has",
    { log: "ModuleNotFoundError: No module named 'yaml'", hidden: [".venv"], program: "/usr/bin/python3 3.11" },
    "/usr/bin/python3 3.11 does not find the module yaml. Your checkout has .venv",
    "Add .venv to sandbox.shared_paths",
  ],
  ["a module that is not committed", { log: "Cannot find module '../dist/a.js'" }, `../dist/a.js ${FRESH}`, "Commit it"],
  ["a network that is not there", { log: "connect ECONNREFUSED 127.0.0.1:5432" }, "needs the network", "network: true"],
  [
    "an old Node",
    { log: "node: bad option: --experimental-strip-types", program: "/usr/bin/node 18.0.0" },
    `${OTHER_VERSION} (/usr/bin/node 18.0.0)`,
    ".nvmrc",
  ],
  ["an old program without a name", { log: "SyntaxError: invalid syntax" }, `${OTHER_VERSION} (see the log)`, "PATH"],
  [
    "a version that the project asks for and does not get",
    { log: 'The engine "node" is incompatible', notes: ["Node 24 is asked for, 18 is there.", "See .nvmrc."] },
    "Node 24 is asked for, 18 is there. See .nvmrc.",
    "Install that version",
  ],
  ["the same without a word in the log", { notes: ["Node 24 is asked for."] }, "Node 24 is asked for.", "Install that version"],
  ["a write out of bounds", { log: "EROFS: read-only file system, open '/etc/x'" }, "writes outside its worktree", "/tmp"],
  ["a question to git", { log: "fatal: not a git repository (or any of the parent directories)" }, ".git is hidden", "does not need git"],
  ["a program that a script calls", { exitCode: 127, log: "check.sh: 3: pnpm: not found" }, `The program pnpm ${NOT_FOUND}`, "PATH"],
  ["the same in bash", { exitCode: 127, log: "check.sh: line 3: pnpm: command not found" }, `The program pnpm ${NOT_FOUND}`, "PATH"],
  ["a program nobody names", { exitCode: 127 }, `A program ${NOT_FOUND}`, "PATH"],
  [
    "an interpreter that is missing",
    { exitCode: 127, log: "bash: ./a: /x/y: bad interpreter: No such file or directory" },
    `A program ${NOT_FOUND}`,
    "PATH",
  ],
  [
    "a script that is not committed, in dash",
    { exitCode: 2, log: "sh: 0: cannot open check.sh: No such file" },
    `check.sh ${FRESH}`,
    "Commit it",
  ],
  [
    "a script that is not committed, in bash",
    { exitCode: 127, log: "bash: check.sh: No such file or directory" },
    `check.sh ${FRESH}`,
    "Commit it",
  ],
  ["a script that is called by its path", { exitCode: 127, log: "sh: 1: ./build.sh: not found" }, `./build.sh ${FRESH}`, "Commit it"],
  [
    "a script that may not be executed",
    { exitCode: 126, log: "sh: 1: ./a.sh: cannot execute" },
    "cannot be read, written or executed",
    "--chmod=+x",
  ],
  ["a file that may not be read", { log: "EACCES: open '/root/x'" }, "cannot be read, written or executed", "outside the worktree"],
  [
    "a file that is not committed, in Node",
    { log: "Error: ENOENT: no such file or directory, open 'data/x y.json'" },
    `data/x y.json ${FRESH}`,
    "Commit it",
  ],
  [
    "a file that is not committed, in Python",
    { log: "[Errno 2] No such file or directory: 'data/x.json'" },
    `data/x.json ${FRESH}`,
    "Commit it",
  ],
  [
    "a script that is not committed, in Python",
    { log: "python3: can't open file '/w/x.py': [Errno 2] No such file or directory" },
    `/w/x.py ${FRESH}`,
    "Commit it",
  ],
  ["a file that is not committed, elsewhere", { log: "cat: data/x.json: No such file or directory" }, `data/x.json ${FRESH}`, "Commit it"],
  [
    "a report that nobody wrote",
    { code: "no_tests_ran", message: "No step wrote reports/junit.xml." },
    "No step wrote reports/junit.xml.",
    "Check parsers",
  ],
  [
    "a mistake in the configuration",
    { code: "unknown_gate_profile_or_mode", message: "There is no mode slow." },
    "There is no mode slow.",
    "commit it",
  ],
];

describe("the likely cause of a gate that fails on the base", () => {
  test.each(ROWS)("%s", (_what, symptoms, cause, next) => {
    const told = likelyCause({ ...FAILED, ...symptoms });
    expect(told.cause).toContain(cause);
    expect(told.next).toContain(next);
  });

  test.each<readonly [string, Partial<Symptoms>]>([
    ["an assertion that fails", { log: "AssertionError: expected 1 to be 2" }],
    ["a refused connection of a step that has a network", { log: "ECONNREFUSED", network: true }],
    ["a submodule that the log does not name", { log: "1 failed", submodules: ["vendor/lib"] }],
    ["a wanted version, if the log is about something else", { log: "1 failed", notes: ["Node 24 is asked for."] }],
    ["a library that the loader misses", { log: "libx.so: cannot open shared object file: No such file or directory" }],
  ])("%s does not suggest the environment: the base itself fails", (_what, symptoms) => {
    expect(likelyCause({ ...FAILED, ...symptoms }).cause).toBe("The base itself does not pass, without any change by an agent.");
  });

  test("colours in the log do not hide the cause", () => {
    const log = "\u001B[31mCannot find module \u001B[1m'zod'\u001B[0m";
    expect(likelyCause({ ...FAILED, log }).cause).toBe("The package zod is not found.");
  });

  test("a certain cause comes before a likely one", () => {
    const log = "ECONNREFUSED\nCannot find module 'zod'\nEACCES";
    expect(likelyCause({ ...FAILED, exitCode: 127, log }).cause).toContain("zod");
    expect(likelyCause({ ...FAILED, exitCode: 127, log, code: "gate_timeout" }).cause).toContain("did not finish in time");
  });
});
