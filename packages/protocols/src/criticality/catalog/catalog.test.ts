import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openCatalog, type FunctionContext, type PatternDefinition, type SmellDefinition } from "./catalog.ts";
import { catalogOf, loadCatalog, readCatalog } from "./load-catalog.ts";
import { RISK, RISK_LEVELS, type RiskLevel } from "./risk.ts";
import { PROMPT_SECTIONS, SMELL_CATEGORIES } from "./schema.ts";

const builtin = await loadCatalog();
const { catalog } = builtin;
const context = (changes: Partial<FunctionContext> = {}): FunctionContext => ({
  functionId: "src/a.ts#f",
  language: "typescript",
  currentMetrics: { cyclomatic: 1, lines: 1, nesting: 0 },
  previouslyAttempted: [],
  ...changes,
});
const rated = (...ids: string[]) => ids.map((smellId) => ({ smellId, severity: 1 }));
const found = (id: string, measured: number | null) => ({ id, function: "f", line: 1, measured, detail: "" });

describe("the catalog that comes with the protocol", () => {
  test("[CRI-085] holds exactly 14 patterns with these risks", () => {
    expect(Object.fromEntries(builtin.patterns.map(({ id, risk }) => [id, risk]))).toEqual({
      "early-return": 2,
      "guard-clause": 2,
      "extract-helper": 3,
      "loop-to-map": 2,
      "loop-to-comprehension": 2,
      "remove-unused-binding": 1,
      "remove-unreachable": 1,
      "inline-single-use": 1,
      "extract-magic-value": 2,
      "introduce-type-alias": 3,
      "optional-chaining": 2,
      "nullish-coalescing": 2,
      "rename-for-clarity": 2,
      "extract-explanatory-variable": 2,
    });
    expect(builtin.patterns).toHaveLength(14);
    expect(builtin.warnings).toEqual([]);
  });

  test("[CRI-074] has five categories with these smells", () => {
    expect(Object.fromEntries(SMELL_CATEGORIES.map((name) => [name, catalog.getSmellsByCategory(name).map(({ id }) => id)]))).toEqual({
      "control-flow": ["deep-nesting", "high-cyclomatic-complexity", "long-function-body"],
      duplication: ["magic-values", "missing-type-abstraction", "repeated-code-blocks"],
      "idiom-violation": ["imperative-loop", "manual-resource-management", "verbose-null-handling"],
      "dead-weight": ["redundant-conversions", "unreachable-code", "unused-binding"],
      "clarity-debt": ["over-documentation"],
    });
  });

  test("[CRI-086] links each smell to its patterns; two smells have none", () => {
    const links = builtin.smells.map(({ id, applicablePatterns }) => [id, applicablePatterns.map(({ patternId }) => patternId)]);
    expect(Object.fromEntries(links)).toEqual({
      "deep-nesting": ["early-return", "guard-clause"],
      "high-cyclomatic-complexity": ["early-return"],
      "long-function-body": ["extract-helper"],
      "repeated-code-blocks": ["extract-helper"],
      "imperative-loop": ["loop-to-map", "loop-to-comprehension"],
      "unused-binding": ["remove-unused-binding", "inline-single-use"],
      "unreachable-code": ["remove-unreachable"],
      "magic-values": ["extract-magic-value"],
      "missing-type-abstraction": ["introduce-type-alias"],
      "verbose-null-handling": ["optional-chaining", "nullish-coalescing"],
      "over-documentation": ["rename-for-clarity", "extract-explanatory-variable"],
      "manual-resource-management": [],
      "redundant-conversions": [],
    });
  });

  test("[CRI-086] a comprehension is tried in Python only", () => {
    const tried = (language: FunctionContext["language"]) =>
      catalog.selectPatterns(rated("imperative-loop"), context({ language })).map(({ patternId }) => patternId);
    expect(tried("python")).toEqual(["loop-to-map", "loop-to-comprehension"]);
    for (const language of ["typescript", "rust", "go", "java", "cpp"] as const) expect(tried(language)).toEqual(["loop-to-map"]);
  });

  test("[CRI-080] deep nesting is a smell above depth 3, found by max-depth and too-many-nested-blocks", () => {
    expect(catalog.getSmell("deep-nesting")?.detection).toMatchObject({
      thresholds: { max_nesting_depth: 3 },
      tools: [
        { name: "eslint", rule: "max-depth" },
        { name: "pylint", rule: "too-many-nested-blocks" },
      ],
    });
    expect(catalog.rate([found("deep-nesting", 3)])).toEqual([]);
    expect(catalog.rate([found("deep-nesting", 4)])).toEqual([{ smellId: "deep-nesting", severity: 4 / 3 }]);
  });

  test("[CRI-078] every template has its sections in order, examples in both languages, and asks for the function only", () => {
    for (const { prompt, guards, id } of builtin.patterns) {
      const lines = prompt.template.split("\n");
      const places = PROMPT_SECTIONS.map((heading) => lines.findIndex((line) => line.startsWith(heading)));
      expect(places, id).toEqual(places.toSorted((a, b) => a - b));
      expect(prompt.template.match(/```typescript\n/g), id).toHaveLength(2);
      expect(prompt.template.match(/```python\n/g), id).toHaveLength(2);
      for (const guard of guards) expect(lines, id).toContain(`- ${guard}`);
      expect(prompt.template.split("OUTPUT FORMAT:\n")[1], id).toMatch(/^Return (?:only )?the transformed function/);
    }
  });

  test("[CRI-079] unknown ids are null; known ones have their definition", () => {
    expect(catalog.getSmell("no-such-smell")).toBeNull();
    expect(catalog.getPattern("loop-to-functional")).toBeNull();
    expect(catalog.getPattern("constructor")).toBeNull();
    expect(catalog.getPattern("early-return")).toMatchObject({ id: "early-return", enables: ["extract-helper", "loop-to-map"] });
    expect(catalog.getSmell("unused-binding")?.category).toBe("dead-weight");
  });

  test("[CRI-079] a selected pattern is its id, smell, risk and prompt", () => {
    expect(catalog.selectPatterns(rated("unreachable-code"), context())).toEqual([
      {
        patternId: "remove-unreachable",
        smell: "unreachable-code",
        risk: 1,
        prompt: catalog.getPattern("remove-unreachable")?.prompt.template,
      },
    ]);
  });

  test("smells that the catalog does not know are not rated", () => {
    expect(catalog.rate([found("feature-envy", 9), found("unused-binding", null)])).toEqual([{ smellId: "unused-binding", severity: 1 }]);
  });
});

