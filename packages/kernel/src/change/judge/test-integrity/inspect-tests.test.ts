import { describe, expect, test } from "vitest";
import { parsePolicy } from "../../../config/policy.ts";
import { POLICY_YAML } from "../../../config/testing/samples.ts";
import { parseYamlConfig } from "../../../config/yaml.ts";
import { gatesSchema } from "../../../config/gates.ts";
import { inWords, type ChangedFile, type TestFinding } from "./finding.ts";
import { inspectTests, type InspectedChange } from "./inspect-tests.ts";

const POLICY = parsePolicy("policy.yaml", POLICY_YAML);
const GATES = parseYamlConfig(
  "gates.yaml",
  `version: 1
profiles:
  default: { modes: { fast: [{ name: test, cmd: [sh, ./scripts/test.sh] }], full: [{ name: make, cmd: [make, test], cwd: native }] } }
  units: { modes: { fast: &units [{ name: test, cmd: [node, --test], cwd: packages/units }], full: *units } }
`,
  gatesSchema,
);
const file = (status: ChangedFile["status"], path: string, before = "1\n", after = "2\n"): ChangedFile => ({
  path,
  status,
  before: status === "A" ? null : before,
  after: status === "D" ? null : after,
});
const look = (files: readonly ChangedFile[], more: Partial<InspectedChange> = {}) =>
  inspectTests({
    files,
    whole: files,
    ignored: [],
    tree: [],
    spec: "",
    policy: POLICY,
    gates: GATES,
    profile: "default",
    redact: (text) => text,
    ...more,
  });
const texts = (findings: readonly TestFinding[], level: TestFinding["level"] = "warning") =>
  findings.filter((found) => found.level === level).map(inWords);

test("changes to the definition of done and to existing tests are findings", () => {
  const files = [
    file("A", "slipway/gates.yaml"),
    file("M", ".github/workflows/ci.yml"),
    file("D", "Slipway/Policy.yaml"),
    file("A", "node_modules/.bin/node"),
    file("A", "src/new.test.ts"),
    file("M", "pkg/greet_test.go"),
    file("D", "test/data.json"),
    file("T", "test/linked.test.ts"),
    file("M", "src/greet.ts"),
  ];
  expect(look(files).map(({ rule, path }) => `${rule} ${path}`)).toEqual([
    "protected_file slipway/gates.yaml",
    "protected_file .github/workflows/ci.yml",
    "protected_file Slipway/Policy.yaml",
    "protected_file node_modules/.bin/node",
    "protected_test pkg/greet_test.go",
    "protected_test test/data.json",
    "protected_test test/linked.test.ts",
  ]);
  expect(texts(look(files))[2]).toBe("Slipway/Policy.yaml: removes a file protected by slipway/**");
});

test("changes that the specification names are notes", () => {
  const spec = "Change .github/workflows/ci.yml and test/data.json.";
  expect(texts(look([file("M", ".github/workflows/ci.yml"), file("M", "test/data.json")], { spec }))).toEqual([]);
  expect(texts(look([file("M", ".github/workflows/ci.yml")], { spec }), "note")).toEqual([
    ".github/workflows/ci.yml: changes a file protected by .github/**: the CI runs it when it is pushed, as the specification says",
  ]);
});

test("a test too large to be read counts as changed", () => {
  expect(look([{ path: "test/a.test.ts", status: "M", before: null, after: "x" }])).toMatchObject([{ rule: "protected_test" }]);
  expect(look([{ path: "test/a.test.ts", status: "M", before: "x", after: null }])).toMatchObject([{ rule: "protected_test" }]);
});

describe("programs that a gate runs", () => {
  test.each(["scripts/test.sh", "native/Makefile"])("%s", (path) => {
    expect(texts(look([file("M", path)]))).toEqual([`${path}: changes a file that a gate uses`]);
  });

  test("other programs are not", () => {
    expect(look([file("M", "test.sh"), file("M", "Makefile")]).map(({ rule, path }) => `${rule} ${path}`)).toEqual([
      "self_run_file Makefile",
    ]);
  });
});

describe("files that a program runs by itself", () => {
  test("are told with the program and its moment, whether new or changed", () => {
    const who = "a file that runs by itself: direnv runs it when a shell enters the folder";
    expect(texts(look([file("A", ".envrc"), file("M", "deep/.ENVRC")]))).toEqual([`.envrc: adds ${who}`, `deep/.ENVRC: changes ${who}`]);
  });

  test("are no finding once they are gone, and a note if the specification names them", () => {
    expect(look([file("D", ".envrc")])).toEqual([]);
    expect(look([file("A", ".envrc")], { spec: "Add an .envrc." })).toMatchObject([{ rule: "self_run_file", level: "note" }]);
  });
});

