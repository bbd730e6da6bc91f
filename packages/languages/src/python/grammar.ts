import type { Grammar, Parameter } from "../tree-sitter/grammar.ts";
import { childOfKind, oneLine, type SyntaxNode, childrenOf, kindOf, textOf, textOrNull } from "../tree-sitter/grammars.ts";
import { docstringNode } from "../tree-sitter/source.ts";

const SPLATS = new Set(["list_splat_pattern", "dictionary_splat_pattern"]);
const DEFINITIONS = new Set(["function_definition", "class_definition", "decorated_definition"]);

function parameterOf(node: SyntaxNode): Parameter[] {
  const kind = node.kind();
  if (kind === "identifier" || SPLATS.has(kind)) return [{ name: node.text(), type: "" }];
  if (!kind.endsWith("parameter")) return [];
  const name = childOfKind(node, "identifier", ...SPLATS);
  return name === null ? [] : [{ name: name.text(), type: oneLine(textOf(childOfKind(node, "type"))) }];
}

function isReceiver(definition: SyntaxNode): boolean {
  const scope = definition.ancestors().find((node) => ["class_definition", "function_definition"].includes(node.kind()));
  return scope?.kind() === "class_definition" && !decoratorsOf(definition).includes("staticmethod");
}

/** The names after `@`. */
export function decoratorsOf(definition: SyntaxNode): string[] {
  const parent = definition.parent();
  if (parent?.kind() !== "decorated_definition") return [];
  return parent.children().flatMap((child) => (child.kind() === "decorator" ? [child.text().slice(1).trim()] : []));
}

export const pythonGrammar: Grammar = {
  id: "python",
  hole: "raise NotImplementedError",
  functions: new Set(["function_definition"]),
  scopeName: (node) => (node.kind() === "class_definition" ? textOrNull(childOfKind(node, "identifier")) : null),
  nameOf: (definition) => textOrNull(childOfKind(definition, "identifier")),
  parametersOf(definition) {
    const all = childrenOf(childOfKind(definition, "parameters")).flatMap(parameterOf);
    return isReceiver(definition) ? all.slice(1) : all;
  },
  returnsOf: (definition) => oneLine(textOf(childOfKind(definition, "type"))),
  blockOf: (definition) => childOfKind(definition, "block"),
  outermost(definition) {
    const parent = definition.parent();
    return parent?.kind() === "decorated_definition" ? parent : definition;
  },
  isExported: (_definition, name) => !name.startsWith("_"),
  statementsOf(block) {
    const documentation = docstringNode(block)?.parent()?.id();
    return block.children().filter((child) => child.isNamed() && child.kind() !== "comment" && child.id() !== documentation);
  },
  isHoleStatement: (statement) =>
    statement.kind() === "raise_statement" && /^raise\s+NotImplementedError\s*(?:\([^()]*\)|)$/.test(statement.text()),
  calleeOf: (node) => (node.kind() === "call" ? textOrNull(node.child(0)) : null),
  comments: new Set(["comment"]),
  isDocumentation: () => true,
  literals: new Set(["string"]),
  mayBeEmpty: new Set(["module", "string_content", "block"]),
  escaping: new Set(),
  metrics: {
    branches: new Set([
      "if_statement",
      "elif_clause",
      "for_statement",
      "while_statement",
      "except_clause",
      "conditional_expression",
      "case_clause",
      "for_in_clause",
      "if_clause",
    ]),
    logical: new Set(["boolean_operator"]),
    nesting: new Set(["if_statement", "for_statement", "while_statement", "try_statement", "with_statement", "match_statement"]),
    numbers: new Set(["integer", "float"]),
    constants: new Set(["assignment", "default_parameter", "typed_default_parameter", "keyword_argument"]),
  },
  types: new Set(["class_definition"]),
  isLoadStatement(statement) {
    if (DEFINITIONS.has(statement.kind())) return false;
    if (["import_statement", "import_from_statement", "future_import_statement", "comment"].includes(statement.kind())) return false;
    if (statement.kind() !== "expression_statement") return true;
    const inner = statement.child(0);
    return !["string", "assignment", "ellipsis"].includes(kindOf(inner));
  },
};