test("[CRI-075] the checks of each risk", () => {
  expect(RISK).toEqual({
    1: { name: "trivial", required: ["compile"] },
    2: { name: "safe", required: ["compile", "unit_tests_target_function"] },
    3: { name: "moderate", required: ["compile", "unit_tests_target_function", "integration_tests_module"] },
    4: { name: "structural", required: ["compile", "full_test_suite"] },
  });
  for (const { risk, verification } of builtin.patterns) expect(verification).toEqual(RISK[risk].required);
});

describe("the choice of patterns", () => {
  const pattern = (id: string, risk: RiskLevel, enables: number): PatternDefinition => ({
    id,
    name: id,
    description: id,
    risk,
    riskRationale: id,
    languages: null,
    verification: [],
    guards: [],
    checks: [],
    enables: Array.from({ length: enables }, (_, index) => `e${index}`),
    prompt: { template: id },
  });
  const smell = (id: string, refs: readonly PatternDefinition[]): SmellDefinition => ({
    id,
    name: id,
    category: "dead-weight",
    description: id,
    detection: { thresholds: {}, tools: [], heuristics: [] },
    applicablePatterns: refs.map((one) => ({ patternId: one.id, risk: one.risk, rationale: "" })),
  });
  const ids = (all: readonly { readonly patternId: string }[]) => all.map(({ patternId }) => patternId);

  test("[CRI-076] lower risk first, then the one that enables more; other ties stay in the order of collection", () => {
    const all = [pattern("c", 2, 0), pattern("a", 2, 0), pattern("b", 2, 3), pattern("z", 1, 0)];
    expect(ids(openCatalog([smell("s", all)], all).selectPatterns(rated("s"), context()))).toEqual(["z", "b", "c", "a"]);
  });

  test("[CRI-076] a pattern of two smells is kept once, for the more severe one", () => {
    const one = pattern("one", 1, 0);
    const both = openCatalog([smell("mild", [one]), smell("bad", [one])], [one]);
    const detected = [
      { smellId: "mild", severity: 1 },
      { smellId: "bad", severity: 2 },
    ];
    expect(both.selectPatterns(detected, context())).toEqual([{ patternId: "one", smell: "bad", risk: 1, prompt: "one" }]);
    expect(both.selectPatterns(detected.toReversed(), context())).toMatchObject([{ smell: "bad" }]);
  });

  test("[CRI-076] whatever is detected: nothing attempted or unknown, nothing twice, sorted, and the most severe smell", () => {
    const patterns = fc.array(fc.record({ risk: fc.constantFrom(...RISK_LEVELS), enables: fc.nat(3) }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(
        patterns,
        fc.array(fc.array(fc.nat(9), { maxLength: 5 }), { minLength: 1, maxLength: 5 }),
        fc.array(fc.record({ smell: fc.nat(6), severity: fc.integer({ min: 1, max: 4 }) }), { maxLength: 8 }),
        fc.array(fc.nat(9), { maxLength: 4 }),
        (rows, refs, detections, tried) => {
          const all = rows.map(({ risk, enables }, index) => pattern(`p${index}`, risk, enables));
          const smells = refs.map((list, index) =>
            smell(
              `s${index}`,
              list.map((number) => all[number] ?? pattern(`unknown${number}`, 1, 0)),
            ),
          );
          const detected = detections.map(({ smell: number, severity }) => ({ smellId: `s${number}`, severity }));
          const previouslyAttempted = tried.map((number) => `p${number}`);
          const chosen = openCatalog(smells, all).selectPatterns(detected, context({ previouslyAttempted }));
          const pairs = detected.flatMap(({ smellId, severity }) =>
            (smells.find(({ id }) => id === smellId)?.applicablePatterns ?? []).map(({ patternId }) => ({ patternId, severity, smellId })),
          );
          const expected = new Set(ids(pairs).filter((id) => all.some((one) => one.id === id) && !previouslyAttempted.includes(id)));
          expect(new Set(ids(chosen))).toEqual(expected);
          expect(chosen).toHaveLength(expected.size);
          const rank = (id: string) => {
            const one = all.find((other) => other.id === id);
            return (one?.risk ?? 0) * 100 - (one?.enables.length ?? 0);
          };
          const firstSeen = (id: string) => pairs.findIndex(({ patternId }) => patternId === id);
          expect(ids(chosen)).toEqual([...expected].toSorted((a, b) => rank(a) - rank(b) || firstSeen(a) - firstSeen(b)));
          for (const { patternId, smell: smellId } of chosen) {
            const own = pairs.filter((pair) => pair.patternId === patternId);
            const top = Math.max(...own.map(({ severity }) => severity));
            expect(own).toContainEqual({ patternId, smellId, severity: top });
          }
        },
      ),
    );
  });
});

describe("files of a catalog", () => {
  const PATTERN = readFileSync(new URL("patterns/remove-unreachable.toml", import.meta.url), "utf8");
  const SMELL = `[smell]\nid = "odd"\nname = "Odd"\ncategory = "dead-weight"\ndescription = "Odd"\n[detection]\nmax_odd = 2\ntools = [{ name = "eslint", rule = "odd" }]\n[detection.heuristics]\npatterns = ["odd lines"]\n`;
  const load = (files: Readonly<Record<string, string | Uint8Array>>) => catalogOf(new Map(Object.entries(files)));
  const reference = (id: string, risk: number) => `[[applicable_patterns]]\npattern = "${id}"\nrisk = ${risk}\nrationale = "so"\n`;

  test("[CRI-077] a smell has its threshold, tools, heuristics and patterns", () => {
    const { smells } = load({
      "patterns/remove-unreachable.toml": PATTERN,
      "smells/dead-weight/odd.toml": SMELL + reference("remove-unreachable", 1),
    });
    expect(smells).toEqual([
      {
        id: "odd",
        name: "Odd",
        category: "dead-weight",
        description: "Odd",
        detection: { thresholds: { max_odd: 2 }, tools: [{ name: "eslint", rule: "odd" }], heuristics: ["odd lines"] },
        applicablePatterns: [{ patternId: "remove-unreachable", risk: 1, rationale: "so" }],
      },
    ]);
  });

  test("[CRI-085] unknown pattern ids are left out with a warning that names the file", () => {
    const { smells, warnings, patterns } = load({
      "patterns/remove-unreachable.toml": PATTERN,
      "smells/dead-weight/odd.toml": SMELL + reference("extract-conditional-body", 3) + reference("remove-unreachable", 1),
    });
    expect(smells[0]?.applicablePatterns.map(({ patternId }) => patternId)).toEqual(["remove-unreachable"]);
    expect(patterns[0]?.enables).toEqual([]);
    expect(warnings).toEqual([
      "patterns/remove-unreachable.toml, enables.patterns: there is no pattern remove-unused-binding; it is left out.",
      "smells/dead-weight/odd.toml, applicable_patterns: there is no pattern extract-conditional-body; it is left out.",
    ]);
  });

  const SMELL_PATH = "smells/dead-weight/odd.toml";
  const PATTERN_PATH = "patterns/remove-unreachable.toml";
  test.each([
    ["text that is not TOML", SMELL_PATH, "[smell\n", "line 1"],
    ["a missing field", SMELL_PATH, SMELL.replace('name = "Odd"\n', ""), "smell.name"],
    ["an unknown category", SMELL_PATH, SMELL.replace('"dead-weight"', '"dead"'), "smell.category"],
    ["a threshold that is no number", SMELL_PATH, SMELL.replace("max_odd = 2", 'max_odd = "2"'), "detection.max_odd"],
    ["a risk outside the levels", SMELL_PATH, SMELL + reference("remove-unreachable", 5), "applicable_patterns.0.risk"],
    ["an id that is not its file's name", "smells/dead-weight/other.toml", SMELL, "smell.id"],
    ["a category that is not its folder's name", "smells/duplication/odd.toml", SMELL, "smell.id or smell.category"],
    ["an unknown field", PATTERN_PATH, PATTERN.replace("[pattern]", "[pattern]\nforce = true"), "pattern.force"],
    ["checks that do not fit the risk", PATTERN_PATH, PATTERN.replace("risk = 1\n", "risk = 2\n"), "verification.required"],
    ["a template without a section", PATTERN_PATH, PATTERN.replace("INSTRUCTIONS:", "STEPS:"), "prompt.template"],
    ["a pattern under another name", "patterns/other.toml", PATTERN, "pattern.id"],
  ])("[CRI-077][CRI-078] %s is refused, with file and field", (_what, path, text, field) => {
    expect(() => load({ [path]: text })).toThrow(expect.objectContaining({ code: "config_invalid" }));
    expect(() => load({ [path]: text })).toThrow(new RegExp(`^${path}, ${field.replaceAll(".", "\\.")}`));
  });

  test("a reference with another risk than the pattern's is refused", () => {
    const files = { [PATTERN_PATH]: PATTERN, [SMELL_PATH]: SMELL + reference("remove-unreachable", 4) };
    expect(() => load(files)).toThrow(`${SMELL_PATH}, applicable_patterns: risk 4 of remove-unreachable differs from the risk 1`);
  });

  test("bytes that are not UTF-8 are refused with the file's name", () => {
    expect(() => load({ [SMELL_PATH]: new Uint8Array([0xff, 0xfe]) })).toThrow(`${SMELL_PATH} is not UTF-8 text`);
  });

  test("a folder without a catalog is an error, not an empty catalog", async () => {
    await expect(readCatalog(new URL("no-such-folder/", import.meta.url))).rejects.toThrow("ENOENT");
  });
});
