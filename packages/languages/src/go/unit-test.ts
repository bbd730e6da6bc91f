import { posix } from "node:path";
import type { GeneratedTest, SourceTree } from "../adapter.ts";
import type { MicroContract } from "../micro-contracts/contract.ts";
import { braceImplies, clauseTests, planTests, seedFor, type ClauseTest, type PlanStyle, type TestPlan } from "../tree-sitter/test-plan.ts";
import { pascalCase, snakeCase } from "../tree-sitter/witness-plan.ts";
import { goGrammar } from "./grammar.ts";
import { goGenerator } from "./types.ts";
import { packagesIn } from "./witness.ts";

export const GO_STYLE: PlanStyle = { grammar: goGrammar, receiver: null, implies: braceImplies };

/** The tests are in the package of the function, so that they can call what it does not export. */
export function goUnitTest(tree: SourceTree, path: string, functionName: string, contract: MicroContract): GeneratedTest | null {
  const plan = planTests(GO_STYLE, tree, { path, function: functionName }, contract);
  if (plan === null) return null;
  const file = `${posix.dirname(path)}/${posix.basename(path, ".go")}_${snakeCase(functionName.replaceAll(".", "_"))}_contract_test.go`;
  return renderGo(tree, plan, file, clauseTests(plan));
}

/** The file of tests. Null for a method, or if the values of a parameter cannot be generated. */
export function renderGo(tree: SourceTree, plan: TestPlan, file: string, tests: readonly ClauseTest[]): GeneratedTest | null {
  const { source, path } = plan;
  if (plan.owner !== null || /^func \w+\[/.test(source.signature)) return null;
  const given = source.parameters.map(({ name, type }) => {
    const isRest = type.startsWith("...");
    const plain = isRest ? `[]${type.slice(3)}` : type;
    const generator = goGenerator(plain, plan);
    return generator === null ? null : { name, type: plain, generator, argument: isRest ? `${name}...` : name };
  });
  if (!given.every((one) => one !== null)) return null;
  const nameOf = ({ clause }: ClauseTest) => `Test${pascalCase(plan.name)}${pascalCase(clause.label)}`;
  const names = tests.map(nameOf);
  const conditions = [...plan.clauses.map(({ condition }) => condition), ...plan.olds.map(({ expression }) => expression)].join(" ");
  const generating = tests.every(({ isClosed = false }) => isClosed) ? [] : ["math/rand", "reflect", "testing/quick"];
  const imports = [...new Set(["testing", ...generating, ...packagesIn(conditions)])].toSorted();
  const packageName = /^\s*package\s+(\w+)/m.exec(tree[path] ?? "")?.[1] ?? "main";
  const text = `${[
    `// Made from the contract of ${source.name} in ${path}.`,
    `package ${packageName}`,
    "",
    "import (",
    ...imports.map((one) => `\t"${one}"`),
    ")",
    ...tests.map((test) => `\n${testText(plan, given, test, nameOf(test))}`),
  ].join("\n")}\n`;
  return { path: file, text, tests: names, untested: plan.untested };
}

interface Given {
  readonly name: string;
  readonly type: string;
  readonly generator: string;
  readonly argument: string;
}

const CASES = 400;

function closedTest({ clause, broken }: ClauseTest, name: string): string {
  const message = JSON.stringify(clause.text);
  const lines =
    broken === null
      ? [`\tif !${clause.condition} {`, `\t\tt.Fatal(${message})`, "\t}"]
      : ["\tdefer func() {", "\t\tif recover() == nil {", `\t\t\tt.Fatal(${message})`, "\t\t}", "\t}()", `\t_ = ${clause.condition}`];
  return [`func ${name}(t *testing.T) {`, ...lines, "}"].join("\n");
}

function testText(plan: TestPlan, given: readonly Given[], test: ClauseTest, name: string): string {
  const { clause, given: conditions, broken, isClosed = false } = test;
  if (isClosed) return closedTest(test, name);
  const results = resultNames(plan.source.returns);
  const call = `${plan.name}(${given.map(({ argument }) => argument).join(", ")})`;
  const assigned = results.length === 0 ? call : `${results.join(", ")} := ${call}`;
  const body =
    broken === null
      ? [
          "accepted++",
          ...plan.olds.flatMap((old) => [`${old.name} := ${old.expression}`, `_ = ${old.name}`]),
          assigned,
          ...results.map((result) => `_ = ${result}`),
          `return ${clause.condition}`,
        ]
      : [
          `if ${broken} {`,
          "\treturn true",
          "}",
          "accepted++",
          "refused := false",
          "func() {",
          "\tdefer func() {",
          "\t\tif recover() != nil {",
          "\t\t\trefused = true",
          "\t\t}",
          "\t}()",
          `\t${assigned}`,
          ...results.map((result) => `\t_ = ${result}`),
          ...(results.includes("err") ? ["\trefused = err != nil"] : []),
          "}()",
          "return refused",
        ];
  const unused = given.map((one) => `_ = ${one.name}`);
  const lines = [...unused, ...conditions.flatMap((condition) => [`if !${condition} {`, "\treturn true", "}"]), ...body];
  return [
    `func ${name}(t *testing.T) {`,
    "\taccepted := 0",
    `\tproperty := func(${given.map((one) => `${one.name} ${one.type}`).join(", ")}) bool {`,
    ...lines.map((line) => `\t\t${line}`),
    "\t}",
    "\tconfig := &quick.Config{",
    `\t\tMaxCount: ${CASES},`,
    `\t\tRand:     rand.New(rand.NewSource(${seedFor(plan)})),`,
    "\t\tValues: func(values []reflect.Value, random *rand.Rand) {",
    ...given.map((one, index) => `\t\t\tvalues[${index}] = reflect.ValueOf(${one.generator})`),
    "\t\t},",
    "\t}",
    "\tif err := quick.Check(property, config); err != nil {",
    `\t\tt.Fatalf("%s: %v", ${JSON.stringify(clause.text)}, err)`,
    "\t}",
    "\tif accepted == 0 {",
    `\t\tt.Fatalf("no generated input reaches %s", ${JSON.stringify(clause.text)})`,
    "\t}",
    "}",
  ].join("\n");
}

/** `result`, and `err` if the last result is an error. */
function resultNames(returns: string): string[] {
  if (returns === "") return [];
  if (!returns.startsWith("(")) return returns === "error" ? ["err"] : ["result"];
  const parts = returns.slice(1, -1).split(",");
  return parts.map((part, index) => (/\berror$/.test(part.trim()) ? "err" : index === 0 ? "result" : `result${index + 1}`));
}
