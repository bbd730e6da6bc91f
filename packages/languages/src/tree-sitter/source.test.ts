import { describe, expect, test } from "vitest";
import { cppGrammar } from "../cpp/grammar.ts";
import { goGrammar } from "../go/grammar.ts";
import { javaGrammar } from "../java/grammar.ts";
import { pythonGrammar } from "../python/grammar.ts";
import { rustGrammar } from "../rust/grammar.ts";
import { parseSource } from "./source.ts";

const named = (functions: ReturnType<typeof parseSource>["functions"], name: string) => {
  const found = functions.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no ${name} in ${functions.map((one) => one.name).join(", ")}`);
  return found;
};

const PYTHON = `import math

def _hidden(): return 1

@cached
async def total(
    items: list[int],
    *rest: int, start: int = 0, **more,
) -> int:  # sums
    """Sums items.

    REQUIRES: len(items) > 0
      indented
    """
    raise NotImplementedError


# REQUIRES: amount > 0
# ENSURES: result
@dataclass
class Account:
    balance: int = 0

    def deposit(self, amount: int) -> "Account":
        check(amount)
        return self.ledger.add(amount, check(1))

    @staticmethod
    def make(balance):
        def inner(x): return x
        return inner(balance)

    @property
    def value(self): raise NotImplementedError("later")

    @value.setter
    def value(self, to): ...
`;

describe("functions of Python", () => {
  const { functions } = parseSource(pythonGrammar, PYTHON);

  test("are found in classes, functions and behind decorators, each with a name of its own", () => {
    expect(functions.map(({ name }) => name)).toEqual([
      "_hidden",
      "total",
      "Account.deposit",
      "Account.make",
      "Account.make.inner",
      "Account.value",
      "Account.value#2",
    ]);
  });

  test("have a signature on one line, parameters without the receiver and a return type", () => {
    expect(named(functions, "total").signature).toBe("async def total( items: list[int], *rest: int, start: int = 0, **more, ) -> int");
    expect(named(functions, "total").parameters).toEqual([
      { name: "items", type: "list[int]" },
      { name: "*rest", type: "int" },
      { name: "start", type: "int" },
      { name: "**more", type: "" },
    ]);
    expect(named(functions, "Account.deposit").parameters).toEqual([{ name: "amount", type: "int" }]);
    expect(named(functions, "Account.deposit").returns).toBe('"Account"');
    expect(named(functions, "Account.make").parameters).toEqual([{ name: "balance", type: "" }]);
  });

  test("have the documentation string without indentation, with the line where it begins", () => {
    const { doc, docLine } = named(functions, "total");
    expect(doc).toBe("Sums items.\n\nREQUIRES: len(items) > 0\n  indented");
    expect(PYTHON.split("\n")[docLine - 1]).toContain("Sums items.");
    expect(PYTHON.split("\n")[docLine + 1]).toContain("REQUIRES");
  });

  test("list their calls once each, as written", () => {
    expect(named(functions, "Account.deposit").calls).toEqual(["check", "self.ledger.add"]);
  });

  test("[CRI-039] a hole is a body that only raises NotImplementedError", () => {
    expect(functions.filter(({ isHole }) => isHole).map(({ name }) => name)).toEqual(["total", "Account.value"]);
    const { functions: others } = parseSource(
      pythonGrammar,
      'def a():\n    x = "raise NotImplementedError"\ndef b():\n    # raise NotImplementedError\n    return 1\ndef c():\n    log()\n    raise NotImplementedError\ndef d():\n    raise NotImplementedError  # later\n',
    );
    expect(others.filter(({ isHole }) => isHole).map(({ name }) => name)).toEqual(["d"]);
  });

  test("a name with an underscore is not exported", () => {
    expect(named(functions, "_hidden").isExported).toBe(false);
    expect(named(functions, "total").isExported).toBe(true);
  });

  test("a comment above a function without a documentation string is its documentation", () => {
    const text = "x = 1  # not this\n\n# stray\n\n# REQUIRES: a\n# ENSURES: b\n@dec\ndef f(a): ...\n";
    const [found] = parseSource(pythonGrammar, text).functions;
    expect(found?.doc).toBe("REQUIRES: a\nENSURES: b");
    expect(found?.docLine).toBe(5);
  });
});

const RUST = `//! crate
/// REQUIRES: n > 0
///
/// ENSURES: result > 0
#[inline]
pub fn twice<T: Ord>(n: &T, mut by: i32) -> Option<T>
where
    T: Copy,
{
    todo!()
}

// not documentation
fn quiet() {}

pub struct Account<T>(T);
impl<T: Ord> Account<T> {
    /** Adds. */
    pub fn deposit(&mut self, amount: u64) { self.ledger.add(amount); std::mem::drop(1); println!("x"); }
}
impl Ledger for Account<i32> { fn sum(&self) -> i32 { todo!(); } }
trait Ledger { fn sum(&self) -> i32; fn twice(&self) -> i32 { 1 } }
mod inner { fn f() { todo!("why") } }
`;

describe("functions of Rust", () => {
  const { functions } = parseSource(rustGrammar, RUST);

  test("are found in modules, traits and impl blocks, by the type they belong to", () => {
    expect(functions.map(({ name }) => name)).toEqual(["twice", "quiet", "Account.deposit", "Account.sum", "Ledger.twice", "inner.f"]);
  });

  test("have signatures with generics and bounds, and documentation from `///` and `/** */` only", () => {
    const found = named(functions, "twice");
    expect(found.signature).toBe("pub fn twice<T: Ord>(n: &T, mut by: i32) -> Option<T> where T: Copy,");
    expect(found.parameters).toEqual([
      { name: "n", type: "&T" },
      { name: "by", type: "i32" },
    ]);
    expect(found.returns).toBe("Option<T>");
    expect(found.doc).toBe("REQUIRES: n > 0\n\nENSURES: result > 0");
    expect(found.docLine).toBe(2);
    expect(named(functions, "quiet").doc).toBeNull();
    expect(named(functions, "Account.deposit").doc).toBe("Adds.");
    expect(named(functions, "Account.deposit").calls).toEqual(["self.ledger.add", "std::mem::drop", "println!"]);
  });

  test("[CRI-039] a hole is a body that is only todo!()", () => {
    expect(functions.filter(({ isHole }) => isHole).map(({ name }) => name)).toEqual(["twice", "Account.sum"]);
  });
});

