/** What a function needs before it can be written: the functions it calls. */
export interface CallNode {
  readonly id: string;
  readonly calls: readonly string[];
}

/** The order of injection of a lattice. It does not depend on what is injected already. */
export interface InjectionPlan {
  readonly order: readonly string[][];
  readonly nodes: ReadonlyMap<string, CallNode>;
}

export function planInjection(nodes: readonly CallNode[]): InjectionPlan {
  return { order: injectionOrder(nodes), nodes: new Map(nodes.map((node) => [node.id, node])) };
}

/**
 * Batches in the order of injection: a function comes after those it calls, members of a cycle are one batch, and ties are decided by
 * id. Calls of unknown functions are ignored. Iterative, because a chain of calls may be as long as the lattice.
 */
export function injectionOrder(nodes: readonly CallNode[]): string[][] {
  const components = cycles(nodes);
  const batchOf = new Map(components.flatMap((ids) => ids.map((id) => [id, ids] as const)));
  const callsOf = new Map(nodes.map(({ id, calls }) => [id, calls]));
  const waiting = new Map<string[], number>();
  const callers = new Map<string[], Set<string[]>>();
  for (const batch of components) {
    const needed = new Set(
      batch.flatMap((id) =>
        (callsOf.get(id) ?? []).flatMap((called) => {
          const other = batchOf.get(called);
          return other === undefined || other === batch ? [] : [other];
        }),
      ),
    );
    waiting.set(batch, needed.size);
    for (const other of needed) callers.set(other, (callers.get(other) ?? new Set()).add(batch));
  }
  const ready = components.filter((batch) => waiting.get(batch) === 0);
  const ordered: string[][] = [];
  while (ready.length > 0) {
    const next = ready.reduce((first, other) => (firstId(other) < firstId(first) ? other : first));
    ready.splice(ready.indexOf(next), 1);
    ordered.push(next);
    for (const caller of callers.get(next) ?? []) {
      const left = (waiting.get(caller) ?? 0) - 1;
      waiting.set(caller, left);
      if (left === 0) ready.push(caller);
    }
  }
  return ordered;
}

/** The next batches whose calls are all injected, at most `limit` functions of them; at least one batch, however large. */
export function nextWave({ order, nodes }: InjectionPlan, done: ReadonlySet<string>, limit: number): string[][] {
  const wave: string[][] = [];
  let size = 0;
  for (const batch of order) {
    if (batch.every((id) => done.has(id))) continue;
    const isReady = batch.every((id) =>
      (nodes.get(id)?.calls ?? []).every((called) => done.has(called) || batch.includes(called) || !nodes.has(called)),
    );
    if (!isReady || (wave.length > 0 && size + batch.length > limit)) continue;
    wave.push(batch);
    size += batch.length;
    if (size >= limit) break;
  }
  return wave;
}

function firstId(batch: readonly string[]): string {
  return batch[0] ?? "";
}

interface Visit {
  readonly id: string;
  readonly calls: readonly string[];
  next: number;
}

/** Strongly connected components (Tarjan, with an explicit stack), each sorted by id. */
function cycles(nodes: readonly CallNode[]): string[][] {
  const known = new Map(nodes.map(({ id, calls }) => [id, calls]));
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const onStack = new Set<string>();
  const stack: string[] = [];
  const found: string[][] = [];

  function enter(id: string): Visit {
    index.set(id, index.size);
    low.set(id, index.get(id) ?? 0);
    stack.push(id);
    onStack.add(id);
    return { id, calls: (known.get(id) ?? []).filter((called) => known.has(called)), next: 0 };
  }

  function leave(id: string): void {
    if (low.get(id) !== index.get(id)) return;
    const members: string[] = [];
    for (let member = stack.pop(); member !== undefined; member = stack.pop()) {
      onStack.delete(member);
      members.push(member);
      if (member === id) break;
    }
    found.push(members.toSorted());
  }

  const lower = (id: string, value: number) => low.set(id, Math.min(low.get(id) ?? value, value));
  for (const { id } of nodes) {
    if (index.has(id)) continue;
    const path = [enter(id)];
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const called = visit.calls[visit.next++];
      if (called === undefined) {
        path.pop();
        leave(visit.id);
        const caller = path.at(-1);
        if (caller !== undefined) lower(caller.id, low.get(visit.id) ?? 0);
      } else if (!index.has(called)) path.push(enter(called));
      else if (onStack.has(called)) lower(visit.id, index.get(called) ?? 0);
    }
  }
  return found;
}
