import type { Grammar, Parameter } from "../tree-sitter/grammar.ts";
import { childOfKind, nodesIn, oneLine, startOf, type SyntaxNode, childrenOf, textOrNull } from "../tree-sitter/grammars.ts";

const SCOPES = new Set(["class_specifier", "struct_specifier", "namespace_definition", "union_specifier"]);
const PREPROCESSOR = [
  "preproc_def",
  "preproc_function_def",
  "preproc_include",
  "preproc_call",
  "preproc_if",
  "preproc_ifdef",
  "preproc_directive",
  "preproc_else",
  "preproc_elif",
];

/** The declarator of the function itself, below those of a pointer or reference that it returns. */
function functionDeclarator(definition: SyntaxNode): SyntaxNode | null {
  let node = definition.field("declarator");
  while (node !== null && node.kind() !== "function_declarator")
    node = node.field("declarator") ?? childOfKind(node, "function_declarator");
  return node;
}

/** Without template arguments, and with dots between the parts. */
function plainName(node: SyntaxNode | null): string | null {
  return node === null
    ? null
    : oneLine(node.text())
        .replaceAll(/<[^<>]*>(?=\s*::)/g, "")
        .replaceAll(/\s*::\s*/g, ".");
}

function parameterOf(node: SyntaxNode): Parameter[] {
  if (!["parameter_declaration", "optional_parameter_declaration", "variadic_parameter_declaration"].includes(node.kind())) return [];
  const declarator = node.field("declarator");
  const name = declarator === null ? null : [...nodesIn(declarator)].find((inner) => inner.kind() === "identifier");
  if (declarator === null || name === undefined || name === null) return [{ name: "", type: oneLine(node.text()) }];
  const start = startOf(node);
  const type = `${node.text().slice(0, startOf(declarator) - start)}${declarator.text().replace(name.text(), "")}`;
  return [{ name: name.text(), type: oneLine(type).replace(/\s+([&*])$/, "$1") }];
}

export const cppGrammar: Grammar = {
  id: "cpp",
  hole: 'throw std::logic_error("hole");',
  functions: new Set(["function_definition"]),
  scopeName: (node) => (SCOPES.has(node.kind()) ? (plainName(node.field("name")) ?? null) : null),
  nameOf: (definition) => plainName(functionDeclarator(definition)?.field("declarator") ?? null),
  parametersOf: (definition) => childrenOf(functionDeclarator(definition)?.field("parameters")).flatMap(parameterOf),
  returnsOf(definition) {
    const declarator = functionDeclarator(definition);
    const trailing = declarator === null ? null : childOfKind(declarator, "trailing_return_type");
    if (trailing !== null) return oneLine(trailing.text().replace("->", ""));
    const type = definition.field("type");
    if (type === null || declarator === null) return "";
    const from = startOf(definition);
    return oneLine(definition.text().slice(startOf(type) - from, startOf(declarator) - from)).replace(/\s+([&*]+)$/, "$1");
  },
  blockOf: (definition) => childOfKind(definition, "compound_statement"),
  outermost(definition) {
    const parent = definition.parent();
    return parent?.kind() === "template_declaration" ? parent : definition;
  },
  isExported: (definition) =>
    !/^static\b/.test(definition.text()) &&
    !definition.ancestors().some((node) => node.kind() === "namespace_definition" && node.field("name") === null),
  statementsOf: (block) => block.children().filter((child) => child.isNamed() && child.kind() !== "comment"),
  isHoleStatement: (statement) =>
    statement.kind() === "throw_statement" && /^throw\s+std\s*::\s*logic_error\s*\(\s*"hole"\s*\)\s*;$/.test(statement.text()),
  calleeOf: (node) => (node.kind() === "call_expression" ? textOrNull(node.field("function")) : null),
  comments: new Set(["comment"]),
  isDocumentation: () => true,
  literals: new Set(["raw_string_literal", "string_literal", "comment"]),
  mayBeEmpty: new Set(["translation_unit", "string_content", "raw_string_content", "raw_string_delimiter", "preproc_arg"]),
  escaping: new Set(PREPROCESSOR),
  metrics: {
    branches: new Set([
      "if_statement",
      "for_statement",
      "for_range_loop",
      "while_statement",
      "do_statement",
      "case_statement",
      "catch_clause",
      "conditional_expression",
    ]),
    logical: new Set(["binary_expression"]),
    nesting: new Set([
      "if_statement",
      "for_statement",
      "for_range_loop",
      "while_statement",
      "do_statement",
      "switch_statement",
      "try_statement",
      "lambda_expression",
    ]),
    numbers: new Set(["number_literal"]),
    constants: new Set(["init_declarator", "enumerator", "optional_parameter_declaration"]),
  },
  types: new Set(["class_specifier", "struct_specifier", "enum_specifier", "alias_declaration", "type_definition", "union_specifier"]),
  isLoadStatement: (statement) =>
    statement.kind() === "declaration" && [...nodesIn(statement)].some((node) => node.kind() === "call_expression"),
};