describe("functions of Go", () => {
  const text = `package bank

// Deposit adds.
// REQUIRES: amount > 0
func (a *Account[T]) Deposit(amount, fee int, rest ...string) (int, error) {
	panic("hole")
}

func helper[T any](f func(int) int) T { a.B(1); g(2); return x }
func (b Book) Empty() {}
`;
  const { functions } = parseSource(goGrammar, text);

  test("have the type of their receiver in their name, and grouped parameters one by one", () => {
    expect(functions.map(({ name }) => name)).toEqual(["Account.Deposit", "helper", "Book.Empty"]);
    expect(named(functions, "Account.Deposit")).toMatchObject({
      signature: "func (a *Account[T]) Deposit(amount, fee int, rest ...string) (int, error)",
      parameters: [
        { name: "amount", type: "int" },
        { name: "fee", type: "int" },
        { name: "rest", type: "...string" },
      ],
      returns: "(int, error)",
      doc: "Deposit adds.\nREQUIRES: amount > 0",
      docLine: 3,
      isExported: true,
    });
    expect(named(functions, "helper")).toMatchObject({ isExported: false, calls: ["a.B", "g"] });
  });

  test('[CRI-039] a hole is a body that is only panic("hole")', () => {
    expect(functions.filter(({ isHole }) => isHole).map(({ name }) => name)).toEqual(["Account.Deposit"]);
  });
});

describe("functions of Java", () => {
  const text = `package bank;
public class Account<T> {
    /**
     * Adds.
     * REQUIRES: amount > 0
     */
    @Override @Deprecated
    public static <T> int deposit(final int amount, List<String>... rest) throws IOException {
        throw new UnsupportedOperationException("hole");
    }
    Account(int x) { check(1); this.log.add(2); new Ledger(3); }
    int deposit(int a) { return 1; }
    interface Book { int pages(); default int twice() { return 2; } }
}
`;
  const { functions } = parseSource(javaGrammar, text);

  test("have the name of their class, and overloads are numbered", () => {
    expect(functions.map(({ name }) => name)).toEqual(["Account.deposit", "Account.Account", "Account.deposit#2", "Account.Book.twice"]);
    expect(named(functions, "Account.deposit")).toMatchObject({
      signature: "public static <T> int deposit(final int amount, List<String>... rest) throws IOException",
      parameters: [
        { name: "amount", type: "int" },
        { name: "rest", type: "List<String>..." },
      ],
      returns: "int",
      doc: "Adds.\nREQUIRES: amount > 0",
      docLine: 4,
      isExported: true,
    });
    expect(named(functions, "Account.Account")).toMatchObject({ isExported: false, calls: ["check", "this.log.add", "Ledger"] });
    expect(named(functions, "Account.Book.twice").isExported).toBe(true);
  });

  test("[CRI-039] a hole is a body that only throws the marker", () => {
    expect(functions.filter(({ isHole }) => isHole).map(({ name }) => name)).toEqual(["Account.deposit"]);
  });
});

