import { posix } from "node:path";
import type { GeneratedTest, SourceTree } from "../adapter.ts";
import type { MicroContract } from "../micro-contracts/contract.ts";
import { END_MARK, RESULT_MARK } from "../toolchains/result-lines.ts";
import {
  braceImplies,
  clauseTests,
  flatName,
  planTests,
  seedFor,
  type ClauseTest,
  type PlanStyle,
  type TestPlan,
} from "../tree-sitter/test-plan.ts";
import { cppGrammar } from "./grammar.ts";
import { cppGenerator, cppValueType } from "./types.ts";

export const CPP_STYLE: PlanStyle = { grammar: cppGrammar, receiver: null, implies: braceImplies };

export function cppUnitTest(tree: SourceTree, path: string, functionName: string, contract: MicroContract): GeneratedTest | null {
  const plan = planTests(CPP_STYLE, tree, { path, function: functionName }, contract);
  if (plan === null) return null;
  return renderCpp(tree, plan, `tests/unit/${flatName(path)}_${functionName.replaceAll(/\W+/g, "_")}_test.cpp`, clauseTests(plan));
}

interface Given {
  readonly name: string;
  readonly type: string;
  readonly generator: string;
}

/** A program of properties. Null for a method of a class, or if the values of a parameter cannot be generated. */
export function renderCpp(tree: SourceTree, plan: TestPlan, file: string, tests: readonly ClauseTest[]): GeneratedTest | null {
  const { source, path } = plan;
  if (/^template\b|\bthis\b/.test(source.signature) || isMethod(tree, plan)) return null;
  const given = source.parameters.map(({ name, type }): Given | null => {
    const value = cppValueType(type);
    const generator = value === null ? null : cppGenerator(value, plan);
    return value === null || generator === null || name === "" ? null : { name, type: value, generator };
  });
  if (!given.every((one) => one !== null)) return null;
  const nameOf = ({ clause }: ClauseTest) => `${plan.name}_${clause.label}`;
  const names = tests.map(nameOf);
  const header = headerOf(tree, path);
  const text = `${[
    `// Made from the contract of ${source.name} in ${path}.`,
    "#include <rapidcheck.h>",
    "#include <algorithm>",
    "#include <cmath>",
    "#include <exception>",
    "#include <iostream>",
    "#include <string>",
    "#include <vector>",
    ...(header === null ? [declarationOf(plan)] : [`#include "${posix.relative(posix.dirname(file), header)}"`]),
    ...(namespaceOf(plan) === null ? [] : [`using namespace ${namespaceOf(plan)};`]),
    "",
    "static int failures = 0;",
    "static void report(const char* name, bool passed, const char* clause) {",
    "  if (!passed) failures++;",
    `  std::cout << "${RESULT_MARK} \\t" << (passed ? "PASS" : "FAIL") << "\\t" << name << "\\t" << clause << std::endl;`,
    "}",
    "",
    "int main() {",
    ...tests.map((test) => testText(plan, given, test, nameOf(test))),
    `  std::cout << "${END_MARK}" << std::endl;`,
    "  return failures == 0 ? 0 : 1;",
    "}",
  ].join("\n")}\n`;
  return { path: file, text, tests: names, untested: plan.untested };
}

function namespaceOf({ source }: TestPlan): string | null {
  const parts = source.name.split(".").slice(0, -1);
  return parts.length === 0 ? null : parts.join("::");
}

function isMethod(tree: SourceTree, { owner, path }: TestPlan): boolean {
  return owner !== null && !new RegExp(`\\bnamespace\\s+(?:\\w+::)*${owner}\\b`).test(tree[path] ?? "");
}

/** The header beside a source, or the file itself if it is one. */
function headerOf(tree: SourceTree, path: string): string | null {
  if (/\.h(?:pp|h|xx)?$/.test(path)) return path;
  const stem = path.replace(/\.\w+$/, "");
  return [".hpp", ".h", ".hh"].map((extension) => `${stem}${extension}`).find((one) => tree[one] !== undefined) ?? null;
}

function declarationOf(plan: TestPlan): string {
  const space = namespaceOf(plan);
  const declaration = `${plan.source.signature};`;
  return space === null ? declaration : `namespace ${space} { ${declaration} }`;
}

function closedTest({ clause, broken }: ClauseTest, name: string): string {
  const passed = broken === null ? `passed = ${clause.condition};` : `(void)${clause.condition};`;
  return `  {\n    bool passed = false;\n    try { ${passed} } catch (...) { passed = ${broken !== null}; }\n    report(${JSON.stringify(name)}, passed, ${JSON.stringify(clause.text)});\n  }`;
}

function testText(plan: TestPlan, given: readonly Given[], test: ClauseTest, name: string): string {
  const { clause, given: conditions, broken, isClosed = false } = test;
  if (isClosed) return closedTest(test, name);
  const isVoid = plan.source.returns === "void";
  const call = `${plan.name}(${given.map((one) => one.name).join(", ")})`;
  const lines = [
    ...given.map((one) => `${one.type} ${one.name} = *${one.generator};`),
    ...conditions.map((condition) => `RC_PRE(${condition});`),
    ...(broken === null
      ? [
          ...plan.olds.map((old) => `const auto ${old.name} = ${old.expression};`),
          isVoid ? `${call};` : `auto result = ${call};`,
          `RC_ASSERT(${clause.condition});`,
        ]
      : [
          `RC_PRE(!(${broken}));`,
          "bool refused = false;",
          `try { ${isVoid ? call : `(void)${call}`}; } catch (...) { refused = true; }`,
          "RC_ASSERT(refused);",
        ]),
  ];
  return [
    "  {",
    "    rc::detail::TestParams params;",
    `    params.seed = ${seedFor(plan)};`,
    "    params.maxDiscardRatio = 1000;",
    `    const auto outcome = rc::detail::checkTestable([] {`,
    ...lines.map((line) => `      ${line}`),
    `    }, rc::detail::TestMetadata(), params);`,
    "    rc::detail::printResultMessage(outcome, std::cerr);",
    `    report(${JSON.stringify(name)}, outcome.template is<rc::detail::SuccessResult>(), ${JSON.stringify(clause.text)});`,
    "  }",
  ].join("\n");
}
