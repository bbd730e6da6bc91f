import type { GeneratedTest, SourceTree } from "../adapter.ts";
import type { MicroContract } from "../micro-contracts/contract.ts";
import {
  braceImplies,
  clauseTests,
  flatName,
  planTests,
  type ClauseTest,
  type PlanStyle,
  type TestPlan,
} from "../tree-sitter/test-plan.ts";
import { rustGrammar } from "./grammar.ts";
import { rustParameter, rustStrategy, type RustParameter, type RustWitnessType } from "./types.ts";

export const RUST_STYLE: PlanStyle = { grammar: rustGrammar, receiver: "self", implies: braceImplies };

/** `src/domain/account.rs` is `project::domain::account`. */
export function rustModule(tree: SourceTree, path: string): string {
  const name = /^\s*name\s*=\s*"([\w-]+)"/m.exec(tree["Cargo.toml"] ?? "")?.[1] ?? "project";
  const parts = path
    .replace(/^src\//, "")
    .replace(/\.rs$/, "")
    .split("/")
    .filter((part) => part !== "mod" && part !== "lib");
  return [name.replaceAll("-", "_"), ...parts].join("::");
}

export function rustUnitTest(tree: SourceTree, path: string, functionName: string, contract: MicroContract): GeneratedTest | null {
  const plan = planTests(RUST_STYLE, tree, { path, function: functionName }, contract);
  if (plan === null) return null;
  return renderRust(tree, plan, `tests/unit_${flatName(path)}_${functionName.replaceAll(/\W+/g, "_")}.rs`, clauseTests(plan));
}

interface Given extends RustParameter {
  readonly name: string;
  readonly strategy: string;
}

/** The file of tests. Null if the function cannot be called from outside, or the values of a parameter cannot be generated. */
export function renderRust(tree: SourceTree, plan: TestPlan, file: string, tests: readonly ClauseTest[]): GeneratedTest | null {
  const { source, path } = plan;
  if (!source.isExported || /\(\s*&?\s*(?:mut\s+)?self\b/.test(source.signature) || /\bfn\s+\w+\s*</.test(source.signature)) return null;
  const given = source.parameters.map((parameter): Given | null => {
    const read = rustParameter(parameter.type);
    const strategy = read === null ? null : rustStrategy(read.shape, plan, (name) => witnessIn(tree, name));
    return read === null || strategy === null ? null : { ...read, name: parameter.name, strategy };
  });
  if (!given.every((one) => one !== null)) return null;
  const nameOf = ({ clause }: ClauseTest) => `${plan.name}_${clause.label}`;
  const names = tests.map(nameOf);
  const uses = [rustModule(tree, path), ...witnessModules(tree, source.parameters.map(({ type }) => type).join(" "))];
  const text = `${[
    `//! Made from the contract of ${source.name} in ${path}.`,
    "#![allow(unused, clippy::all)]",
    "use proptest::prelude::*;",
    "use std::collections::*;",
    "use std::panic::{catch_unwind, AssertUnwindSafe};",
    ...uses.map((one) => `use ${one}::*;`),
    "",
    "fn config() -> ProptestConfig {",
    "    ProptestConfig { cases: 200, failure_persistence: None, max_global_rejects: 20000, ..ProptestConfig::default() }",
    "}",
    "",
    ...tests.map((test) => testText(plan, given, test, nameOf(test))),
  ].join("\n")}\n`;
  return { path: file, text, tests: names, untested: plan.untested };
}

/** The newtype that the adapter itself generated, if the tree has it. */
function witnessIn(tree: SourceTree, type: string): RustWitnessType | null {
  const name = type.replace(/<.*$/s, "");
  for (const [path, text] of Object.entries(tree)) {
    if (!path.startsWith("src/witnesses/") || !path.endsWith(".rs")) continue;
    const inner = new RegExp(`pub struct ${name}\\((.+)\\);`).exec(text)?.[1];
    const made = /pub fn (\w+)\(value: .*\) -> Result<Self,/.exec(text)?.[1];
    if (inner !== undefined && made !== undefined) return { inner, constructor: `${name}::${made}` };
  }
  return null;
}

function witnessModules(tree: SourceTree, types: string): string[] {
  return Object.entries(tree)
    .filter(
      ([path, text]) =>
        path.startsWith("src/witnesses/") &&
        [...text.matchAll(/pub struct (\w+)/g)].some(([, name]) => new RegExp(`\\b${name}\\b`).test(types)),
    )
    .map(([path]) => rustModule(tree, path));
}

function testText(plan: TestPlan, given: readonly Given[], test: ClauseTest, name: string): string {
  const { clause, broken, isClosed = false } = test;
  if (isClosed && broken !== null) return `#[test]\n#[should_panic]\nfn ${name}() {\n    let _ = ${clause.condition};\n}\n`;
  if (isClosed) return `#[test]\nfn ${name}() {\n    assert!(${clause.condition}, "{}", ${JSON.stringify(clause.text)});\n}\n`;
  const lines = checkedLines(plan, given, test);
  // A claim that calls fail is a test that must panic.
  if (clause.kind === "REQUIRES" && clause.label.startsWith("claim_")) return refusalText(given, lines, name);
  const parameters = given.length === 0 ? "_unit in Just(())" : given.map((one) => `given_${one.name} in ${one.strategy}`).join(", ");
  return [
    "proptest! {",
    "    #![proptest_config(config())]",
    "    #[test]",
    `    fn ${name}(${parameters}) {`,
    ...lines.map((line) => `        ${line}`),
    "    }",
    "}",
    "",
  ].join("\n");
}

