import { malformed, type Kind } from "./wire.ts";

export type Side = "test" | "module";

/** An object that has crossed: the original in one process, its proxy or copy in the other, under one number. */
export interface TableEntry {
  readonly id: number;
  readonly value: object;
  readonly kind: Kind;
  /** Its state at the last synchronisation, as JSON. */
  syncedState: string;
  /** Only the owning process may change it. */
  guarded: boolean;
}

/** Objects that have crossed, by number and by identity. Numbers of the test process are positive, those of the module process negative. */
export class Table {
  readonly #entries = new Map<number, TableEntry>();
  readonly #ids = new WeakMap<object, number>();
  readonly #symbols = new Map<number, symbol>();
  readonly #symbolIds = new Map<symbol, number>();
  readonly #sign: number;
  #count = 0;

  constructor(side: Side) {
    this.#sign = side === "test" ? 1 : -1;
  }

  isOwn(id: number): boolean {
    return Math.sign(id) === this.#sign;
  }

  newId(): number {
    return ++this.#count * this.#sign;
  }

  add(entry: TableEntry): void {
    this.#entries.set(entry.id, entry);
    this.#ids.set(entry.value, entry.id);
  }

  remove({ id, value }: TableEntry): void {
    this.#entries.delete(id);
    this.#ids.delete(value);
  }

  /** The highest numbers that each side has used so far. */
  get counts(): { readonly tests: number; readonly module: number } {
    const ids = [...this.#entries.keys()];
    return { tests: Math.max(0, ...ids), module: Math.max(0, ...ids.map((id) => -id)) };
  }

  /** Drops what was shared later than these counts. */
  forget(counts: { readonly tests: number; readonly module: number }): void {
    for (const entry of this.#entries.values()) if (entry.id > counts.tests || -entry.id > counts.module) this.remove(entry);
  }

  find(id: number): TableEntry | undefined {
    return this.#entries.get(id);
  }

  idOf(value: object): number | undefined {
    return this.#ids.get(value);
  }

  get size(): number {
    return this.#entries.size;
  }

  entries(): Iterable<TableEntry> {
    return this.#entries.values();
  }

  symbolId(symbol: symbol): number {
    const id = this.#symbolIds.get(symbol) ?? this.newId();
    this.addSymbol(id, symbol);
    return id;
  }

  symbol(id: number, description: string | undefined): symbol {
    const known = this.#symbols.get(id);
    if (known === undefined && this.isOwn(id)) malformed("a symbol that was never sent");
    const symbol = known ?? Symbol(description);
    this.addSymbol(id, symbol);
    return symbol;
  }

  addSymbol(id: number, symbol: symbol): void {
    this.#symbols.set(id, symbol);
    this.#symbolIds.set(symbol, id);
  }
}
