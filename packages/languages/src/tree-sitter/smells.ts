import type { ParsedSource } from "../adapter.ts";
import type { DetectedSmell } from "../analysis/smells.ts";
import type { Grammar } from "./grammar.ts";
import { lineOf, nodesIn, type SyntaxNode, kindOf } from "./grammars.ts";
import { measure, ownNodes } from "./metrics.ts";
import { functionNamed } from "./source.ts";

const MOST_NESTING = 3;
const MOST_PATHS = 10;
const MOST_LINES = 50;
/** Numbers that need no name. */
const PLAIN_NUMBERS = new Set(["0", "1", "2", "0.0", "1.0", "10", "100"]);
const LEAVING = new Set(["return_statement", "raise_statement", "throw_statement", "break_statement", "continue_statement"]);
const LEAVING_EXPRESSION = new Set(["return_expression", "break_expression", "continue_expression"]);
/** Where a name is bound: the kind of node, and the field with the name. */
const BINDINGS: Readonly<Record<string, string>> = {
  assignment: "left",
  let_declaration: "pattern",
  variable_declarator: "name",
  init_declarator: "declarator",
  short_var_declaration: "left",
};

export function detectSmells(grammar: Grammar, ast: ParsedSource, name: string): DetectedSmell[] {
  const { block, source } = functionNamed(grammar, ast, name);
  const { cyclomatic, lines, nesting } = measure(grammar, ast, name);
  const smell = (id: string, detail: string, measured: number | null = null, line = source.line): DetectedSmell => ({
    id,
    function: source.name,
    line,
    measured,
    detail,
  });
  const nodes = [...ownNodes(grammar, block)];
  return [
    ...(nesting > MOST_NESTING ? [smell("deep-nesting", `${nesting} levels of nesting`, nesting)] : []),
    ...(cyclomatic > MOST_PATHS ? [smell("high-cyclomatic-complexity", `${cyclomatic} paths`, cyclomatic)] : []),
    ...(lines > MOST_LINES ? [smell("long-function-body", `${lines} lines`, lines)] : []),
    ...magicNumbers(grammar, nodes).map((node) => smell("magic-values", `the number ${node.text()} has no name`, null, lineOf(node))),
    ...unusedBindings(nodes, block).map((node) => smell("unused-binding", `${node.text()} is never used`, null, lineOf(node))),
    ...unreachable(grammar, nodes).map((node) => smell("unreachable-code", "nothing after this line runs", null, lineOf(node))),
    ...imperativeLoops(grammar, nodes).map((node) => smell("imperative-loop", "the loop only appends to a list", null, lineOf(node))),
  ];
}

/** One for each different number. */
function magicNumbers(grammar: Grammar, nodes: readonly SyntaxNode[]): SyntaxNode[] {
  const { numbers, constants } = grammar.metrics;
  const found = nodes.filter(
    (node) => numbers.has(node.kind()) && !PLAIN_NUMBERS.has(node.text()) && !constants.has(kindOf(node.parent())),
  );
  return [...new Map(found.toReversed().map((node) => [node.text(), node])).values()].toReversed();
}

function unusedBindings(nodes: readonly SyntaxNode[], block: SyntaxNode): SyntaxNode[] {
  const uses = new Map<string, number>();
  for (const node of nodesIn(block)) {
    if (!node.isLeaf()) continue;
    uses.set(node.text(), (uses.get(node.text()) ?? 0) + 1);
  }
  return nodes
    .flatMap((node) => {
      const bound = node.field(BINDINGS[node.kind()] ?? "");
      return bound?.kind() === "identifier" ? [bound] : [];
    })
    .filter((bound) => uses.get(bound.text()) === 1 && !bound.text().startsWith("_"));
}

function unreachable(grammar: Grammar, nodes: readonly SyntaxNode[]): SyntaxNode[] {
  return nodes.flatMap((node) => {
    const statements = node.children().filter((child) => child.isNamed() && !grammar.comments.has(child.kind()));
    const leaving = statements.findIndex(leaves);
    const next = leaving < 0 ? undefined : statements[leaving + 1];
    return next === undefined || /label|case/.test(next.kind()) ? [] : [next];
  });
}

function leaves(statement: SyntaxNode): boolean {
  if (LEAVING.has(statement.kind())) return true;
  return statement.kind() === "expression_statement" && LEAVING_EXPRESSION.has(kindOf(statement.child(0)));
}

/** A loop of Python whose only work is `list.append`, which a comprehension says in one line. */
function imperativeLoops(grammar: Grammar, nodes: readonly SyntaxNode[]): SyntaxNode[] {
  if (grammar.id !== "python") return [];
  return nodes.filter((node) => {
    if (node.kind() !== "for_statement") return false;
    let body = node.field("body");
    for (let depth = 0; depth < 2 && body !== null; depth++) {
      const [only, ...more] = grammar.statementsOf(body);
      if (only === undefined || more.length > 0) return false;
      if (/^[\w.]+\.append\(/.test(only.text())) return true;
      body = only.kind() === "if_statement" && only.field("alternative") === null ? only.field("consequence") : null;
    }
    return false;
  });
}
