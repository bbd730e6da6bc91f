import type { SQLInputValue } from "node:sqlite";
import type { Compilable, CompiledQuery } from "kysely";
import { connectionOf } from "./dialect.ts";
import type { Db, Tx } from "./tables.ts";

type Parameter = string | number | null;

/**
 * A query whose text is always the same: built and compiled once, after which only its parameters are new. For those that
 * run several times in every operation, where building costs more than SQLite does.
 */
export function fixed<P extends readonly Parameter[], R>(
  build: (db: Db | Tx, ...parameters: P) => Compilable<R>,
): (db: Db | Tx, ...parameters: P) => Promise<R[]> {
  const run = fixedWith((db, given: Readonly<Record<string, Parameter>>) => build(db, ...(Object.values(given) as unknown as P)));
  return (db, ...parameters) => run(db, { ...parameters } as unknown as Record<string, Parameter>);
}

/** The same with names: for rows. Every call gives the same ones. */
export function fixedWith<P extends object, R>(
  build: (db: Db | Tx, given: P) => Compilable<R>,
): (db: Db | Tx, given: Readonly<P>) => Promise<R[]> {
  let compiled: CompiledQuery<R> | null = null;
  return async (db, given) => {
    compiled ??= build(db, Object.fromEntries(Object.keys(given).map((name) => [name, placeOf(name)])) as P).compile();
    const values = compiled.parameters.map((value) => {
      const name = placed.get(value);
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

const placed = new Map<unknown, string>();

/** Stands for a parameter while the query is built. */
function placeOf(name: string): string {
  const place = `\0parameter ${name}`;
  placed.set(place, name);
  return place;
}
