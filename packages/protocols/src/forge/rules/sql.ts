export type JudgedSql = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

const ALLOWED: JudgedSql = { allowed: true };
const refused = (reason: string): JudgedSql => ({ allowed: false, reason });

/** Words that no statement of the orchestrator contains, outside quotes. */
const FORBIDDEN = new Set(
  "insert update delete replace drop alter attach detach vacuum reindex trigger virtual view temp temporary load_extension readfile writefile edit fts3_tokenizer writable_schema".split(
    " ",
  ),
);

/**
 * SQL on the ledger: one `SELECT`; in Step 0 `CREATE TABLE`, `CREATE INDEX` and `PRAGMA`, also several of them in one block; on any
 * connection `PRAGMA busy_timeout` first, which has to share the statement's connection.
 */
export function judgeSql(sql: string, isSetup: boolean): JudgedSql {
  const tokens = tokensOf(sql);
  if (typeof tokens === "string") return refused(tokens);
  const forbidden = tokens.find((token) => FORBIDDEN.has(token));
  if (forbidden !== undefined) return refused(`${forbidden.toUpperCase()} is not allowed`);
  const statements = statementsOf(tokens);
  const rest = statements.length > 1 && isBusyTimeout(statements[0] ?? []) ? statements.slice(1) : statements;
  if (rest.length === 0) return refused("there is no statement");
  if (isSetup && rest.length > 1) return rest.every(isDefinition) ? ALLOWED : refused("a block of Step 0 only creates tables and indexes");
  const [only = []] = rest;
  if (rest.length > 1) return refused("it has several statements");
  if (only[0] === "select" || isBusyTimeout(only)) return ALLOWED;
  if (!isDefinition(only)) return refused(`${(only[0] ?? "").toUpperCase()} is not allowed`);
  return isSetup ? ALLOWED : refused(`${(only[0] ?? "").toUpperCase()} is allowed in Step 0 only`);
}

function isBusyTimeout([first, second, ...rest]: readonly string[]): boolean {
  return first === "pragma" && second === "busy_timeout" && (rest.length === 0 || /^(?:= \d+|\( \d+ \))$/.test(rest.join(" ")));
}

function isDefinition([first, second, third]: readonly string[]): boolean {
  if (first === "pragma") return true;
  return first === "create" && (second === "table" || second === "index" || (second === "unique" && third === "index"));
}

function statementsOf(tokens: readonly string[]): string[][] {
  const statements: string[][] = [[]];
  for (const token of tokens) {
    if (token === ";") statements.push([]);
    else statements.at(-1)?.push(token);
  }
  return statements.filter((statement) => statement.length > 0);
}

const CLOSING: Readonly<Record<string, string>> = { "'": "'", '"': '"', "`": "`", "[": "]" };
/** Never one of the words above. */
const QUOTED = "''";

/** Words in lower case and single characters; quoted texts count as one token without a content. A text: why it cannot be read. */
function tokensOf(sql: string): string[] | string {
  if (/^\s*\./m.test(sql)) return "commands of the sqlite3 shell are not allowed";
  const tokens: string[] = [];
  for (let at = 0; at < sql.length;) {
    const character = sql[at] ?? "";
    const closing = CLOSING[character];
    if (sql.startsWith("--", at) || sql.startsWith("/*", at)) return "it contains a comment";
    if (closing !== undefined) {
      const end = sql.indexOf(closing, at + 1);
      if (end < 0) return "a quote is not closed";
      // A quoted name can stand where a function or a table is named.
      tokens.push(character === "'" ? QUOTED : sql.slice(at + 1, end).toLowerCase());
      at = end + 1;
      continue;
    }
    const word = /^[\p{L}\p{N}_$]+/u.exec(sql.slice(at))?.[0] ?? character;
    if (word.trim() !== "") tokens.push(word.toLowerCase());
    at += word.length;
  }
  return tokens;
}
