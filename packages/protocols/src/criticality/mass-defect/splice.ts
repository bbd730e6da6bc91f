import { SlipwayError } from "@slipway/agents/errors";
import type { LanguageAdapter, ParsedSource, SourceFunction } from "@slipway/languages/adapter";
import type { RiskLevel } from "../catalog/risk.ts";
import { declarationProblem } from "./declarations.ts";
import { plainCode } from "./plain-code.ts";
import type { TransformedFunction } from "./transform-answer.ts";

export type Splice = { readonly text: string; readonly added: readonly string[] } | { readonly refused: string };

/** From this risk on a transformation may add private declarations to the file. */
const MAY_DECLARE = 3;
const MAX_GROWTH = 2;
const ALLOWED_GROWTH = 2_000;

const IMPORTS = /\b(?:import|require|__import__|import_module)\s*\(|^\s*(?:import|from)\s+\S|#\s*include\b/m;

/**
 * The file with the function's new body, and with new private declarations at its end. Everything else of the file stays, byte for
 * byte: the body is taken out of the answer and injected into the original.
 */
export function spliceFunction(
  language: LanguageAdapter,
  ast: ParsedSource,
  name: string,
  answer: TransformedFunction,
  risk: RiskLevel,
): Splice {
  const before = functionIn(ast, name);
  const body = bodyIn(language, ast, before, withoutFence(answer.function));
  if ("refused" in body) return body;
  const declarations = answer.declarations.map((one) => withoutFence(one).trim());
  if (declarations.length > 0 && risk < MAY_DECLARE) return { refused: `a pattern of risk ${risk} may not add declarations` };
  const oldBody = bodyText(ast, before);
  if (words(body.text) === words(oldBody)) return { refused: "it changes nothing" };
  const size = [body.text, ...declarations].join("").length;
  if (size > oldBody.length * MAX_GROWTH + ALLOWED_GROWTH) return { refused: `the result is too large: ${size} characters` };
  const hasImport = (text: string) => IMPORTS.test(plainCode(text, language.id));
  if ([body.text, ...declarations].some(hasImport) && !hasImport(oldBody)) return { refused: "it adds an import" };
  const injected = injectedBody(language, ast, name, body.text);
  return "refused" in injected ? injected : withDeclarations(language, injected.ast, declarations);
}

/** The text of a function that a model is shown: its declaration and body, without the documentation above it. */
export function functionText(ast: ParsedSource, name: string): string {
  const { line, body } = functionIn(ast, name);
  return ast.text.slice(lineStart(ast.text, line), body.end);
}

function functionIn(ast: ParsedSource, name: string): SourceFunction {
  const found = ast.functions.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw new SlipwayError("internal_error", `There is no function ${name} in the file.`, { function: name });
}

/** Puts the answer where the declaration is, and takes the body out again if nothing else came with it. */
function bodyIn(
  language: LanguageAdapter,
  ast: ParsedSource,
  before: SourceFunction,
  answer: string,
): { readonly text: string } | { readonly refused: string } {
  const start = lineStart(ast.text, before.line);
  const placed = hasBraces(ast, before) ? answer.trim() : indentedLike(answer, ast.text.slice(start));
  const trial = parsed(language, `${ast.text.slice(0, start)}${placed}${ast.text.slice(before.body.end)}`);
  if (trial === null) return { refused: "it does not parse" };
  const after = trial.functions.filter(({ name }) => name === before.name);
  const [only] = after;
  if (only === undefined || after.length > 1) return { refused: `it is not the function ${before.name}` };
  if (only.isHole) return { refused: "it removes the body" };
  if (only.signature !== before.signature || only.isExported !== before.isExported) return { refused: "it changes the signature" };
  const header = headerOf(language, trial.text.slice(start, only.body.start));
  const expected = headerOf(language, ast.text.slice(start, before.body.start));
  if (header !== expected) return { refused: header.endsWith(expected) ? "it has code beside the function" : "it changes the signature" };
  const rest = trial.text.slice(only.body.end, start + placed.length);
  if (!/^[\s;]*$/.test(plainCode(rest, language.id))) return { refused: "it has code beside the function" };
  return { text: bodyText(trial, only) };
}

function injectedBody(
  language: LanguageAdapter,
  ast: ParsedSource,
  name: string,
  body: string,
): { readonly ast: ParsedSource } | { readonly refused: string } {
  try {
    return { ast: language.injectBody(ast, name, statementsOf(language, body)) };
  } catch (error) {
    if (error instanceof SlipwayError && (error.code === "body_syntax" || error.code === "body_escapes")) return { refused: error.message };
    throw error;
  }
}

/** The statements of a body. An arrow function of TypeScript may have an expression instead. */
function statementsOf({ id }: LanguageAdapter, body: string): string {
  if (body.startsWith("{") && body.endsWith("}")) return body.slice(1, -1);
  return id === "typescript" ? `return ${body};` : body;
}

function withDeclarations(language: LanguageAdapter, injected: ParsedSource, declarations: readonly string[]): Splice {
  const known = new Set(injected.functions.map(({ name }) => name));
  let file = injected;
  for (const one of declarations) {
    const problem = declarationProblem(language, file, one);
    if (problem !== null) return { refused: problem };
    const longer = parsed(language, `${language.emitCode(file).trimEnd()}\n\n${one}\n`);
    if (longer === null) return { refused: "a declaration does not parse together with the file" };
    file = longer;
  }
  const added = file.functions.filter(({ name }) => !known.has(name));
  if (added.some(({ isExported }) => isExported)) return { refused: "it adds an exported name" };
  return { text: language.emitCode(file), added: added.map(({ name }) => name) };
}

function parsed(language: LanguageAdapter, text: string): ParsedSource | null {
  try {
    return language.parseAst(text);
  } catch (error) {
    if (error instanceof SlipwayError) return null;
    throw error;
  }
}

function bodyText({ text }: ParsedSource, { body }: SourceFunction): string {
  return text.slice(body.start, body.end);
}

function hasBraces(ast: ParsedSource, one: SourceFunction): boolean {
  return bodyText(ast, one).startsWith("{");
}

function lineStart(text: string, line: number): number {
  let start = 0;
  for (let number = 1; number < line; number++) start = text.indexOf("\n", start) + 1;
  return start;
}

function depthOf(text: string): string {
  return /^[\t ]*/.exec(text)?.[0] ?? "";
}

/** A block of a language without braces, moved to the depth of the original. */
function indentedLike(block: string, original: string): string {
  const lines = block
    .replace(/^(?:[\t ]*\n)+/, "")
    .trimEnd()
    .split("\n");
  const [own, wanted] = [depthOf(lines[0] ?? ""), depthOf(original)];
  if (own === wanted) return lines.join("\n");
  return lines.map((line) => (line.trim() === "" ? "" : `${wanted}${line.startsWith(own) ? line.slice(own.length) : line}`)).join("\n");
}

function withoutFence(text: string): string {
  return /^\s*```[\w-]*\r?\n([\s\S]*?)\r?\n```\s*$/.exec(text)?.[1] ?? text;
}

function words(code: string): string {
  return code.replaceAll(/\s+/g, " ").trim();
}

/** What stands before a body, without comments and documentation. */
function headerOf({ id }: LanguageAdapter, text: string): string {
  return words(plainCode(text, id).replaceAll('""', " "));
}