describe("functions of C++", () => {
  const text = `#pragma once
#include <vector>
/// REQUIRES: a > 0
template <typename T>
T Account<T>::deposit(const T& a, int b = 1) const { throw std::logic_error("hole"); }
namespace bank {
static int* first(std::vector<int> v, int (*cb)(int)) { h(1); a.b(2); std::sort(v.begin()); return nullptr; }
class Book {
 public:
  explicit Book(int x) : y(x) {}
  ~Book() {}
  bool operator==(const Book& o) const { return true; }
  int pages();
  auto twice() -> int { return 1; }
};
namespace { void hidden() {} }
}
`;
  const { functions } = parseSource(cppGrammar, text);

  test("are found in namespaces, classes and behind templates; a declaration is none", () => {
    expect(functions.map(({ name }) => name)).toEqual([
      "Account.deposit",
      "bank.first",
      "bank.Book.Book",
      "bank.Book.~Book",
      "bank.Book.operator==",
      "bank.Book.twice",
      "bank.hidden",
    ]);
    expect(named(functions, "Account.deposit")).toMatchObject({
      signature: "template <typename T> T Account<T>::deposit(const T& a, int b = 1) const",
      parameters: [
        { name: "a", type: "const T&" },
        { name: "b", type: "int" },
      ],
      returns: "T",
      doc: "REQUIRES: a > 0",
      docLine: 3,
      isExported: true,
    });
    expect(named(functions, "bank.first")).toMatchObject({
      returns: "int*",
      isExported: false,
      calls: ["h", "a.b", "std::sort", "v.begin"],
    });
    expect(named(functions, "bank.first").parameters.map(({ name }) => name)).toEqual(["v", "cb"]);
    expect(named(functions, "bank.Book.twice").returns).toBe("int");
    expect(named(functions, "bank.hidden").isExported).toBe(false);
  });

  test("[CRI-039] a hole is a body that only throws the marker", () => {
    expect(functions.filter(({ isHole }) => isHole).map(({ name }) => name)).toEqual(["Account.deposit"]);
  });
});

describe("a source that does not parse", () => {
  test.each([
    [pythonGrammar, "def f(:\n    pass\n", 1],
    [pythonGrammar, "x = 1\ny = (2\n", 2],
    [rustGrammar, "fn f() {}\nfn g( {\n", 2],
    [goGrammar, "package a\nfunc f() { if x { }\n", 3],
    [javaGrammar, "class A {\n int f() { return 1 }\n}", 2],
    [cppGrammar, "int f() {\n  return 1\n}", 2],
  ])("is refused with its line: $id", (grammar, text, line) => {
    expect(() => parseSource(grammar, text)).toThrow(
      expect.objectContaining({ code: "source_syntax", details: expect.objectContaining({ line }) as unknown }) as Error,
    );
  });

  test.each([pythonGrammar, rustGrammar, goGrammar, javaGrammar, cppGrammar])("an empty file has no functions: $id", (grammar) => {
    expect(parseSource(grammar, "").functions).toEqual([]);
    expect(parseSource(grammar, "\n\n").functions).toEqual([]);
  });

  test("a byte-order mark, NUL and very deep nesting do not crash the parser", () => {
    expect(parseSource(pythonGrammar, "\uFEFFdef f(): return 1\n").functions.map(({ name }) => name)).toEqual(["f"]);
    expect(() => parseSource(rustGrammar, "fn f() { \0 }")).toThrow(expect.objectContaining({ code: "source_syntax" }) as Error);
    const deep = `x = ${"(".repeat(5000)}1${")".repeat(5000)}\n`;
    expect(parseSource(pythonGrammar, deep).functions).toEqual([]);
  });
});
