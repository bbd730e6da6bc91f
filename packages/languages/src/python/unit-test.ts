import type { GeneratedTest, SourceTree } from "../adapter.ts";
import type { MicroContract } from "../micro-contracts/contract.ts";
import { typesIn } from "../tree-sitter/lattice.ts";
import { parseSource } from "../tree-sitter/source.ts";
import { clauseTests, flatName, planTests, type ClauseTest, type PlanStyle, type TestPlan } from "../tree-sitter/test-plan.ts";
import type { TypeShape } from "../tree-sitter/type-shape.ts";
import { pythonGrammar } from "./grammar.ts";
import { namedTypes, pythonShape, strategyOf } from "./types.ts";

export const PYTHON_STYLE: PlanStyle = {
  grammar: pythonGrammar,
  receiver: "self",
  implies: (premises, conclusion) =>
    premises.length === 0 ? `(${conclusion})` : `((not (${premises.map((one) => `(${one})`).join(" and ")})) or (${conclusion}))`,
};

/** `src/domain/account.py` is imported as `domain.account`. */
export function moduleOf(path: string): string {
  return path
    .replace(/^src\//, "")
    .replace(/\.py$/, "")
    .replace(/\/__init__$/, "")
    .replaceAll("/", ".");
}

export function pythonUnitTest(tree: SourceTree, path: string, functionName: string, contract: MicroContract): GeneratedTest | null {
  const plan = planTests(PYTHON_STYLE, tree, { path, function: functionName }, contract);
  if (plan === null) return null;
  const file = `tests/unit/test_${flatName(path)}_${functionName.replaceAll(/\W+/g, "_")}.py`;
  return renderPython(tree, plan, file, clauseTests(plan));
}

/** The file of tests. Null if the values of a parameter cannot be generated. */
export function renderPython(tree: SourceTree, plan: TestPlan, file: string, tests: readonly ClauseTest[]): GeneratedTest | null {
  const given = parametersOf(plan);
  if (given === null) return null;
  const nameOf = ({ clause }: ClauseTest) => `test_${plan.name}_${clause.label}`;
  const names = tests.map(nameOf);
  const imports = importsOf(
    tree,
    plan,
    given.flatMap(({ shape }) => namedTypes(shape)),
  );
  const text = `${[
    `"""Made from the contract of ${plan.source.name} in ${plan.path}."""`,
    "import asyncio",
    "import copy",
    "",
    "import pytest",
    "from hypothesis import HealthCheck, assume, given, reject, settings",
    "from hypothesis import strategies as st",
    "",
    ...imports,
    "",
    PYTHON_PRELUDE,
    ...tests.map((test) => `\n\n${testText(plan, given, test, nameOf(test))}`),
  ].join("\n")}\n`;
  return { path: file, text, tests: names, untested: plan.untested };
}

export const PYTHON_PRELUDE = `SETTINGS = settings(
    max_examples=100,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)


def _integers(*interesting):
    near = sorted({value + step for value in interesting for step in (-1, 0, 1)})
    most = max([1000, *(abs(value) * 2 for value in interesting)])
    return st.one_of(st.integers(-most, most), *([st.sampled_from(near)] if near else []))


def _floats(*interesting):
    plain = st.floats(min_value=-1e6, max_value=1e6, allow_nan=False)
    return st.one_of(plain, st.sampled_from([float(value) for value in interesting])) if interesting else plain


def _in_order(values):
    try:
        return sorted(values)
    except TypeError:
        return values


def _lists(elements):
    """Half of the lists are sorted: an order is what preconditions of lists are most often about."""
    plain = st.lists(elements, max_size=8)
    return st.one_of(plain, plain.map(_in_order))


@st.composite
def _valid(draw, kind):
    """A value that its own class accepts."""
    try:
        return draw(st.from_type(kind))
    except (ValueError, TypeError):
        reject()


def _holds(condition):
    try:
        return bool(condition())
    except Exception:
        return False`;

interface Given {
  readonly name: string;
  readonly argument: string;
  readonly shape: TypeShape;
}

function parametersOf({ source, owner }: TestPlan): Given[] | null {
  const parameters = source.parameters.filter(({ name }) => !name.startsWith("**"));
  const given = parameters.map(({ name, type }): Given | null => {
    const shape = pythonShape(type);
    const isRest = name.startsWith("*");
    if (shape === null || name === "*" || name === "/") return null;
    const plain = name.replace(/^\*/, "");
    return isRest
      ? { name: plain, argument: `*${plain}`, shape: { kind: "list", name: "tuple", of: shape } }
      : { name: plain, argument: plain, shape };
  });
  if (!given.every((one) => one !== null)) return null;
  return owner !== null && isMethod(source.signature)
    ? [{ name: "self", argument: "", shape: { kind: "named", name: owner } }, ...given]
    : given;
}

function isMethod(signature: string): boolean {
  return /\(\s*self\b/.test(signature);
}

function importsOf(tree: SourceTree, { path, source, owner, name }: TestPlan, types: readonly string[]): string[] {
  const own = moduleOf(path);
  const lines = [`from ${own} import *  # noqa: F403`, `from ${own} import ${owner === null ? name : source.name.split(".")[0]}`];
  for (const type of new Set(types)) {
    const file = Object.keys(tree).find(
      (one) => one.endsWith(".py") && typesIn(pythonGrammar, parseSource(pythonGrammar, tree[one] ?? "")).has(type),
    );
    if (file !== undefined) lines.push(`from ${moduleOf(file)} import ${type}`);
  }
  return [...new Set(lines)];
}

function callText({ source, owner, name }: TestPlan, given: readonly Given[]): string {
  const receiver = given[0]?.name === "self" ? "self." : owner === null ? "" : `${owner}.`;
  const call = `${receiver}${name}(${given
    .map(({ argument }) => argument)
    .filter((argument) => argument !== "")
    .join(", ")})`;
  return source.signature.startsWith("async ") ? `asyncio.run(${call})` : call;
}

function closedTest({ clause, broken }: ClauseTest, name: string): string {
  if (broken === null) return `def ${name}():\n    assert ${clause.condition}, ${JSON.stringify(clause.text)}`;
  return `def ${name}():\n    with pytest.raises(Exception):\n        ${clause.condition}`;
}

function testText(plan: TestPlan, given: readonly Given[], test: ClauseTest, name: string): string {
  const { clause, given: conditions, broken, isClosed = false } = test;
  if (isClosed) return closedTest(test, name);
  const strategies = given.map(
    ({ name: parameter, shape }) => `${inTest(parameter)}=${strategyOf(shape, plan)}${filterOf(parameter, given, conditions)}`,
  );
  const head = given.length === 0 ? [] : ["@SETTINGS", `@given(${strategies.join(", ")})`];
  const assumed = conditions.map((condition) => `    assume(_holds(lambda: ${condition}))`);
  const call = callText(plan, given);
  const body =
    broken === null
      ? [
          ...plan.olds.map(({ name: old, expression }) => `    ${old} = copy.deepcopy(${expression})`),
          `    result = ${call}`,
          `    assert ${clause.condition}, ${JSON.stringify(clause.text)}`,
        ]
      : [`    assume(not _holds(lambda: ${broken}))`, "    with pytest.raises(Exception):", `        ${call}`];
  return [
    ...head,
    `def ${name}(${given.map(({ name: parameter }) => inTest(parameter)).join(", ")}):`,
    ...(given[0]?.name === "self" ? ["    self = instance"] : []),
    ...assumed,
    ...body,
  ].join("\n");
}

/** A condition over one parameter alone is a filter of its values: then the others are not generated in vain. */
function filterOf(parameter: string, given: readonly Given[], conditions: readonly string[]): string {
  if (parameter === "self") return "";
  const names = (condition: string) =>
    given.filter(({ name }) => new RegExp(`(?<![\\w.])${name}\\b`).test(condition)).map(({ name }) => name);
  const own = conditions.filter((condition) => names(condition).join() === parameter);
  return own.map((condition) => `.filter(lambda ${parameter}: _holds(lambda: ${condition}))`).join("");
}

/** A test function is no method, so it cannot have a parameter called self. */
function inTest(parameter: string): string {
  return parameter === "self" ? "instance" : parameter;
}
