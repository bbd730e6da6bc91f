import { describe, expect, test } from "vitest";
import type { LanguageAdapter } from "../adapter.ts";
import { cppAdapter } from "../cpp/adapter.ts";
import { goAdapter } from "../go/adapter.ts";
import { javaAdapter } from "../java/adapter.ts";
import { pythonAdapter } from "../python/adapter.ts";
import { rustAdapter } from "../rust/adapter.ts";

const machine = { env: {} };
const [python, rust, go, java, cpp] = [
  pythonAdapter(machine),
  rustAdapter(machine),
  goAdapter(machine),
  javaAdapter(machine),
  cppAdapter(machine),
];
const smellsOf = (adapter: LanguageAdapter, text: string, name = "f") =>
  adapter.smells(adapter.parseAst(text), name).map(({ id, line, measured }) => [id, line, measured]);
const rulesOf = (adapter: LanguageAdapter, text: string) => adapter.scan(adapter.parseAst(text)).map(({ rule, line }) => [rule, line]);

describe("smells", () => {
  test("a name that is bound and never used", () => {
    expect(smellsOf(python, "def f(a):\n    unused = a\n    _meant = a\n    used = a\n    return used\n")).toEqual([
      ["unused-binding", 2, null],
    ]);
    expect(smellsOf(rust, "fn f(a: i32) -> i32 {\n    let unused = a;\n    a\n}\n")).toEqual([["unused-binding", 2, null]]);
    expect(smellsOf(java, "class A { int f(int a) {\n    int unused = a;\n    return a;\n} }", "A.f")).toEqual([
      ["unused-binding", 2, null],
    ]);
    expect(smellsOf(cpp, "int f(int a) {\n    int unused = a;\n    return a;\n}\n")).toEqual([["unused-binding", 2, null]]);
  });

  test("code after a statement that leaves", () => {
    expect(smellsOf(python, "def f(a):\n    if a:\n        return 1\n        print(a)\n    return 2\n")).toEqual([
      ["unreachable-code", 4, null],
    ]);
    expect(smellsOf(rust, "fn f(a: i32) -> i32 {\n    return a;\n    g()\n}\n")).toEqual([["unreachable-code", 3, null]]);
    expect(smellsOf(go, "package a\nfunc f() int {\n\treturn 1\n\tg()\n}\n")).toEqual([["unreachable-code", 4, null]]);
    expect(smellsOf(cpp, "int f(int a) {\n  switch (a) { case 1: return 1; case 2: break; }\n  return a;\n}\n")).toEqual([]);
  });

  test("numbers without a name, once each, and not those that everyone knows", () => {
    expect(smellsOf(python, "def f(a, b=77):\n    limit = 42\n    return a * 86400 + 86400 + 2 + limit + 37\n")).toEqual([
      ["magic-values", 3, null],
      ["magic-values", 3, null],
    ]);
  });

  test("a loop of Python that only appends", () => {
    const loop = (body: string) => `def f(a):\n    all = []\n    for x in a:\n        ${body}\n    return all\n`;
    expect(smellsOf(python, loop("all.append(x)"))).toEqual([["imperative-loop", 3, null]]);
    expect(smellsOf(python, loop("if x:\n            all.append(x)"))).toEqual([["imperative-loop", 3, null]]);
    expect(smellsOf(python, loop("if x:\n            all.append(x)\n        else:\n            g()"))).toEqual([]);
    expect(smellsOf(python, loop("g(x)\n        all.append(x)"))).toEqual([]);
    expect(smellsOf(python, loop("g(x)"))).toEqual([]);
  });

  test("long and branching bodies, with what was measured", () => {
    const lines = Array.from({ length: 51 }, (_, at) => `    g(a${at})`).join("\n");
    expect(smellsOf(python, `def f():\n${lines}\n`)).toEqual([["long-function-body", 1, 51]]);
    const branches = Array.from({ length: 11 }, () => "    if a: g()").join("\n");
    expect(smellsOf(python, `def f(a):\n${branches}\n`)).toEqual([["high-cyclomatic-complexity", 1, 12]]);
  });
});

describe("measures", () => {
  test("functions inside a function do not count for it", () => {
    const ast = python.parseAst("def f(a):\n    def g(b):\n        if b and a:\n            return 1\n    return g\n");
    expect(python.complexity(ast, "f")).toMatchObject({ cyclomatic: 1, nesting: 0 });
    expect(python.complexity(ast, "f.g")).toEqual({ cyclomatic: 3, nesting: 1, lines: 2 });
  });

  test("a missing function is an error", () => {
    expect(() => python.complexity(python.parseAst(""), "f")).toThrow(expect.objectContaining({ code: "function_not_found" }) as Error);
  });
});

