/**
 * The parser recurses natively, and a text that nests deeper than its stack ends the process. So the depth is estimated before parsing:
 * brackets, and operators and keywords that each start a level of their own until a statement or an element ends.
 */
const DEEPEST = 1_000;
/** Operators of one precedence are parsed in a loop, so they need less of the stack. */
const OPERATOR = 0.25;

const SKIPPED = /(?:\s|\/\/[^\n\r\u2028\u2029]*|\/\*[\s\S]*?\*\/)+/y;
const STRING = /"(?:[^"\\\n\r]|\\[\s\S])*"|'(?:[^'\\\n\r]|\\[\s\S])*'/y;
const TEMPLATE = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y;
const REGULAR_EXPRESSION = /\/(?:[^/\\[\n\r]|\\[^\n\r]|\[(?:[^\]\\\n\r]|\\[^\n\r])*\])+\/[\w$]*/y;
const TOKEN = /[\w$\\\u0080-\uffff]+|=>|\+\+|--|[^]/y;

const words = (text: string) => new Set(text.split(" "));
const LEVELS = words(
  "=> = ? < if else for while do with new typeof void delete await yield keyof readonly infer extends class unique asserts",
);
const OPERATORS = words("! ~ + - * % & | ^ > / : . ++ -- in instanceof as satisfies is");
/** These begin a statement, except as a name or in `as const` and `<const>`. */
const STATEMENTS = words("const export return throw var");
const NAMING = words(". # as <");
const HEADERS = words("if while for with");
/** A block that one of these follows is a part of a larger statement or expression. */
const CONTINUING = /(?:else|catch|finally|while|in|instanceof|as|satisfies)\b|[^\w$@#"'`}]/y;
/** After these words a slash starts a regular expression. */
const BEFORE_OPERAND = words("return typeof case do else void delete throw new in instanceof extends");
/** After these it may start one or divide. */
const UNCLEAR = words("} ! > ++ -- await yield of async let type as satisfies is default");
const END_OF_OPERAND = /^[\w$"'`)\]\\\u0080-\uffff]/;
/** In place of the closing parenthesis of `if (…)`. */
const HEADER_END = "(…)";

export function isTooDeep(text: string): boolean {
  // Every level needs a character.
  return text.length >= DEEPEST && new DepthEstimate(text).exceeds(DEEPEST);
}

class DepthEstimate {
  readonly #text: string;
  readonly #levels: { weight: number; isTemplate: boolean; isHeader: boolean }[] = [{ weight: 0, isTemplate: false, isHeader: false }];
  #sum = 0;
  #at: number;
  #previous = "";
  /** Strings, comments and regular expressions cannot be told from code for certain: everything counts, and nothing ends a level. */
  #isUnclear = false;

  constructor(text: string) {
    this.#text = text;
    this.#at = text.startsWith("#!") ? text.search(/[\n\r]|$/) : 0;
  }

  exceeds(limit: number): boolean {
    while (this.#at < this.#text.length && this.#sum <= limit) this.#step();
    return this.#sum > limit;
  }

  #step(): void {
    if (this.#isUnclear) return this.#token(this.#take(TOKEN) ?? "");
    if (this.#take(SKIPPED) !== null) return;
    const char = this.#text[this.#at];
    if (char === "`") {
      this.#at++;
      return this.#template();
    }
    // The parser stops at a string that does not end.
    if (char === '"' || char === "'") return this.#operand(STRING);
    if (char === "/" && this.#startsRegularExpression()) return this.#operand(REGULAR_EXPRESSION);
    this.#token(this.#take(TOKEN) ?? "");
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? null;
    this.#at += found?.length ?? 0;
    return found;
  }

  #operand(pattern: RegExp): void {
    if (this.#take(pattern) === null) this.#at = this.#text.length;
    this.#previous = '"';
  }

  #template(): void {
    const found = this.#take(TEMPLATE);
    if (found === null) this.#at = this.#text.length;
    this.#previous = "`";
    if (found?.endsWith("{") === true) this.#open("{", true);
  }

  #token(token: string): void {
    if (token === "(" || token === "[" || token === "{") return this.#open(token, false);
    if (token === ")" || token === "]" || token === "}") return this.#close(token);
    if (token === ";" || token === "," || (STATEMENTS.has(token) && !NAMING.has(this.#previous))) this.#clear();
    else if (LEVELS.has(token)) this.#add(1);
    else if (OPERATORS.has(token)) this.#add(OPERATOR);
    // The name of a property is no keyword.
    if (this.#previous === "." && /^\w/.test(token)) this.#previous = "name";
    else this.#previous = token === "!" && this.#startsOperand(this.#previous) ? "~" : token;
  }

  #open(token: string, isTemplate: boolean): void {
    // Calls and indexes form chains.
    if (token !== "{") this.#add(OPERATOR);
    this.#levels.push({ weight: 0, isTemplate, isHeader: HEADERS.has(this.#previous) });
    this.#add(1);
    this.#previous = token;
  }

  #close(token: string): void {
    const closed = this.#levels.length > 1 ? this.#levels.pop() : undefined;
    this.#sum -= closed?.weight ?? 0;
    this.#previous = token === ")" && closed?.isHeader === true ? HEADER_END : token;
    if (token !== "}") return;
    if (closed?.isTemplate === true) return this.#template();
    if (!this.#isUnclear) this.#take(SKIPPED);
    CONTINUING.lastIndex = this.#at;
    if (!CONTINUING.test(this.#text)) this.#clear();
  }

  #add(weight: number): void {
    const level = this.#levels.at(-1);
    if (level !== undefined) level.weight += weight;
    this.#sum += weight;
  }

  #clear(): void {
    if (!this.#isUnclear) this.#add(-(this.#levels.at(-1)?.weight ?? 0));
  }

  #startsRegularExpression(): boolean {
    const previous = this.#previous;
    if (!UNCLEAR.has(previous)) return this.#startsOperand(previous);
    const length = this.#text.slice(this.#at + 1).search(/[\n\r]|$/);
    // A regular expression ends on its line.
    this.#isUnclear = this.#text.slice(this.#at + 1, this.#at + 1 + length).includes("/");
    return false;
  }

  #startsOperand(previous: string): boolean {
    if (UNCLEAR.has(previous)) return false;
    return previous === HEADER_END || BEFORE_OPERAND.has(previous) || !END_OF_OPERAND.test(previous);
  }
}
