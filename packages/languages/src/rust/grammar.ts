import type { Grammar, Parameter } from "../tree-sitter/grammar.ts";
import { childOfKind, oneLine, type SyntaxNode, childrenOf, textOf, textOrNull } from "../tree-sitter/grammars.ts";

const COMMENTS = new Set(["line_comment", "block_comment"]);

function typeName(node: SyntaxNode | null): string | null {
  if (node === null) return null;
  if (node.kind() === "generic_type" || node.kind() === "reference_type") return typeName(node.field("type"));
  return node.kind() === "scoped_type_identifier" ? textOrNull(node.field("name")) : node.text();
}

function parameterOf(node: SyntaxNode): Parameter[] {
  if (node.kind() !== "parameter") return [];
  const type = oneLine(textOf(node.field("type")));
  return [{ name: textOf(node.field("pattern")).replace(/^mut\s+/, ""), type }];
}

export const rustGrammar: Grammar = {
  id: "rust",
  hole: "todo!()",
  functions: new Set(["function_item"]),
  scopeName(node) {
    if (node.kind() === "impl_item") return typeName(node.field("type"));
    return node.kind() === "mod_item" || node.kind() === "trait_item" ? textOrNull(node.field("name")) : null;
  },
  nameOf: (definition) => textOrNull(definition.field("name")),
  parametersOf: (definition) => childrenOf(definition.field("parameters")).flatMap(parameterOf),
  returnsOf: (definition) => oneLine(definition.field("return_type")?.text() ?? "()"),
  blockOf: (definition) => definition.field("body"),
  outermost: (definition) => definition,
  isExported: (definition) => childOfKind(definition, "visibility_modifier") !== null,
  statementsOf: (block) => block.children().filter((child) => child.isNamed() && !COMMENTS.has(child.kind())),
  isHoleStatement: (statement) => /^todo!\s*\(\s*\)\s*;?$/.test(statement.text()),
  calleeOf(node) {
    if (node.kind() === "call_expression") return textOrNull(node.field("function"));
    return node.kind() === "macro_invocation" ? `${textOf(node.field("macro"))}!` : null;
  },
  comments: COMMENTS,
  isDocumentation: (comment) => /^(?:\/\/\/(?!\/)|\/\*\*(?![*/]))/.test(comment.text()),
  literals: new Set(["string_literal", "raw_string_literal", "block_comment"]),
  mayBeEmpty: new Set(["source_file", "doc_comment", "string_content"]),
  escaping: new Set(["ERROR"]),
  metrics: {
    branches: new Set(["if_expression", "match_arm", "for_expression", "while_expression", "loop_expression"]),
    logical: new Set(["binary_expression"]),
    nesting: new Set(["if_expression", "match_expression", "for_expression", "while_expression", "loop_expression", "closure_expression"]),
    numbers: new Set(["integer_literal", "float_literal"]),
    constants: new Set(["const_item", "static_item", "let_declaration"]),
  },
  types: new Set(["struct_item", "enum_item", "type_item", "trait_item", "impl_item", "union_item"]),
  isLoadStatement: () => false,
};
