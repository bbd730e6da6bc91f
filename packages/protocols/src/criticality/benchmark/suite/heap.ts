import type { BenchmarkCase } from "./case.ts";

export const HEAP: BenchmarkCase = {
  id: "module/heap",
  level: "module",
  title: "a heap, and sorting with it",
  files: {
    "src/domain/heap.ts": String.raw`/** What was taken from a heap, null if it was empty, and what is left. */
export interface Taken {
  readonly item: number | null;
  readonly rest: readonly number[];
}

/**
 * Whether no item is smaller than its parent, which stands at half of its place, rounded down, counted from 1.
 * ENSURES: items.length < 2 implies result === true
 * ENSURES: items.length === 2 implies result === ((items[0] ?? 0) <= (items[1] ?? 0))
 * PURITY: pure
 */
export function isHeap(items: readonly number[]): boolean {
  throw new Error("hole");
}

/**
 * The items with two of them exchanged.
 * REQUIRES: Number.isInteger(left) && left >= 0 && left < items.length
 * REQUIRES: Number.isInteger(right) && right >= 0 && right < items.length
 * ENSURES: result.length === items.length
 * ENSURES: result[left] === items[right] && result[right] === items[left]
 * PURITY: pure
 */
export function exchanged(items: readonly number[], left: number, right: number): number[] {
  throw new Error("hole");
}

/**
 * Moves the item at this place up while it is smaller than its parent.
 * REQUIRES: Number.isInteger(at) && at >= 0 && at < items.length
 * ENSURES: result.length === items.length
 * PURITY: pure
 */
export function movedUp(items: readonly number[], at: number): number[] {
  throw new Error("hole");
}

/**
 * Moves the item at this place down while it is larger than one of its children; it changes place with the smaller child.
 * REQUIRES: Number.isInteger(at) && at >= 0 && at < items.length
 * ENSURES: result.length === items.length
 * PURITY: pure
 */
export function movedDown(items: readonly number[], at: number): number[] {
  throw new Error("hole");
}

/**
 * ENSURES: result.length === heap.length + 1
 * ENSURES: result.includes(item)
 * ENSURES: isHeap(heap) implies isHeap(result)
 * PURITY: pure
 */
export function put(heap: readonly number[], item: number): number[] {
  throw new Error("hole");
}

/**
 * Takes the first item. The last one takes its place and moves down.
 * ENSURES: heap.length === 0 implies result.item === null
 * ENSURES: heap.length > 0 implies result.item === heap[0]
 * ENSURES: result.rest.length === Math.max(0, heap.length - 1)
 * ENSURES: isHeap(heap) implies isHeap(result.rest)
 * PURITY: pure
 */
export function take(heap: readonly number[]): Taken {
  throw new Error("hole");
}

/**
 * From the smallest to the largest.
 * ENSURES: result.length === items.length
 * ENSURES: result.every((item, at) => at === 0 || (result[at - 1] ?? item) <= item)
 * ENSURES: items.every((item) => result.includes(item))
 * PURITY: pure
 */
export function heapSorted(items: readonly number[]): number[] {
  throw new Error("hole");
}
`,
  },
  calls: {
    "src/domain/heap.ts#movedUp": ["src/domain/heap.ts#exchanged"],
    "src/domain/heap.ts#movedDown": ["src/domain/heap.ts#exchanged"],
    "src/domain/heap.ts#put": ["src/domain/heap.ts#movedUp"],
    "src/domain/heap.ts#take": ["src/domain/heap.ts#movedDown"],
    "src/domain/heap.ts#heapSorted": ["src/domain/heap.ts#put", "src/domain/heap.ts#take"],
  },
  hidden: String.raw`import assert from "node:assert/strict";
import { test } from "node:test";
import { heapSorted, isHeap, movedDown, movedUp, put, take } from "../../src/domain/heap.ts";

test("knows a heap", () => {
  assert.equal(isHeap([1, 3, 2, 7, 4]), true);
  assert.equal(isHeap([1, 3, 2, 2, 4]), false);
});

test("moves one item", () => {
  assert.deepEqual(movedUp([1, 3, 2, 0], 3), [0, 1, 2, 3]);
  assert.deepEqual(movedDown([9, 3, 2, 7, 4], 0), [2, 3, 9, 7, 4]);
});

test("gives the items in order", () => {
  let heap: readonly number[] = [5, 1, 4, 1, 3].reduce<readonly number[]>((items, item) => put(items, item), []);
  const taken: (number | null)[] = [];
  while (heap.length > 0) {
    const { item, rest } = take(heap);
    taken.push(item);
    heap = rest;
  }
  assert.deepEqual(taken, [1, 1, 3, 4, 5]);
});

test("sorts with duplicates", () => {
  assert.deepEqual(heapSorted([3, -1, 3, 0, 2.5, -1]), [-1, -1, 0, 2.5, 3, 3]);
});
`,
};
