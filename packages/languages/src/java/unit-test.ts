import type { GeneratedTest, SourceTree } from "../adapter.ts";
import type { MicroContract } from "../micro-contracts/contract.ts";
import { END_MARK, RESULT_MARK } from "../toolchains/result-lines.ts";
import { braceImplies, clauseTests, planTests, seedFor, type ClauseTest, type PlanStyle, type TestPlan } from "../tree-sitter/test-plan.ts";
import { pascalCase } from "../tree-sitter/witness-plan.ts";
import { javaGrammar } from "./grammar.ts";
import { javaGenerator } from "./types.ts";

export const JAVA_STYLE: PlanStyle = { grammar: javaGrammar, receiver: null, implies: braceImplies };

export function javaUnitTest(tree: SourceTree, path: string, functionName: string, contract: MicroContract): GeneratedTest | null {
  const plan = planTests(JAVA_STYLE, tree, { path, function: functionName }, contract);
  if (plan === null) return null;
  const name = `${pascalCase(functionName.replaceAll(/\W+/g, "_"))}ContractTest`;
  return renderJava(tree, plan, { file: `tests/unit/${name}.java`, name }, clauseTests(plan));
}

interface Given {
  readonly name: string;
  readonly type: string;
  readonly generator: string;
}

/** A program of properties, because no property library for Java is packaged. Null if the method needs an object or a parameter that cannot be made. */
export function renderJava(
  tree: SourceTree,
  plan: TestPlan,
  { file, name }: { file: string; name: string },
  tests: readonly ClauseTest[],
): GeneratedTest | null {
  const { source, path } = plan;
  if (plan.owner === null || /\bprivate\b/.test(source.signature)) return null;
  const isStatic = /\bstatic\b/.test(source.signature);
  const text = tree[path] ?? "";
  // A class without a constructor of its own can be made without arguments.
  if (!isStatic && new RegExp(`\\b${plan.owner}\\s*\\([^)]+\\)\\s*\\{`).test(text)) return null;
  const given = source.parameters.map(({ name: own, type }): Given | null => {
    const generator = javaGenerator(type, plan);
    return generator === null ? null : { name: own, type, generator };
  });
  if (!given.every((one) => one !== null)) return null;
  const nameOf = ({ clause }: ClauseTest) => `${plan.name}_${clause.label}`;
  const names = tests.map(nameOf);
  const inPackage = /^\s*package\s+([\w.]+)\s*;/m.exec(text)?.[1];
  const imports = text.match(/^import [^;]+;/gm) ?? [];
  const lines = [
    `// Made from the contract of ${source.name} in ${path}.`,
    ...(inPackage === undefined ? [] : [`package ${inPackage};`, ""]),
    ...new Set(["import java.util.*;", "import java.util.function.*;", ...imports]),
    "",
    `public class ${name} {`,
    `    static final Random random = new Random(${seedFor(plan)});`,
    PRELUDE,
    ...tests.map((test) => testText(plan, given, { test, name: nameOf(test), isStatic })),
    "    public static void main(String[] args) {",
    ...tests.map((test) => `        run(${JSON.stringify(nameOf(test))}, ${JSON.stringify(test.clause.text)}, ${name}::${nameOf(test)});`),
    `        System.out.println("${END_MARK}");`,
    '        if (failures > 0) throw new AssertionError(failures + " failed");',
    "    }",
    "}",
  ];
  return { path: file, text: `${lines.join("\n")}\n`, tests: names, untested: plan.untested };
}

const PRELUDE = `    static int failures = 0;

    interface Property { void check() throws Exception; }

    static void run(String name, String clause, Property property) {
        String problem = null;
        try {
            property.check();
        } catch (Throwable thrown) {
            problem = clause + ": " + String.valueOf(thrown).replaceAll("\\\\s+", " ");
        }
        if (problem != null) failures++;
        System.out.println("${RESULT_MARK} \\t" + (problem == null ? "PASS" : "FAIL") + "\\t" + name + "\\t" + (problem == null ? "" : problem));
    }

    static String text() {
        StringBuilder made = new StringBuilder();
        for (int i = random.nextInt(9); i > 0; i--) made.append((char) (32 + random.nextInt(95)));
        return made.toString();
    }

    @SafeVarargs
    static <T> T pick(T... all) {
        return all[random.nextInt(all.length)];
    }

    /** Half of the lists are sorted: an order is what preconditions of lists are most often about. */
    static <T> List<T> list(Supplier<T> make) {
        List<T> all = new ArrayList<>();
        for (int i = random.nextInt(7); i > 0; i--) all.add(make.get());
        if (random.nextBoolean() && all.stream().allMatch(one -> one instanceof Comparable)) all.sort(null);
        return all;
    }

    static <K, V> Map<K, V> map(Supplier<K> key, Supplier<V> value) {
        Map<K, V> all = new HashMap<>();
        for (int i = random.nextInt(6); i > 0; i--) all.put(key.get(), value.get());
        return all;
    }

    static boolean holds(BooleanSupplier condition) {
        try {
            return condition.getAsBoolean();
        } catch (RuntimeException refused) {
            return false;
        }
    }
`;

function closedTest({ clause, broken }: ClauseTest, name: string): string {
  const lines =
    broken === null
      ? [`        if (!${clause.condition}) throw new AssertionError("it does not hold");`]
      : [
          "        boolean refused = false;",
          `        try { boolean held = ${clause.condition}; } catch (RuntimeException | AssertionError thrown) { refused = true; }`,
          '        if (!refused) throw new AssertionError("it was not refused");',
        ];
  return [`    static void ${name}() throws Exception {`, ...lines, "    }", ""].join("\n");
}

function testText(
  plan: TestPlan,
  given: readonly Given[],
  { test, name, isStatic }: { test: ClauseTest; name: string; isStatic: boolean },
): string {
  const { clause, given: conditions, broken, isClosed = false } = test;
  if (isClosed) return closedTest(test, name);
  const call = `${isStatic ? `${plan.owner}.` : `new ${plan.owner}().`}${plan.name}(${given.map((one) => one.name).join(", ")})`;
  const isVoid = plan.source.returns === "void";
  const body =
    broken === null
      ? [
          "accepted++;",
          ...plan.olds.map((old) => `final var ${old.name} = ${old.expression};`),
          isVoid ? `${call};` : `final ${plan.source.returns} result = ${call};`,
          `if (!${clause.condition}) throw new AssertionError("got " + Arrays.deepToString(new Object[] {${given.map((one) => one.name).join(", ")}}));`,
        ]
      : [
          `if (holds(() -> ${broken})) continue;`,
          "accepted++;",
          "boolean refused = false;",
          `try { ${call}; } catch (RuntimeException | AssertionError thrown) { refused = true; }`,
          `if (!refused) throw new AssertionError("the call was not refused: " + Arrays.deepToString(new Object[] {${given.map((one) => one.name).join(", ")}}));`,
        ];
  return [
    `    static void ${name}() throws Exception {`,
    "        int accepted = 0;",
    "        for (int round = 0; round < 500; round++) {",
    ...given.map((one) => `            final ${one.type} ${one.name} = ${one.generator};`),
    ...conditions.map((condition) => `            if (!holds(() -> ${condition})) continue;`),
    ...body.map((line) => `            ${line}`),
    "        }",
    '        if (accepted == 0) throw new AssertionError("no generated input reaches the clause");',
    "    }",
    "",
  ].join("\n");
}
