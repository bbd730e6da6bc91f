import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { declaredTitles } from "../test-integrity/declared-titles.ts";
import { titlesThatRun } from "./spoilable.ts";
import { spoil } from "./spoil-tests.ts";
import { valuesToSpoil } from "./spoil-values.ts";

const randomFrom = (numbers: readonly number[]) => {
  let at = 0;
  return (limit: number) => (numbers[at++ % numbers.length] ?? 0) % limit;
};
const titlesOnce = (path: string, text: string) => {
  const titles = declaredTitles(path, text)?.certain ?? [];
  return titles.filter((title) => titles.indexOf(title) === titles.lastIndexOf(title));
};
const numbers = fc.array(fc.nat(9_000_000), { minLength: 30, maxLength: 40 });
const any = () => true;
const spoiled = (path: string, text: string, isWanted: (title: string) => boolean = any, some: readonly number[] = [3, 1, 4, 1, 5]) =>
  spoil(path, text, isWanted, ["net", "total"], randomFrom(some));

/** Every line of these has one place to change, or none. */
const CAN: Readonly<Record<string, string>> = {
  "a.test.js": 'test("adds", () => {\n  assert.equal(sum(1, 2), 3);\n});\n',
  "b.test.ts": 'it("adds", async () => {\n  const n: number = await sum(1);\n  expect(n).toBe(1);\n});\n',
  "c.test.js": 'test("adds", () => assert.strictEqual(sum(1), "one"));\n',
  "d.test.js": 'test("lists", () => {\n  assert.deepEqual(list(), [{ id: 1, name: "a" }]);\n});\n',
  "e.spec.js": 'describe("x", () => {\n  it("has", () => {\n    expect(sum()).to.equal("two");\n  });\n});\n',
  "test_a.py": "def test_total():\n    assert total([1]) == 1\n",
  "test_b.py": "class A(unittest.TestCase):\n    def test_total(self):\n        self.assertEqual(total([1]), 1)\n",
  "test_c.py": 'class TestA:\n    def test_total(self):\n        assert "a" == name(), "wrong"\n',
  "test_d.py": 'def test_total():\n    assert total() == b"x"\n',
  "test_g.py": "@pytest.mark.parametrize('a', [1, 2])\ndef test_total(a):\n    assert total(a) == 7\n",
  "test_e.py": "def test_total(given):\n    assert total(given) == total()\n",
  "test_f.py": "class A(unittest.TestCase):\n    def test_total(self):\n        self.assertTrue(total())\n",
  "f.test.js": 'test("adds", () => {\n  assert.ok(sum(1));\n});\n',
  "g.test.js": "it('adds', function () {\n  expect(sum(1)).toThrow()\n})\n",
  "h.spec.js": 'it("adds", async () => {\n  expect(sum(1)).to.be.ok;\n});\n',
  "a_test.go": "package a\n\nfunc TestOne(t *testing.T) {\n\tif one() != 1 {\n\t\tt.Fatal()\n\t}\n}\n",
  "a.rs": "#[test]\nfn one() {\n    assert_eq!(1, one());\n}\n",
  "ATest.java":
    "import org.junit.jupiter.api.Test;\nclass ATest {\n    @Test\n    void one() {\n        assertEquals(1, one());\n    }\n}\n",
};

/** No value is replaced in these: an assertion at the beginning of the test stands for it. */
const CANNOT: Readonly<Record<string, string>> = {
  "in a branch": 'test("adds", () => {\n  if (isOn) {\n    assert.equal(sum(1), 3);\n  }\n});\n',
  "in a branch without braces": 'test("adds", () => {\n  if (isOn)\n    assert.equal(sum(1), 3);\n});\n',
  "in a callback": 'test("adds", () => {\n  list.forEach((one) => {\n    assert.equal(one, 3);\n  });\n});\n',
  "after a promise": 'test("adds", () => {\n  return load().then((n) => assert.equal(n, 3));\n});\n',
  "behind an early end": 'test("adds", () => {\n  if (!isOn) return;\n  assert.equal(sum(1), 3);\n});\n',
  "in a try block": 'test("adds", () => {\n  try {\n    assert.equal(sum(1), 3);\n  } catch {}\n});\n',
  "an expected value without a literal": 'test("adds", () => {\n  assert.equal(sum(1), expected());\n});\n',
  "a negation": 'test("adds", () => {\n  expect(sum(1)).not.toBe(3);\n});\n',
  "a promise that is awaited by the matcher": 'test("adds", async () => {\n  await expect(sum(1)).resolves.toBe(3);\n});\n',
  "a test that is skipped": 'test.skip("adds", () => {\n  assert.equal(sum(1), 3);\n});\n',
  "a table": 'test.each([1, 2])("adds %s", () => {\n  expect(sum(1)).toBe(3);\n});\n',
  "two tests with one title": 'test("a", () => {\n  assert.equal(b, 1);\n});\ntest("a", () => {\n  assert.equal(c, 1);\n});\n',
  "a hexadecimal number": 'test("a", () => {\n  assert.equal(b, 0x1f);\n});\n',
  "a template": 'test("a", () => {\n  assert.equal(b, `${c}`);\n});\n',
};

