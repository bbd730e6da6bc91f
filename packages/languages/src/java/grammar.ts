import type { Grammar, Parameter } from "../tree-sitter/grammar.ts";
import { childOfKind, endOf, oneLine, startOf, type SyntaxNode, childrenOf, textOf, textOrNull } from "../tree-sitter/grammars.ts";

const COMMENTS = new Set(["line_comment", "block_comment"]);
const SCOPES = new Set(["class_declaration", "interface_declaration", "enum_declaration", "record_declaration"]);

function parameterOf(node: SyntaxNode): Parameter[] {
  if (node.kind() === "spread_parameter") {
    const name = textOf(childOfKind(node, "variable_declarator"));
    const type = node.children().find((child) => child.isNamed() && child.kind() !== "modifiers");
    return [{ name, type: `${oneLine(textOf(type))}...` }];
  }
  if (node.kind() !== "formal_parameter") return [];
  return [{ name: textOf(node.field("name")), type: oneLine(textOf(node.field("type"))) }];
}

function modifiersOf(definition: SyntaxNode): string {
  return textOf(childOfKind(definition, "modifiers"));
}

export const javaGrammar: Grammar = {
  id: "java",
  hole: 'throw new UnsupportedOperationException("hole");',
  functions: new Set(["method_declaration", "constructor_declaration", "compact_constructor_declaration"]),
  scopeName: (node) => (SCOPES.has(node.kind()) ? textOrNull(node.field("name")) : null),
  nameOf: (definition) => textOrNull(definition.field("name")),
  parametersOf: (definition) => childrenOf(definition.field("parameters")).flatMap(parameterOf),
  returnsOf: (definition) => oneLine(textOf(definition.field("type"))),
  blockOf: (definition) => definition.field("body"),
  outermost: (definition) => definition,
  isExported(definition) {
    const isInInterface =
      definition
        .ancestors()
        .find((node) => SCOPES.has(node.kind()))
        ?.kind() === "interface_declaration";
    return isInInterface || /\bpublic\b/.test(modifiersOf(definition));
  },
  statementsOf: (block) => block.children().filter((child) => child.isNamed() && !COMMENTS.has(child.kind())),
  isHoleStatement: (statement) =>
    statement.kind() === "throw_statement" && /^throw\s+new\s+UnsupportedOperationException\s*\(\s*"hole"\s*\)\s*;$/.test(statement.text()),
  calleeOf(node) {
    if (node.kind() === "object_creation_expression") return textOrNull(node.field("type"));
    const name = node.kind() === "method_invocation" ? node.field("name") : null;
    return name === null ? null : node.text().slice(0, endOf(name) - startOf(node));
  },
  comments: COMMENTS,
  isDocumentation: () => true,
  literals: new Set(["string_literal", "block_comment"]),
  mayBeEmpty: new Set(["program", "string_fragment"]),
  escaping: new Set(),
  metrics: {
    branches: new Set([
      "if_statement",
      "for_statement",
      "enhanced_for_statement",
      "while_statement",
      "do_statement",
      "catch_clause",
      "ternary_expression",
      "switch_label",
    ]),
    logical: new Set(["binary_expression"]),
    nesting: new Set([
      "if_statement",
      "for_statement",
      "enhanced_for_statement",
      "while_statement",
      "do_statement",
      "switch_expression",
      "try_statement",
      "lambda_expression",
    ]),
    numbers: new Set(["decimal_integer_literal", "decimal_floating_point_literal", "hex_integer_literal"]),
    constants: new Set(["field_declaration", "local_variable_declaration"]),
  },
  types: SCOPES,
  isLoadStatement: () => false,
};
