import type { ExpressionCheck } from "../micro-contracts/predicates.ts";
import type { Grammar } from "./grammar.ts";
import { nodesIn, parseTree, startOf, type GrammarId, type SyntaxNode } from "./grammars.ts";
import { syntaxProblems } from "./syntax-problems.ts";

/** A source file around an expression in brackets. */
const AROUND: Readonly<Record<GrammarId, readonly [before: string, after: string]>> = {
  python: ["(", ")\n"],
  rust: ["fn f() -> bool { (", ") }"],
  go: ["package p\nvar x = (", ")\n"],
  java: ["class A { boolean f() { return (", "); } }"],
  cpp: ["bool f() { return (", "); }"],
};
const BRACKETED = new Set(["parenthesized_expression", "tuple"]);
/** Nodes in which an expression declares names of its own. */
const BINDING = new Set([
  "lambda_parameters",
  "closure_parameters",
  "parameter_list",
  "formal_parameters",
  "inferred_parameters",
  "let_condition",
]);
/** A name in one of these is part of a path, a macro or a keyword argument. */
const QUALIFIED = new Set([
  "scoped_identifier",
  "qualified_identifier",
  "token_tree",
  "macro_invocation",
  "keyword_argument",
  "generic_function",
]);
const STATEMENT_LIKE = new Set(["assignment", "assignment_expression", "named_expression", "update_expression", "await_expression"]);

/**
 * Whether a text is one expression of a language over known names. A sentence such as `list is sorted` can be an expression of Python by
 * accident; its names are then unknown.
 */
export function expressionCheck(grammar: Grammar, isKnown: (name: string) => boolean): ExpressionCheck {
  return (text) => {
    if (text.trim() === "" || text.includes("\n")) return "it is not one expression";
    const [before, after] = AROUND[grammar.id];
    const root = parseTree(grammar.id, `${before}${text}${after}`);
    if (syntaxProblems(root, grammar).length > 0) return "it does not parse as an expression";
    const open = before.length - 1;
    const all = [...nodesIn(root)];
    const bracketed = all.find((node) => BRACKETED.has(node.kind()) && startOf(node) === open);
    if (bracketed === undefined || bracketed.range().end.index !== before.length + text.length + 1) return "it is not one expression";
    const nodes = [...nodesIn(bracketed)];
    if (nodes.some((node) => STATEMENT_LIKE.has(node.kind()))) return "it changes something";
    const bound = boundNames(nodes);
    const unknown = nodes.find((node) => isFreeName(node) && !bound.has(node.text()) && !isKnown(node.text()));
    return unknown === undefined ? null : `${unknown.text()} is neither a parameter nor a known name`;
  };
}

function boundNames(nodes: readonly SyntaxNode[]): Set<string> {
  const names = nodes.flatMap((node) => {
    if (BINDING.has(node.kind())) return identifiersIn(node);
    const own =
      node.kind() === "for_in_clause" ? node.field("left") : node.kind() === "lambda_expression" ? node.field("parameters") : null;
    return own === null ? [] : identifiersIn(own);
  });
  return new Set(names);
}

function identifiersIn(node: SyntaxNode): string[] {
  return [...nodesIn(node)].filter((inner) => inner.kind() === "identifier").map((inner) => inner.text());
}

function isFreeName(node: SyntaxNode): boolean {
  if (node.kind() !== "identifier" || /^[A-Z]/.test(node.text())) return false;
  const parent = node.parent();
  if (parent === null) return true;
  if (node.ancestors().some((outer) => QUALIFIED.has(outer.kind()))) return false;
  if (parent.kind() === "attribute") return parent.field("attribute")?.id() !== node.id() && !isCallee(parent);
  if (parent.kind() === "field_access") return parent.field("field")?.id() !== node.id();
  if (parent.kind() === "method_invocation") return false;
  return !isCallee(node);
}

/** The function of a call, or the first part of its path, such as a package. */
function isCallee(node: SyntaxNode): boolean {
  const parent = node.parent();
  if (parent === null) return false;
  if (/^call(?:_expression)?$/.test(parent.kind())) return parent.child(0)?.id() === node.id();
  return /^(?:selector_expression|attribute)$/.test(parent.kind()) && parent.child(0)?.id() === node.id() && isCallee(parent);
}