describe("a test that is changed to fail", () => {
  test.each(Object.entries(CAN))("%s: one value, and the token is in it", (path, text) => {
    fc.assert(
      fc.property(numbers, (some) => {
        const made = spoiled(path, text, any, some);
        const [one] = made?.tests ?? [];
        expect(titlesThatRun(path, text)).toEqual([one?.title]);
        expect(declaredTitles(path, made?.text ?? "")).toEqual(declaredTitles(path, text));
        const [before, after] = [text.split("\n"), (made?.text ?? "").split("\n")];
        expect(after.filter((line) => !before.includes(line))).toHaveLength(1);
        for (const part of (one?.token ?? "-").split("-")) expect(made?.text).toContain(part);
        expect(text).not.toContain(one?.token);
      }),
      { numRuns: 20 },
    );
  });

  test.each(Object.entries(CANNOT))("is not %s", (_, text) => {
    expect(valuesToSpoil("a.test.js", text).filter(({ title }) => titlesOnce("a.test.js", text).includes(title))).toEqual([]);
  });

  test.each([
    ["in a branch", "def test_a():\n    if on:\n        assert a() == 1\n"],
    ["in a test that may return", "def test_a():\n    if off: return\n    assert a() == 1\n"],
    ["two conditions", "def test_a():\n    assert a() == 1 and b()\n"],
    ["a chain", "def test_a():\n    assert 1 <= a() == 1\n"],
    ["a long text", 'def test_a():\n    assert a() == """x"""\n'],
    ["a formatted text", 'def test_a():\n    assert a() == f"x"\n'],
  ])("in Python is not %s", (_, text) => {
    expect(valuesToSpoil("test_a.py", text)).toEqual([]);
  });

  test.each([
    ["a.test.js", 'test.skip("adds", () => {\n  assert.ok(sum(1));\n});\n'],
    ["a.test.js", 'test("adds", () => assert.ok(sum(1)));\n'],
    ["a.test.js", 'test("adds", () => {\n  check(sum(1));\n});\n'],
    ["test_a.py", "def test_a(): pass\n"],
  ])("is none without a place for an assertion: %s %s", (path, text) => {
    expect(spoiled(path, text)).toBeNull();
  });

  test.each([
    ["a.rs", "#[test]\n#[ignore]\nfn one() {\n}\n"],
    ["a.rs", "#[ignore]\n#[test]\nfn one() {\n}\n"],
    ["ATest.java", "class A {\n    @Disabled\n    @Test\n    void one() {\n    }\n}\n"],
    ["notes.rb", "it 'adds' do\nend\n"],
  ])("in %s is none that is switched off", (path, text) => {
    expect(spoiled(path, text)).toBeNull();
  });

  const MANY = `import { sum } from "./sum.js";
test("one", () => {
  assert.equal(sum(1), 1);
});
test("two", () => {
  assert.equal(sum(2), 2);
});
test("three", () => {
  assert.deepEqual(sum(3), [3]);
});
`;

  test("is one of those that the gate has run, and several of a file assert in different ways, about both sides", () => {
    fc.assert(
      fc.property(numbers, (some) => {
        expect(spoiled("a.test.js", MANY, (title) => title === "two", some)?.tests.map(({ title }) => title)).toEqual(["two"]);
        const made = spoiled("a.test.js", MANY, any, some);
        expect(made?.tests.length).toBeGreaterThan(1);
        expect(made?.text).toMatch(/deepEqual\(.*\d{7}/);
        expect(made?.text).toMatch(/[eE]qual\(\d{7}|[eE]qual\("/);
        expect(made?.text).toMatch(/, \[?\d{7}\]?\)/);
      }),
      { numRuns: 20 },
    );
  });

  test("keeps a name in use that a linter would miss, and lines as long as they may be", () => {
    const text = MANY.slice(0, MANY.indexOf('test("two"'));
    for (const random of [0, 1, 2, 3]) expect(spoiled("a.test.js", text, any, [random])?.text).toContain("equal(sum(1), ");
    const long = `test("a", () => {\n  assert.equal(${"x".repeat(60)}(), 1); // 34\n});\n`;
    expect(spoiled("a.test.js", long)).toBeNull();
  });
});

test("a text is replaced also where the titles of the tests have no words", () => {
  const random = (limit: number) => {
    // As `randomInt` of Node.
    if (limit < 1) throw new RangeError("there is no number below it");
    return 0;
  };
  const changed = spoil("a.test.ts", 'test("1", () => assert.equal(one(), "a"));\n', any, [], random);
  expect(changed?.text).toContain('"value-1000000"');
});
