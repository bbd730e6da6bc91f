import { SlipwayError } from "@slipway/agents/errors";
import type { LanguageAdapter, LanguageId, ParsedSource } from "@slipway/languages/adapter";
import { plainCode } from "./plain-code.ts";

/** How a private declaration at the end of a file begins. Java has none: its functions belong to a class. */
const BEGINS: Readonly<Record<LanguageId, RegExp | null>> = {
  typescript: /^(?:(?:async\s+)?function|type|interface|const)\b/,
  python: /^(?:(?:async\s+)?def\b|type\b|_?[A-Za-z]\w*(?:\s*:\s*\w+)?\s*=(?!=))/,
  rust: /^(?:fn|type|const)\b/,
  go: /^(?:func|type|const)\b/,
  java: null,
  cpp: /^(?:static|using)\b/,
};

const NAME = /^(?:(?:async|static)\s+)*(?:function|def|fn|func|type|interface|const|using)\s+(\w+)|^(\w+)\s*[:=]|(\w+)\s*\(/;

/** Why a text is not one private declaration of a name that is new in the file; null if it is. */
export function declarationProblem(language: LanguageAdapter, file: ParsedSource, text: string): string | null {
  const code = plainCode(text, language.id).trim();
  const name = NAME.exec(code)
    ?.slice(1)
    .find((one) => one !== undefined);
  if (BEGINS[language.id]?.test(code) !== true || name === undefined) return "a declaration is not a private function, constant or type";
  if (isDeclared(name, file, language.id)) return `a declaration of ${name} exists`;
  const functions = parsedFunctions(language, text);
  if (functions === null) return "a declaration does not parse";
  const [own] = functions;
  const rest = own === undefined ? statementRest(code) : text.slice(own.body.end);
  return /^[\s;]*$/.test(rest) ? null : "a declaration has more than one statement";
}

/** At the beginning of a line, after keywords only. A use of the name is no declaration. */
function isDeclared(name: string, { text, functions }: ParsedSource, id: LanguageId): boolean {
  if (functions.some((one) => one.name === name)) return true;
  return new RegExp(`^(?:[A-Za-z]+ +)*${name}\\b\\s*[:=({<]`, "m").test(plainCode(text, id));
}

function parsedFunctions(language: LanguageAdapter, text: string): ParsedSource["functions"] | null {
  try {
    return language.parseAst(text).functions.toSorted((a, b) => a.body.start - b.body.start);
  } catch (error) {
    if (error instanceof SlipwayError) return null;
    throw error;
  }
}

const OPENING = "([{";
const CLOSING = ")]}";

/** What follows the first statement: after a semicolon, or a line that begins with no operator, outside all brackets. */
function statementRest(code: string): string {
  let depth = 0;
  for (let index = 0; index < code.length; index++) {
    const character = code.charAt(index);
    if (OPENING.includes(character)) depth++;
    else if (CLOSING.includes(character)) depth--;
    else if (depth === 0 && (character === ";" || (character === "\n" && /^\s*[\w$@]/.test(code.slice(index))))) return code.slice(index);
  }
  return "";
}
