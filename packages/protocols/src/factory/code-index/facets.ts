import type { Db } from "@slipway/kernel/record/database/tables";
import type { EntryContent } from "./entry.ts";
import type { Tip } from "./store.ts";

/** Filters over entries. The row of an entry is the number of entries shipped before it. */
export interface Facets {
  readonly rows: () => number;
  /** Reads the rows that any process has added since the last call. */
  readonly follow: (db: Db, tip: Tip) => Promise<void>;
  /** Rows that have at least one value of every list, in order. */
  readonly matching: (filters: readonly Filter[], includeInactive: boolean) => Uint32Array;
  /** Rows whose entry names the module among its dependencies. */
  readonly dependentsOf: (moduleId: string) => readonly number[];
}

export interface Filter {
  readonly facet: "tag" | "input" | "output";
  readonly values: readonly string[];
}

export function openFacets(): Facets {
  const postings = new Map<string, Posting>();
  const retired = new Set<number>();
  let rows = 0;
  let retirements = 0;
  /** Cached lists of all rows and of all active rows; reset when a row is added. */
  let all: Readonly<Record<"true" | "false", Uint32Array>> | null = null;

  async function follow(db: Db, tip: Tip): Promise<void> {
    if (tip.position > rows) {
      const entries = db.selectFrom("code_index_entries").select(["position", "content"]).where("position", ">", rows);
      for (const { position, content } of await entries.orderBy("position").execute()) {
        // A concurrent call may have read the same rows already.
        if (position <= rows) continue;
        for (const key of keysOf(content)) push(postings, key, position - 1);
        rows = position;
      }
      all = null;
    }
    if (tip.retirement > retirements) {
      const changes = db.selectFrom("code_index_retirements").select(["sequence", "position"]).where("sequence", ">", retirements);
      for (const { sequence, position } of await changes.execute()) {
        retired.add(position - 1);
        retirements = Math.max(retirements, sequence);
      }
      all = null;
    }
  }

  function everything(): Readonly<Record<"true" | "false", Uint32Array>> {
    const every = Uint32Array.from({ length: rows }, (_, row) => row);
    return { true: every, false: every.filter((row) => !retired.has(row)) };
  }

  const rowsOf = (facet: Filter["facet"] | "dependency", value: string) => rowsIn(postings.get(keyOf(facet, value)));

  /** One byte per row: a Set of that many numbers would be slower than the search. */
  function marksOf({ facet, values }: Filter): Uint8Array {
    const marks = new Uint8Array(rows);
    for (const value of values) for (const row of rowsOf(facet, value)) marks[row] = 1;
    return marks;
  }

  function matching([first, ...others]: readonly Filter[], includeInactive: boolean): Uint32Array {
    if (first === undefined) return (all ??= everything())[`${includeInactive}`];
    const [only = "", ...more] = first.values;
    const candidates = more.length === 0 ? rowsOf(first.facet, only) : rowsMarked(marksOf(first));
    const marks = others.map(marksOf);
    if (marks.length === 0 && (includeInactive || retired.size === 0)) return candidates;
    return candidates.filter((row) => (includeInactive || !retired.has(row)) && marks.every((mark) => mark[row] === 1));
  }

  return { rows: () => rows, follow, matching, dependentsOf: (moduleId) => [...rowsOf("dependency", moduleId)] };
}

function rowsMarked(marks: Uint8Array): Uint32Array {
  const rows = new Uint32Array(marks.length);
  let count = 0;
  for (let row = 0; row < marks.length; row++) if (marks[row] === 1) rows[count++] = row;
  return rows.subarray(0, count);
}

/** Rows in ascending order, with spare capacity. */
interface Posting {
  rows: Uint32Array;
  count: number;
}

function rowsIn(posting: Posting | undefined): Uint32Array {
  return posting === undefined ? new Uint32Array() : posting.rows.subarray(0, posting.count);
}

function keysOf(content: string): Set<string> {
  const { tags, io_summary, dependencies } = JSON.parse(content) as EntryContent;
  return new Set([
    ...tags.map((tag) => keyOf("tag", tag)),
    ...typed("input", io_summary.inputs),
    ...typed("output", io_summary.outputs),
    ...dependencies.map((range) => keyOf("dependency", range.slice(0, range.indexOf("@")))),
  ]);
}

/** `email: string` matches as a whole and by its type. */
function typed(facet: "input" | "output", texts: readonly string[]): string[] {
  return texts.flatMap((text) => [keyOf(facet, text), keyOf(facet, text.slice(text.indexOf(":") + 1))]);
}

function keyOf(facet: Filter["facet"] | "dependency", value: string): string {
  return `${facet} ${value.trim()}`;
}

function push(postings: Map<string, Posting>, key: string, row: number): void {
  const posting = postings.get(key) ?? { rows: new Uint32Array(4), count: 0 };
  postings.set(key, posting);
  if (posting.count === posting.rows.length) {
    const larger = new Uint32Array(posting.rows.length * 2);
    larger.set(posting.rows);
    posting.rows = larger;
  }
  posting.rows[posting.count++] = row;
}