describe("[CRI-125] the scan", () => {
  test.each(
    (
      [
        [python, "eval(x)", "python-eval"],
        [python, "import os\nos.popen(x)", "python-shell"],
        [python, "from subprocess import run as go\ngo(x)", "python-process"],
        [python, "import subprocess as s\ns.check_output(x)", "python-process"],
        [python, "import pickle\npickle.loads(x)", "python-unpickle"],
        [python, "import yaml\nyaml.load(x)", "python-yaml-load"],
        [python, "__import__(x)", "python-dynamic-import"],
        [python, "import socket\nsocket.socket()", "python-network"],
        [python, "import hashlib\nhashlib.md5(x)", "python-weak-hash"],
        [python, "import tempfile\ntempfile.mktemp()", "python-insecure-temp"],
        [rust, "use std::process::Command as C;\nfn f() { C::new(x); }", "rust-process"],
        [rust, "use std::{fs, process::Command};\nfn f() { Command::new(x); }", "rust-process"],
        [rust, "fn f() { unsafe { g() } }", "rust-unsafe"],
        [rust, "unsafe fn f() {}", "rust-unsafe-fn"],
        [rust, 'extern "C" { fn g(); }', "rust-foreign"],
        [rust, "fn f() { std::mem::transmute::<u8, i8>(x); }", "rust-transmute"],
        [rust, 'fn f() -> &\'static str { include_str!("/etc/passwd") }', "rust-include"],
        [rust, "fn f() { std::net::TcpStream::connect(x); }", "rust-network"],
        [rust, "fn f() { std::process::exit(0); }", "rust-exit"],
        [go, 'package a\nimport e "os/exec"\nfunc f() { e.Command("sh") }', "go-process"],
        [go, 'package a\nimport "unsafe"', "go-unsafe"],
        [go, 'package a\nimport "C"', "go-cgo"],
        [go, 'package a\nimport "syscall"\nfunc f() { syscall.Exec() }', "go-syscall"],
        [go, 'package a\nimport "net/http"\nfunc f() { http.Get("x") }', "go-network"],
        [go, 'package a\nimport "os"\nfunc f() { os.Exit(1) }', "go-exit"],
        [java, "class A { void f() { new ProcessBuilder(x).start(); } }", "java-process"],
        [java, "class A { void f() { new ObjectInputStream(x); } }", "java-deserialize"],
        [java, "class A { void f() { System.loadLibrary(x); } }", "java-native"],
        [java, "class A { void f() { Class.forName(x); } }", "java-reflection"],
        [java, "class A { void f() { System.exit(1); } }", "java-exit"],
        [cpp, "void f() { popen(x, y); }", "cpp-shell"],
        [cpp, "void f() { execvp(x, y); }", "cpp-process"],
        [cpp, "void f() { std::strcpy(x, y); }", "cpp-unbounded"],
        [cpp, "void f() { dlopen(x, 1); }", "cpp-load"],
        [cpp, "void f() { auto p = reinterpret_cast<int*>(x); }", "cpp-reinterpret"],
      ] satisfies [LanguageAdapter, string, string][]
    ).map(([adapter, text, rule]) => ({ id: adapter.id, adapter, text, rule })),
  )("of $id has the rule $rule for $text", ({ adapter, text, rule }) => {
    expect(rulesOf(adapter, text).map(([found]) => found)).toContain(rule);
  });

  test("finds nothing in comments, texts and names that only look alike", () => {
    expect(rulesOf(python, '# eval(x)\n"""os.system(x)"""\nevaluate(x)\nself.system(x)\n')).toEqual([]);
    expect(rulesOf(rust, '// unsafe {}\nfn f() { let s = "std::process::Command"; g(s); }')).toEqual([]);
    expect(rulesOf(cpp, '// system("x")\nvoid f() { my::system(x); ecosystem(y); }')).toEqual([]);
  });
});

