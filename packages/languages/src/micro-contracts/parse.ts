import { clauseSchema, PURITIES, type Clause, type MicroContract } from "./contract.ts";

/** What is wrong in the text of a contract, with its line and column from 1. */
export interface ContractProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface ContractReading extends MicroContract {
  readonly problems: readonly ContractProblem[];
}

export const CLAUSE_KEYWORDS = ["REQUIRES", "ENSURES", "INVARIANT", "COMPLEXITY", "PURITY", "CLAIM_REF"] as const;
type Keyword = (typeof CLAUSE_KEYWORDS)[number];

const KEYWORD_LINE = /^([A-Z][A-Z0-9_]*)[ \t]*:(?!:)[ \t]*(.*)$/;
const NEARLY_A_CLAUSE = new RegExp(`^(${CLAUSE_KEYWORDS.join("|")})(?:[ \\t]*:|[ \\t]|$)`, "i");
// oxlint-disable-next-line no-control-regex
const CONTROL_CHARACTER = /[\u0000-\u0008\u000b-\u001f\u007f\u2028\u2029]/;
const CLAIM_ID = /^[a-z_]+_[0-9]+$/;
const BIG_O = /^O\(([A-Za-z0-9_ ^*+\-!/.·²³()|]+)\)(?:[ \t]+where[ \t]+\S.*)?$/;

interface OpenClause {
  readonly keyword: Keyword;
  readonly line: number;
  readonly indent: number;
  /** Column of the value, for messages about it. */
  readonly column: number;
  readonly parts: string[];
}

/**
 * Reads the clauses of a documentation comment. Description may stand before the first clause, and nothing but clauses after it; a line
 * that is indented more than its keyword continues the clause. `knownClaims` are the ids of the specification, null if there is none.
 */
export function parseContract(doc: string, firstLine: number, knownClaims: ReadonlySet<string> | null): ContractReading {
  const clauses: Clause[] = [];
  const problems: ContractProblem[] = [];
  const problem = (line: number, column: number, message: string) => void problems.push({ line, column, message });
  let open: OpenClause | null = null;
  let hasClauses = false;
  const close = () => {
    if (open !== null) readClause(open, knownClaims, clauses, problem);
    open = null;
  };
  const lines = doc.split(/\r\n|\n|\r/);
  for (const [index, text] of lines.entries()) {
    const line = firstLine + index;
    const trimmed = text.trim();
    const indent = text.length - text.trimStart().length;
    const control = CONTROL_CHARACTER.exec(text);
    if (control !== null) problem(line, control.index + 1, "A contract must not contain control characters.");
    else if (trimmed === "") close();
    else if (open !== null && indent > (open as OpenClause).indent) {
      const keyword = KEYWORD_LINE.exec(trimmed)?.[1];
      if (isKeyword(keyword))
        problem(line, indent + 1, `${keyword}: is indented more than the clause before it; start it in the same column.`);
      else (open as OpenClause).parts.push(trimmed);
    } else {
      close();
      open = startClause(trimmed, line, indent, hasClauses, problem);
      hasClauses ||= open !== null;
    }
  }
  close();
  if (!hasClauses && problems.length === 0) problem(firstLine, 1, `The contract is empty; it needs one of ${CLAUSE_KEYWORDS.join(", ")}.`);
  return { clauses, problems };
}

type Report = (line: number, column: number, message: string) => void;

function isKeyword(word: string | undefined): word is Keyword {
  return CLAUSE_KEYWORDS.some((keyword) => keyword === word);
}

function startClause(text: string, line: number, indent: number, hasClauses: boolean, problem: Report): OpenClause | null {
  const [, word, value = ""] = KEYWORD_LINE.exec(text) ?? [];
  if (isKeyword(word)) {
    return {
      keyword: word,
      line,
      indent,
      column: indent + 1 + text.length - value.length,
      parts: value.trim() === "" ? [] : [value.trim()],
    };
  }
  const [, near] = NEARLY_A_CLAUSE.exec(text) ?? [];
  const isNear = near !== undefined && (near === near.toUpperCase() || /^\w+[ \t]*:/.test(text));
  if (word !== undefined) problem(line, indent + 1, `${word}: is no clause; use one of ${CLAUSE_KEYWORDS.join(", ")}.`);
  else if (isNear) problem(line, indent + 1, `Write this clause as "${near.toUpperCase()}: …".`);
  else if (hasClauses) problem(line, indent + 1, "After the first clause only clauses may follow; indent the line to continue a clause.");
  return null;
}

function readClause(open: OpenClause, knownClaims: ReadonlySet<string> | null, clauses: Clause[], problem: Report): void {
  const value = open.parts.join(" ");
  const wrong = value === "" ? `${open.keyword}: has no value.` : valueProblem(open.keyword, value, knownClaims);
  if (wrong === null) clauses.push(clauseOf(open.keyword, value, open.line));
  else problem(open.line, open.column, wrong);
}

function valueProblem(keyword: Keyword, value: string, knownClaims: ReadonlySet<string> | null): string | null {
  switch (keyword) {
    case "COMPLEXITY":
      return isBigO(value) ? null : `"${value}" is no bound; write it as O(n log n), with "where n = …" after it if needed.`;
    case "PURITY":
      return PURITIES.some((purity) => purity === value) ? null : `"${value}" is no purity; use one of ${PURITIES.join(", ")}.`;
    case "CLAIM_REF":
      if (!CLAIM_ID.test(value)) return `"${value}" is no claim id; an id is like balance_001.`;
      return knownClaims === null || knownClaims.has(value) ? null : `The specification has no claim "${value}".`;
    default:
      return null;
  }
}

function isBigO(value: string): boolean {
  const [, inner] = BIG_O.exec(value) ?? [];
  if (inner === undefined || inner.trim() !== inner) return false;
  let depth = 0;
  for (const character of inner) {
    if (character === "(") depth++;
    if (character === ")" && --depth < 0) return false;
  }
  return depth === 0;
}

function clauseOf(keyword: Keyword, value: string, line: number): Clause {
  if (keyword === "COMPLEXITY") return { kind: keyword, bound: value, line };
  if (keyword === "PURITY") return clauseSchema.parse({ kind: keyword, purity: value, line });
  if (keyword === "CLAIM_REF") return { kind: keyword, claim: value, line };
  return { kind: keyword, predicate: value, line };
}
