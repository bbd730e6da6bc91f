import type { SQLInputValue } from "node:sqlite";
import type { Compilable, CompiledQuery } from "kysely";
import { connectionOf } from "./dialect.ts";
import type { Db, Tx } from "./tables.ts";

type Parameter = string | number | null;

/**
 * A query with a constant text, compiled on first use. For queries that run several times in every operation: building one takes longer
 * than running it.
 */
export function preparedQuery<P extends readonly Parameter[], R>(
  build: (db: Db | Tx, ...parameters: P) => Compilable<R>,
): (db: Db | Tx, ...parameters: P) => Promise<R[]> {
  const run = preparedQueryWith((db, given: Readonly<Record<string, Parameter>>) => build(db, ...(Object.values(given) as unknown as P)));
  return (db, ...parameters) => run(db, { ...parameters } as unknown as Record<string, Parameter>);
}

/** The same with named parameters. Every call must pass the same names. */
export function preparedQueryWith<P extends object, R>(
  build: (db: Db | Tx, given: P) => Compilable<R>,
): (db: Db | Tx, given: Readonly<P>) => Promise<R[]> {
  let compiled: CompiledQuery<R> | null = null;
  return async (db, given) => {
    compiled ??= build(db, Object.fromEntries(Object.keys(given).map((name) => [name, placeholderFor(name)])) as P).compile();
    const values = compiled.parameters.map((value) => {
      const name = placeholders.get(value);
      return name === undefined ? value : given[name as keyof P];
    });
    const sqlite = connectionOf(db);
    if (sqlite === undefined) return (await db.executeQuery<R>({ ...compiled, parameters: values })).rows as R[];
    const { sql } = compiled;
    const rows = () => sqlite.prepare(sql).all(...(values as SQLInputValue[])) as R[];
    if (db.isTransaction) return rows();
    return compiled.query.kind === "SelectQueryNode" ? sqlite.reading(rows) : sqlite.exclusive(rows);
  };
}

const placeholders = new Map<unknown, string>();

/** Marks the position of a parameter while the query is compiled. */
function placeholderFor(name: string): string {
  const placeholder = `\0parameter ${name}`;
  placeholders.set(placeholder, name);
  return placeholder;
}