describe("a skeleton", () => {
  const problems = (adapter: LanguageAdapter, text: string) =>
    adapter.latticeProblems("src/a", adapter.parseAst(text)).map(({ line, message }) => `${line} ${message}`);

  test("has no bodies and no statements that run when the file is loaded", () => {
    const text = `"""Doc."""\nimport os\nfrom typing import Protocol\n\nLIMIT = 10\nprint("x")\nfor x in y:\n    pass\n\nclass P(Protocol):\n    def a(self) -> int: ...\n\nclass Q:\n    @abstractmethod\n    def b(self):\n        """Doc."""\n        pass\n    def c(self): ...\n\ndef hole():\n    raise NotImplementedError\n`;
    expect(problems(python, text)).toEqual([
      '6 "print(\\"x\\")" runs when the file is loaded',
      '7 "for x in y: pass" runs when the file is loaded',
      "18 Q.c has a body; a skeleton has raise NotImplementedError there",
    ]);
    expect(problems(go, 'package a\nvar x = load()\nvar y = 1\nfunc f() { panic("hole") }\n')).toEqual([
      '2 "var x = load()" runs when the file is loaded',
    ]);
    expect(problems(cpp, "int x = load();\nint y = 1;\nint f();\n")).toEqual(['1 "int x = load();" runs when the file is loaded']);
    expect(problems(rust, "pub struct A;\npub fn f() -> A { todo!() }\n")).toEqual([]);
    expect(problems(java, "interface A { int f(); }\n")).toEqual([]);
  });
});

describe("the definitions that a function needs", () => {
  test("are the types it names, those they name, down to the depth, without bodies", () => {
    const tree = {
      "src/a.rs":
        "pub struct Account { pub owner: Owner }\nimpl Account { pub fn open() -> Self { secret() } }\npub fn deposit(a: &Account) -> i32 { todo!() }\nfn beside(x: i32) -> i32 { secret2() }\n",
      "src/b.rs": "pub struct Owner { pub home: Home }\npub struct Home;\npub struct Unused;\npub fn elsewhere() {}\n",
      "src/broken.rs": "pub struct {",
      "README.md": "text",
    };
    const one = rust.typeDefinitions(tree, "src/a.rs", "deposit", 1);
    expect(one).toContain("pub struct Account { pub owner: Owner }");
    expect(one).toContain("pub fn open() -> Self;");
    expect(one).toContain("fn beside(x: i32) -> i32");
    expect(one).not.toMatch(/secret|struct Owner|Unused|elsewhere/);
    expect(rust.typeDefinitions(tree, "src/a.rs", "deposit", 2)).toContain("pub struct Owner");
    expect(rust.typeDefinitions(tree, "src/a.rs", "deposit", 3)).toContain("pub struct Home;");
    expect(rust.typeDefinitions(tree, "src/missing.rs", "deposit", 3)).toBe("");
  });

  test("have the contracts of the functions that it may call, in whatever file", () => {
    const tree = {
      "src/a.py": "def f(a: int) -> int:\n    raise NotImplementedError\n",
      "src/b.py":
        'class Rate:\n    value: int\n\n\ndef rate(day: int) -> Rate:\n    """Looks it up.\n\n    REQUIRES: day >= 0\n    """\n    return secret\n\n\ndef other(): ...\n',
    };
    const text = python.typeDefinitions(tree, "src/a.py", "f", 1, ["src/b.py#rate", "src/b.py#missing"]);
    expect(text).toContain("# Looks it up.\n#\n# REQUIRES: day >= 0\ndef rate(day: int) -> Rate");
    expect(text).toContain("class Rate:");
    expect(text).not.toMatch(/secret|other/);
    expect(python.typeDefinitions(tree, "src/a.py", "f", 1)).toBe("");
  });

  test("work for classes of Python, types of Go, C++ and Java", () => {
    const py = python.typeDefinitions(
      { "a.py": "class A:\n    x: int\n    def m(self):\n        return secret\n\ndef f(a: A) -> int:\n    raise NotImplementedError\n" },
      "a.py",
      "f",
      1,
    );
    expect(py).toContain("class A:\n    x: int\n    def m(self): ...");
    const golang = go.typeDefinitions({ "a.go": 'package a\ntype A struct{ x int }\nfunc F(a A) int { panic("hole") }\n' }, "a.go", "F", 1);
    expect(golang).toContain("type A struct{ x int }");
    const plus = cpp.typeDefinitions(
      {
        "a.cpp":
          'using N = int;\ntypedef long M;\nstruct A { N x; int m() { return secret; } };\nint f(A a) { throw std::logic_error("hole"); }\n',
      },
      "a.cpp",
      "f",
      2,
    );
    expect(plus).toContain("struct A { N x; int m(); }");
    expect(plus).toContain("using N = int;");
    const jvm = java.typeDefinitions(
      { "A.java": "class A { int f(B b) { return secret; } }\n", "B.java": "record B(int x) { int m() { return secret; } }" },
      "A.java",
      "A.f",
      1,
    );
    expect(jvm).toContain("record B(int x) { int m(); }");
    expect(jvm).not.toContain("secret");
  });
});
