import type { Compilable, CompiledQuery } from "kysely";
import type { Db, Tx } from "./tables.ts";

type Parameter = string | number;

/**
 * A query whose text is always the same: built and compiled once, after which only its parameters are new. For those that
 * run several times in every operation, where building costs more than SQLite does.
 */
export function fixed<P extends readonly Parameter[], R>(
  build: (db: Db | Tx, ...parameters: P) => Compilable<R>,
): (db: Db | Tx, ...parameters: P) => Promise<R[]> {
  let compiled: CompiledQuery<R> | null = null;
  return async (db, ...parameters) => {
    compiled ??= build(db, ...(parameters.map((_, index) => placeOf(index)) as unknown as P)).compile();
    const values = compiled.parameters.map((value) => {
      const index = placed.get(value);
      return index === undefined ? value : parameters[index];
    });
    return (await db.executeQuery<R>({ ...compiled, parameters: values })).rows as R[];
  };
}

const placed = new Map<unknown, number>();

/** Stands for a parameter while the query is built. */
function placeOf(index: number): string {
  const place = `\0parameter ${index}`;
  placed.set(place, index);
  return place;
}