function checkedLines(plan: TestPlan, given: readonly Given[], { clause, given: conditions, broken }: ClauseTest): string[] {
  const call = `${plan.owner === null || !isType(plan.owner) ? "" : `${plan.owner}::`}${plan.name}(${given.map(argumentOf).join(", ")})`;
  return [
    ...given.map(bindingOf),
    ...conditions.map((condition) => `prop_assume!(${condition});`),
    ...(broken === null
      ? [
          ...plan.olds.map((old) => `let ${old.name} = (${old.expression}).clone();`),
          `let result = ${call};`,
          `prop_assert!(${clause.condition}, "{}", ${JSON.stringify(clause.text)});`,
        ]
      : [
          `prop_assume!(!(${broken}));`,
          `let refused = catch_unwind(AssertUnwindSafe(|| { let _ = ${call}; })).is_err();`,
          `prop_assert!(refused, "{}", ${JSON.stringify(`the call must panic: ${clause.text}`)});`,
        ]),
  ];
}

function refusalText(given: readonly Given[], lines: readonly string[], name: string): string {
  return [
    "#[test]",
    '#[should_panic(expected = "every input was refused")]',
    `fn ${name}() {`,
    "    let mut runner = proptest::test_runner::TestRunner::new(config());",
    `    let inputs = (${given.map((one) => `${one.strategy}, `).join("")});`,
    `    let outcome = runner.run(&inputs, |(${given.map((one) => `given_${one.name}, `).join("")})| {`,
    ...lines.map((line) => `        ${line}`),
    "        Ok(())",
    "    });",
    '    if let Err(problem) = outcome { println!("{}", problem); return; }',
    '    panic!("every input was refused");',
    "}",
    "",
  ].join("\n");
}

function isType(owner: string): boolean {
  return /^[A-Z]/.test(owner);
}

function bindingOf({ name, by, owned }: Given): string {
  if (by === "value") return `let ${name}: ${owned} = given_${name}.clone();`;
  if (by === "reference") return `let ${name} = &given_${name};`;
  return `let mut kept_${name} = given_${name}.clone(); let ${name} = &mut kept_${name};`;
}

/** A value is cloned, because a clause may use it after the call. */
function argumentOf({ name, by }: Given): string {
  if (by === "value") return `${name}.clone()`;
  return by === "mutable" ? `&mut *${name}` : name;
}
