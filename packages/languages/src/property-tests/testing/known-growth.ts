import type { GrowthBound } from "../scaling.ts";

/** A function of known growth, with the slowest bound that holds. */
export interface KnownFunction {
  readonly name: string;
  readonly setup: "plain" | "costly";
  readonly bound: GrowthBound;
  readonly prepared: (n: number) => readonly [(...given: never[]) => unknown, readonly unknown[]];
}

const list = (n: number): number[] => Array.from({ length: n }, (_, at) => (at * 7919) % n);
const plain = (name: string, bound: GrowthBound, work: (items: number[]) => unknown): KnownFunction => ({
  name,
  setup: "plain",
  bound,
  prepared: (n) => [work, [undefined, list(n)]],
});

/** Built by n calls, each of which costs more than the measured one. */
class Store {
  readonly #byId = new Map<number, { readonly id: number; readonly name: string }>();
  #sorted: number[] = [];
  add(id: number): this {
    this.#byId.set(id, { id, name: `item ${id}` });
    let at = this.#sorted.length;
    while (at > 0 && (this.#sorted[at - 1] ?? 0) > id) at--;
    this.#sorted.splice(at, 0, id);
    return this;
  }
  get(id: number): unknown {
    return this.#byId.get(id);
  }
  rank(id: number): number {
    return binarySearch(this.#sorted, id);
  }
  names(): number {
    let length = 0;
    for (const { name } of this.#byId.values()) length += name.length;
    return length;
  }
  push(id: number): number {
    return this.#sorted.push(id);
  }
  sorted(): number[] {
    return mergeSort(this.#sorted);
  }
  pairs(): number {
    return countPairs(this.#sorted);
  }
}
const METHODS = ["get", "push", "rank", "names", "sorted", "pairs"] as const satisfies readonly (keyof Store)[];

const costly = (method: (typeof METHODS)[number], bound: GrowthBound): KnownFunction => ({
  name: `Store.${method}`,
  setup: "costly",
  bound,
  prepared: (n) => {
    const store = Array.from({ length: n }, (_, at) => at).reduce((all, at) => all.add(at), new Store());
    return [store[method] as (...given: never[]) => unknown, [store, Math.floor(n * 0.7)]];
  },
});

export const KNOWN: readonly KnownFunction[] = [
  plain("first", "O(1)", (items) => items[0]),
  plain("middle", "O(1)", (items) => (items[items.length >> 1] ?? 0) + (items.at(-1) ?? 0)),
  plain("binary search", "O(log n)", (items) => binarySearch(items, items.length * 0.7)),
  plain("sum", "O(n)", (items) => {
    let sum = 0;
    for (const item of items) sum += item;
    return sum;
  }),
  plain("largest", "O(n)", (items) => items.reduce((most, item) => (item > most ? item : most), 0)),
  plain("merge sort", "O(n log n)", mergeSort),
  plain("pairs", "O(n^2)", countPairs),
  costly("get", "O(1)"),
  costly("push", "O(1)"),
  costly("rank", "O(log n)"),
  costly("names", "O(n)"),
  costly("sorted", "O(n log n)"),
  costly("pairs", "O(n^2)"),
];

function binarySearch(items: readonly number[], wanted: number): number {
  let [low, high] = [0, items.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    if ((items[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return low;
}

function countPairs(items: readonly number[]): number {
  let count = 0;
  for (const a of items) for (const b of items) if (a < b) count++;
  return count;
}

function mergeSort(items: readonly number[]): number[] {
  if (items.length < 2) return [...items];
  const middle = items.length >> 1;
  const [left, right] = [mergeSort(items.slice(0, middle)), mergeSort(items.slice(middle))];
  const merged: number[] = [];
  for (let [a, b] = [0, 0]; a < left.length || b < right.length;) {
    const takeLeft = b >= right.length || (a < left.length && (left[a] ?? 0) <= (right[b] ?? 0));
    merged.push(takeLeft ? (left[a++] ?? 0) : (right[b++] ?? 0));
  }
  return merged;
}
