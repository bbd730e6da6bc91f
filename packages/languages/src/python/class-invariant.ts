import type { GeneratedTest, ParsedSource, SourceTree } from "../adapter.ts";
import type { StructuredClaim } from "../property-tests/claim.ts";
import { expressionCheck } from "../tree-sitter/expression.ts";
import { typesIn } from "../tree-sitter/lattice.ts";
import { parseSource } from "../tree-sitter/source.ts";
import { pythonGrammar } from "./grammar.ts";
import { pythonShape, strategyOf } from "./types.ts";
import { moduleOf, PYTHON_PRELUDE } from "./unit-test.ts";

/** An invariant of a class: it holds after every operation of any sequence. Null if the claim is about no class, or cannot be tested. */
export function stateTest(tree: SourceTree, claim: StructuredClaim, file: string): GeneratedTest | null {
  const found = classIn(tree, claim.subject);
  if (found === null) return null;
  const check = expressionCheck(pythonGrammar, (name) => name === "self");
  if (check(claim.predicate) !== null) return null;
  const interesting = { numbers: [], texts: [] };
  const operations = found.ast.functions
    .filter(({ name, signature }) => name.startsWith(`${claim.subject}.`) && /\(\s*self\b/.test(signature) && !/\._|__/.test(name))
    .flatMap(({ name, parameters, signature }) => {
      const shapes = parameters.map(({ type }) => pythonShape(type));
      if (!shapes.every((shape) => shape !== null) || signature.startsWith("async ")) return [];
      const drawn = shapes.map((shape) => `data.draw(${strategyOf(shape, interesting)})`);
      return [`    lambda self, data: self.${name.split(".").at(-1)}(${drawn.join(", ")}),`];
    });
  const name = `test_${claim.subject.toLowerCase()}_claim_${claim.id}`;
  const condition = `(${claim.predicate})`;
  const message = JSON.stringify(`${claim.id}: ${claim.text}`);
  const text = [
    `"""Made from the claim ${claim.id} about ${claim.subject}."""`,
    "from hypothesis import HealthCheck, given, reject, settings",
    "from hypothesis import strategies as st",
    "",
    `from ${moduleOf(found.path)} import *  # noqa: F403`,
    `from ${moduleOf(found.path)} import ${claim.subject}`,
    "",
    PYTHON_PRELUDE,
    "",
    "",
    "OPERATIONS = [",
    ...operations,
    "]",
    "",
    "",
    "@SETTINGS",
    `@given(instance=_valid(${claim.subject}), data=st.data())`,
    `def ${name}(instance, data):`,
    "    self = instance",
    `    assert ${condition}, ${message}`,
    "    for _ in range(data.draw(st.integers(0, 8)) if OPERATIONS else 0):",
    "        operation = data.draw(st.sampled_from(OPERATIONS))",
    "        try:",
    "            operation(self, data)",
    "        except Exception:",
    "            pass",
    `        assert ${condition}, ${message}`,
    "",
  ].join("\n");
  return { path: file, text, tests: [name], untested: [] };
}

function classIn(tree: SourceTree, name: string): { readonly path: string; readonly ast: ParsedSource } | null {
  for (const [path, text] of Object.entries(tree)) {
    if (!path.endsWith(".py") || !new RegExp(`^class ${name}\\b`, "m").test(text)) continue;
    const ast = parseSource(pythonGrammar, text);
    if (typesIn(pythonGrammar, ast).has(name)) return { path, ast };
  }
  return null;
}