describe("what a reader does not see as it is", () => {
  const hidden = (before: string, after: string, spec = "") => look([file("M", "src/a.go", before, after)], { spec });

  test("is told with the line, if it is added", () => {
    expect(texts(hidden("a\n", "a\nb\u202e\nc\u200b\n"))).toEqual([
      "src/a.go: line 2 has U+202E, which reorders the text around it on the screen (and 1 more such lines)",
    ]);
    expect(hidden("a\nb\u202e\n", "b\u202e\nnew\n")).toEqual([]);
    expect(hidden("b\n", "b\ufeff\n")).toHaveLength(1);
  });

  test("is no finding as a byte order mark at the start, or in a file that is removed", () => {
    expect(hidden("a\n", "\ufeffa\n")).toEqual([]);
    expect(look([file("D", "src/a.go", "\u202e\n")])).toEqual([]);
  });

  test("is a note if the specification asks for the character", () => {
    expect(hidden("a\n", "b\u202e\n", "Write U+202E in src/a.go.")).toMatchObject([{ level: "note" }]);
    expect(hidden("a\n", "b\u202e\n", "Change src/a.go.")).toMatchObject([{ level: "warning" }]);
  });

  test("is looked for in large files, and in sources that git takes for binary", () => {
    const whole = [file("A", "src/large.go", "", "b\u202e"), file("A", "src/nul.go", "", "a\0b")];
    expect(texts(look([], { whole }))).toEqual([
      "src/large.go: line 1 has U+202E, which reorders the text around it on the screen",
      "src/nul.go: line 1 has U+0000, which makes git show nothing of the whole file",
    ]);
  });

  test("is a new name that looks like a known one", () => {
    const files = [file("A", "src/\u0430.go")];
    expect(texts(look(files, { tree: ["src/a.go"] }))).toEqual(["src/\u0430.go: looks like src/a.go, but is written in other letters"]);
    expect(look([file("M", "src/\u0430.go")], { tree: ["src/a.go"] })).toEqual([]);
  });
});

test("a file that git ignores is one finding, whatever else applies to it", () => {
  expect(texts(look([file("A", "dist/a.txt")], { ignored: ["dist/a.txt"] }))).toEqual(["dist/a.txt: adds a file that git ignores"]);
  expect(texts(look([file("A", "node_modules/a.txt")], { ignored: ["node_modules/a.txt"] }))).toHaveLength(1);
});

describe("gate profiles", () => {
  test("a profile other than the default is the plan's choice, unless the specification names it", () => {
    const files = [file("M", "packages/units/src/a.txt")];
    expect(texts(look(files, { profile: "units" }))).toEqual(['the plan chose the gates of the profile "units" instead of "default"']);
    expect(texts(look(files, { profile: "units", spec: "Use the profile `units`." }))).toEqual([]);
    const { default: _usual, ...profiles } = GATES.profiles;
    expect(look(files, { profile: "units", gates: { ...GATES, profiles } })).toEqual([]);
  });

  test("a file that no gate checks", () => {
    const files = [file("M", "packages/route/src/a.txt"), file("M", "README.md")];
    expect(texts(look(files, { profile: "units", spec: "units" }))).toEqual([
      'packages/route/src/a.txt: no gate of the profile "units" covers it',
    ]);
  });
});

describe("changes without effect", () => {
  const nothing = "the change contains no executable code: only comments, spacing or documents";
  const comment = file("M", "src/a.ts", "f(1);\n", "// one\nf(\n  1,\n);\n".replace(",\n)", "\n)"));

  test.each<[string, ChangedFile[]]>([
    ["comments and spacing", [comment]],
    ["documents", [file("M", "README.md"), file("A", "docs/a.rst")]],
    ["both", [comment, file("M", "README.md")]],
    ["Python's comments", [file("M", "a.py", "x = 1\n", "# one\n\nx = 1  \n")]],
  ])("%s", (_what, files) => {
    expect(texts(look(files))).toEqual([nothing]);
  });

  test.each<[string, ChangedFile[]]>([
    ["a string", [file("M", "src/a.ts", 'f("a");\n', 'f("b");\n')]],
    ["indentation of Python", [file("M", "a.py", "if a:\n  b\nc\n", "if a:\n  b\n  c\n")]],
    ["a file in another language", [file("M", "a.txt")]],
    ["a file that is new", [file("A", "src/a.ts", "", "")]],
    ["nothing at all", []],
  ])("but not %s", (_what, files) => {
    expect(look(files)).toEqual([]);
  });

  test("are a change if the specification asks for them", () => {
    expect(texts(look([comment], { spec: "Every function has a comment." }))).toEqual([]);
    expect(texts(look([file("M", "README.md")], { spec: "README.md says how." }), "note")).toEqual([
      `${nothing}, as the specification says`,
    ]);
  });
});

test("secrets, test doubles and manifests are inspected, too", () => {
  const files = [
    file("M", "src/price.ts", "a(1);\n", "b(2);\n"),
    file("A", "test/a.test.ts", "", 'vi.mock("../src/price.ts");\ntest("a", () => expect(a).toBe("hunter2"));\n'),
    file("M", "package.json", '{"scripts":{"test":"a"}}', '{"scripts":{"test":"b"}}'),
  ];
  expect(look(files, { redact: (text) => text.replace("hunter2", "") }).map(({ rule }) => rule)).toEqual([
    "unit_doubled",
    "secret_added",
    "scripts_changed",
  ]);
});
