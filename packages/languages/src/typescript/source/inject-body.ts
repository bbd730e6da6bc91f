import { SlipwayError } from "@slipway/kernel/schema/errors";
import type { ParsedSource, SourceFunction } from "../../adapter.ts";
import { writeBody } from "./body-text.ts";
import { callsIn } from "./calls.ts";
import { isFunction } from "./find-functions.ts";
import { framesOf, rememberFrames, type BodyFrame } from "./frame.ts";
import { isHoleBody, type AnyFunction } from "./hole.ts";
import { isFault, lineBreaks, positionAt, tryParse, walkNodes, type SourceSyntax } from "./program.ts";

/**
 * The file with one body replaced and every other byte as it was. The body is parsed between braces in a frame that parses like its place
 * in the file: if the braces belong together there, they do in the file, so the rest of the file need not be parsed again.
 */
export function injectBody(source: ParsedSource, name: string, body: string): ParsedSource {
  const index = source.functions.findIndex((one) => one.name === name);
  const target = source.functions[index];
  const frames = framesOf(source);
  const frame = frames.get(name);
  if (target === undefined || frame === undefined) throw notFound(source, name);
  const start = frame.before.length + 1;
  const tree = parseFramed(source, target, frame, body);
  const text = writeBody(tree, start, start + body.length + 2, layoutOf(source.text, target));
  const injected = splice(source, index, text, bodyOf(tree), frame);
  rememberFrames(injected, frames);
  return injected;
}

function notFound({ functions }: ParsedSource, name: string): SlipwayError {
  return new SlipwayError("function_not_found", `The file has no function ${JSON.stringify(name)}.`, {
    function: name,
    functions: functions.map((one) => one.name),
    suggested_next_actions: ["Name one of the functions of the file."],
  });
}

/** Throws `body_syntax` or `body_escapes`. */
function parseFramed(source: ParsedSource, { body: place }: SourceFunction, frame: BodyFrame, body: string): SourceSyntax {
  // The closing brace has a line of its own, because the body may end with a comment.
  const tree = tryParse(`${frame.before}{\n${body}\n}${frame.after}`);
  const end = frame.before.length + body.length + 4;
  if (isFault(tree)) {
    const inFile = `${source.text.slice(0, place.start)}{\n${body}\n}${source.text.slice(place.end)}`;
    if (!isFault(tryParse(inFile))) throw escapes();
    throw badSyntax(body, tree.offset - frame.before.length - 2, tree.message);
  }
  const written = bodyOf(tree);
  if (written?.start !== frame.before.length || written.end !== end) throw escapes();
  walkNodes(written, (node) => {
    if (MODULE_SYNTAX.test(node.type)) throw badSyntax(body, node.start - frame.before.length - 2, "A body cannot import or export");
  });
  return tree;
}

const MODULE_SYNTAX =
  /^(?:ImportDeclaration|Export\w+Declaration|TSImportEqualsDeclaration|TSExportAssignment|TSNamespaceExportDeclaration)$/;

function escapes(): SlipwayError {
  return new SlipwayError("body_escapes", "The body closes its function and continues outside it.", {
    suggested_next_actions: ["Return the statements between the braces of the function, and nothing else."],
  });
}

function badSyntax(body: string, offset: number, message: string): SlipwayError {
  const { line, column } = positionAt(body, Math.min(Math.max(offset, 0), body.length));
  return new SlipwayError("body_syntax", `Line ${line}, column ${column} of the body: ${message}.`, {
    line,
    column,
    suggested_next_actions: ["Return statements that parse as the body of the function."],
  });
}

/** The body of the outermost function, which is that of the frame. */
function bodyOf({ program }: SourceSyntax): AnyFunction["body"] {
  let found: AnyFunction["body"] = null;
  walkNodes(program, (node) => {
    if (found === null && isFunction(node)) found = node.body;
    return found === null;
  });
  return found;
}

function layoutOf(text: string, { body }: SourceFunction) {
  const line = text.slice(text.lastIndexOf("\n", body.start - 1) + 1, body.start);
  return { indent: /^\uFEFF?([ \t]*)/.exec(line)?.[1] ?? "", lineEnd: /\r?\n/.exec(text)?.[0] ?? "\n" };
}

function splice(source: ParsedSource, index: number, text: string, body: AnyFunction["body"], frame: BodyFrame): ParsedSource {
  const { start, end } = source.functions[index]?.body ?? { start: 0, end: 0 };
  const shift = text.length - (end - start);
  const lines = lineBreaks(text) - lineBreaks(source.text.slice(start, end));
  const functions = source.functions.map((one, at): SourceFunction => {
    if (at === index) {
      const isHole = isHoleBody(body, frame.isDerivedConstructor);
      return { ...one, body: { start, end: start + text.length }, isHole, calls: body === null ? [] : callsIn(body) };
    }
    if (one.body.start < end) return one;
    const moved = { start: one.body.start + shift, end: one.body.end + shift };
    return { ...one, body: moved, line: one.line + lines, docLine: one.docLine + lines };
  });
  return { text: source.text.slice(0, start) + text + source.text.slice(end), functions };
}
