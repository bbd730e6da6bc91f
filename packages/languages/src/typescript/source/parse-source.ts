import type { Expression, FormalParameter, Node, ParamPattern, TSTypeAnnotation } from "oxc-parser";
import type { ParsedSource, SourceFunction } from "../../adapter.ts";
import { callsIn } from "./calls.ts";
import { commentsWithin, docBefore } from "./doc-comments.ts";
import { findFunctions, type FoundFunction } from "./find-functions.ts";
import { isHoleBody } from "./hole.ts";
import { lineBreaks, parseProgram, rememberSyntax, type SourceSyntax } from "./program.ts";

/** Throws `source_syntax` with line and column. */
export function parseSource(text: string): ParsedSource {
  const tree = parseProgram(text);
  const source = { text, functions: readFunctions(tree) };
  rememberSyntax(source, tree);
  return source;
}

function readFunctions(tree: SourceSyntax): SourceFunction[] {
  const { text, program } = tree;
  let [line, at] = [1, 0];
  return findFunctions(program, text).map((found) => {
    line += lineBreaks(text.slice(at, found.declaration.start));
    at = found.declaration.start;
    return describe(found, tree, line);
  });
}

function describe(found: FoundFunction, tree: SourceSyntax, line: number): SourceFunction {
  const { text } = tree;
  const { node, declaration, overloads, isExported, name } = found;
  const body = bodySpan(found, tree);
  const doc = [declaration, ...overloads].map(({ start }) => docBefore(text, tree.comments, start)).find((one) => one !== null) ?? null;
  return {
    name,
    signature: oneLine(tree, declaration.start, body.start),
    parameters: parametersOf(found, text),
    returns: returnsOf(found, text),
    doc: doc?.text ?? null,
    docLine: doc?.line ?? line,
    line,
    isExported,
    isHole: isHoleBody(node.body, found.kind === "constructor" && Boolean(found.owner?.superClass)),
    body,
    calls: node.body === null ? [] : callsIn(node.body),
  };
}

/** Of the braces; of the expression behind the arrow, with its parentheses, if there are none. */
export function bodySpan({ node }: FoundFunction, { text, comments }: SourceSyntax): { start: number; end: number } {
  const { body } = node;
  if (body === null || body.type === "BlockStatement") return { start: body?.start ?? node.end, end: body?.end ?? node.end };
  const from = node.returnType?.end ?? node.params.at(-1)?.end ?? node.start;
  const arrow = from + withoutComments(text, comments, from, body.start).lastIndexOf("=>") + 2;
  return { start: arrow + text.slice(arrow, node.end).search(/\S/), end: node.end };
}

/** The text with comments replaced by as many spaces. */
function withoutComments(text: string, comments: SourceSyntax["comments"], start: number, end: number): string {
  let kept = text.slice(start, end);
  for (const comment of commentsWithin(comments, start, end)) {
    kept = kept.slice(0, comment.start - start) + " ".repeat(comment.end - comment.start) + kept.slice(comment.end - start);
  }
  return kept;
}

const STRINGS_OR_SPACE = /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)|\s+/gs;

export function oneLine({ text, comments }: SourceSyntax, start: number, end: number): string {
  const plain = withoutComments(text, comments, start, end);
  return plain.replaceAll(STRINGS_OR_SPACE, (_, string: string | undefined) => string ?? " ").trim();
}

type Parameter = SourceFunction["parameters"][number];

function parametersOf({ node, annotation }: FoundFunction, text: string): Parameter[] {
  return node.params.flatMap((parameter, index) => {
    const contextual = annotation === null ? null : `Parameters<${text.slice(annotation.start, annotation.end)}>[${index}]`;
    const described = describeParameter(parameter, text, contextual);
    return described.name === "this" ? [] : [described];
  });
}

function describeParameter(parameter: ParamPattern, text: string, contextual: string | null): Parameter {
  if (parameter.type === "TSParameterProperty") return describeParameter(parameter.parameter, text, contextual);
  const type = typeText(parameter.type === "AssignmentPattern" ? parameter.left.typeAnnotation : parameter.typeAnnotation, text);
  if (parameter.type === "RestElement") return { name: `...${bare(parameter.argument, text)}`, type: type ?? contextual ?? "unknown[]" };
  if (parameter.type !== "AssignmentPattern") {
    const name = bare(parameter, text);
    return { name, type: optional(type ?? contextual ?? "unknown", Boolean(parameter.optional)) };
  }
  return { name: bare(parameter.left, text), type: optional(type ?? contextual ?? literalType(parameter.right), true) };
}

function optional(type: string, isOptional: boolean): string {
  return isOptional ? `${type} | undefined` : type;
}

function literalType(value: Expression): string {
  return value.type === "Literal" && value.value !== null ? typeof value.value : "unknown";
}

/** The name or pattern without its type. */
function bare(pattern: FormalParameter | Node, text: string): string {
  if (pattern.type === "Identifier") return pattern.name;
  const end = ("typeAnnotation" in pattern ? (pattern.typeAnnotation as TSTypeAnnotation | null)?.start : null) ?? pattern.end;
  return text.slice(pattern.start, end).trim();
}

function typeText(annotation: TSTypeAnnotation | null | undefined, text: string): string | null {
  return annotation ? text.slice(annotation.typeAnnotation.start, annotation.typeAnnotation.end) : null;
}

function returnsOf({ node, kind, name, annotation }: FoundFunction, text: string): string {
  if (kind === "constructor") return name.slice(0, name.lastIndexOf("."));
  if (kind === "set") return "void";
  const written = typeText(node.returnType, text);
  return written ?? (annotation === null ? "unknown" : `ReturnType<${text.slice(annotation.start, annotation.end)}>`);
}
