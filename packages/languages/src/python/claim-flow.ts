import type { GeneratedTest, SourceTree } from "../adapter.ts";
import type { ClaimTestParts, StructuredClaim } from "../property-tests/claim.ts";
import { expressionCheck } from "../tree-sitter/expression.ts";
import { pythonGrammar } from "./grammar.ts";
import { pythonShape, strategyOf } from "./types.ts";
import { moduleOf, PYTHON_PRELUDE } from "./unit-test.ts";

type Inputs = ClaimTestParts["inputs"];

/**
 * A claim with an executable part. A behavioral claim carries its operations out in order; the last one of a negative claim must fail; the
 * operations of an invariant come in any order, and its condition is checked after each. Returns why not, if it cannot be written.
 */
export function flowTest(tree: SourceTree, claim: StructuredClaim, parts: ClaimTestParts, file: string): GeneratedTest | string {
  const expressions = [
    ...parts.setup.map(({ value }) => value),
    ...parts.operations.flatMap(({ call, when, update }) => [
      call,
      ...(when === null ? [] : [when]),
      ...(update === undefined ? [] : [update.value]),
    ]),
    ...(parts.assert === null ? [] : [parts.assert]),
  ];
  const check = expressionCheck(pythonGrammar, () => true);
  for (const expression of expressions) {
    const problem = check(expression);
    if (problem !== null) return `${JSON.stringify(expression)}: ${problem}`;
  }
  const unknown = [parts.inputs, ...parts.operations.map(({ inputs }) => inputs)].flat().find(({ type }) => pythonShape(type) === null);
  if (unknown !== undefined) return `values of the type ${unknown.type} cannot be generated`;
  const name = `test_claim_${claim.id}`;
  const message = JSON.stringify(`${claim.id}: ${claim.text}`.replaceAll(/\s+/g, " "));
  const steps = claim.type === "invariant" ? stateLines(parts, message) : flowLines(parts, claim.type === "negative", message);
  const modules = Object.keys(tree).filter((path) => /^src\/.*\.py$/.test(path));
  const text = [
    `"""Made from the claim ${claim.id}."""`,
    "import pytest",
    "from hypothesis import HealthCheck, assume, given, reject, settings",
    "from hypothesis import strategies as st",
    "",
    ...modules.map((path) => `from ${moduleOf(path)} import *  # noqa: F403`),
    "",
    PYTHON_PRELUDE,
    "",
    "",
    "@SETTINGS",
    "@given(data=st.data())",
    `def ${name}(data):`,
    "    result = None",
    ...drawn(parts.inputs).map((line) => `    ${line}`),
    ...parts.setup.map((one) => `    ${one.name} = ${one.value}`),
    ...steps.map((line) => `    ${line}`),
    "",
  ].join("\n");
  return { path: file, text, tests: [name], untested: [] };
}

function drawn(inputs: Inputs): string[] {
  return inputs.flatMap(({ name, type }) => {
    const shape = pythonShape(type);
    return shape === null ? [] : [`${name} = data.draw(${strategyOf(shape, { numbers: [], texts: [] })})`];
  });
}

function asserted({ assert: condition }: ClaimTestParts, message: string): string[] {
  return condition === null ? [] : [`assert (${condition}), ${message}`];
}

function flowLines(parts: ClaimTestParts, isNegative: boolean, message: string): string[] {
  const last = parts.operations.length - 1;
  const calls = parts.operations.flatMap(({ call, when, inputs, update }, index) => [
    ...drawn(inputs),
    ...(when === null ? [] : [`assume(_holds(lambda: ${when}))`]),
    ...(isNegative && index === last ? ["with pytest.raises(Exception):", `    ${call}`] : [`result = ${call}`, ...updated(update)]),
  ]);
  return [...calls, ...asserted(parts, message)];
}

type Update = ClaimTestParts["operations"][number]["update"];

const updated = (update: Update): string[] => (update === undefined ? [] : [`${update.name} = ${update.value}`]);
const elseUpdated = (update: Update): string[] => (update === undefined ? [] : ["else:", ...updated(update).map((line) => `    ${line}`)]);

/** Without a condition a call may refuse, and the state must still be right. */
function stateLines(parts: ClaimTestParts, message: string): string[] {
  const cases = parts.operations.flatMap(({ call, when, inputs, update }, index) => [
    `    if which == ${index}:`,
    ...[
      ...drawn(inputs),
      ...(when === null
        ? ["try:", `    result = ${call}`, "except Exception:", "    pass", ...elseUpdated(update)]
        : [`if _holds(lambda: ${when}):`, `    result = ${call}`, ...updated(update).map((line) => `    ${line}`)]),
    ].map((line) => `        ${line}`),
  ]);
  return [
    ...asserted(parts, message),
    "for _ in range(data.draw(st.integers(0, 10))):",
    `    which = data.draw(st.integers(0, ${parts.operations.length - 1}))`,
    ...cases,
    ...asserted(parts, message).map((line) => `    ${line}`),
  ];
}
