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
  inspectTests({ files, ignored: [], spec: "", policy: POLICY, gates: GATES, profile: "default", redact: (text) => text, ...more });
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
    ".github/workflows/ci.yml: changes a file protected by .github/**, as the specification says",
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
    expect(look([file("M", "test.sh"), file("M", "Makefile")])).toEqual([]);
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
