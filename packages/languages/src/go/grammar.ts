import type { Grammar, Parameter } from "../tree-sitter/grammar.ts";
import { childOfKind, nodesIn, oneLine, type SyntaxNode, childrenOf, textOf, textOrNull } from "../tree-sitter/grammars.ts";

function parametersIn(list: SyntaxNode | null): Parameter[] {
  return childrenOf(list).flatMap((node) => {
    if (!node.kind().endsWith("parameter_declaration")) return [];
    const isVariadic = node.kind() === "variadic_parameter_declaration";
    const type = `${isVariadic ? "..." : ""}${oneLine(textOf(node.field("type")))}`;
    return node.fieldChildren("name").map((name) => ({ name: name.text(), type }));
  });
}

function receiverType(definition: SyntaxNode): string | null {
  const receiver = definition.kind() === "method_declaration" ? definition.field("receiver") : null;
  const found = receiver === null ? undefined : [...nodesIn(receiver)].find((node) => node.kind() === "type_identifier");
  return textOrNull(found);
}

export const goGrammar: Grammar = {
  id: "go",
  hole: 'panic("hole")',
  functions: new Set(["function_declaration", "method_declaration"]),
  scopeName: () => null,
  nameOf(definition) {
    const name = textOrNull(definition.field("name"));
    const receiver = receiverType(definition);
    return receiver === null || name === null ? name : `${receiver}.${name}`;
  },
  parametersOf: (definition) => parametersIn(definition.field("parameters")),
  returnsOf: (definition) => oneLine(textOf(definition.field("result"))),
  blockOf: (definition) => definition.field("body"),
  outermost: (definition) => definition,
  isExported: (_definition, name) => /^\p{Lu}/u.test(name),
  statementsOf(block) {
    const list = childOfKind(block, "statement_list") ?? block;
    return list.children().filter((child) => child.isNamed() && child.kind() !== "comment");
  },
  isHoleStatement: (statement) => /^panic\s*\(\s*"hole"\s*\)$/.test(statement.text()),
  calleeOf: (node) => (node.kind() === "call_expression" ? textOrNull(node.field("function")) : null),
  comments: new Set(["comment"]),
  isDocumentation: (comment) => !/^\/\/(?:go:|\s*\+build)/.test(comment.text()),
  literals: new Set(["raw_string_literal", "comment"]),
  mayBeEmpty: new Set(["source_file", "statement_list", "interpreted_string_literal_content", "raw_string_literal_content"]),
  escaping: new Set(),
  metrics: {
    branches: new Set(["if_statement", "for_statement", "expression_case", "type_case", "communication_case"]),
    logical: new Set(["binary_expression"]),
    nesting: new Set([
      "if_statement",
      "for_statement",
      "expression_switch_statement",
      "type_switch_statement",
      "select_statement",
      "func_literal",
    ]),
    numbers: new Set(["int_literal", "float_literal"]),
    constants: new Set(["const_spec", "var_spec", "short_var_declaration"]),
  },
  types: new Set(["type_declaration"]),
  isLoadStatement: (statement) =>
    statement.kind() === "var_declaration" && [...nodesIn(statement)].some((node) => node.kind() === "call_expression"),
};
