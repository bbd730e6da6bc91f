/** A min-heap of numbers. Stale entries stay in it and are skipped when they come up. */
export interface ReadyHeap {
  push(order: number): void;
  /** The smallest that is still wanted. */
  first(isWanted: (order: number) => boolean): number | null;
}

export function readyHeap(): ReadyHeap {
  const heap: number[] = [];
  const at = (index: number) => heap[index] ?? Number.POSITIVE_INFINITY;

  /** Removes the smallest: the last entry sinks from the top. */
  function drop(): void {
    const last = heap.pop() ?? 0;
    if (heap.length === 0) return;
    let hole = 0;
    for (;;) {
      const left = 2 * hole + 1;
      const child = at(left + 1) < at(left) ? left + 1 : left;
      if (at(child) >= last) break;
      heap[hole] = at(child);
      hole = child;
    }
    heap[hole] = last;
  }

  return {
    push(order) {
      let hole = heap.push(order) - 1;
      for (let parent = (hole - 1) >> 1; hole > 0 && at(parent) > order; parent = (hole - 1) >> 1) {
        heap[hole] = at(parent);
        hole = parent;
      }
      heap[hole] = order;
    },
    first(isWanted) {
      while (heap.length > 0 && !isWanted(at(0))) drop();
      return heap.length === 0 ? null : at(0);
    },
  };
}
