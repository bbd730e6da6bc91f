interface Ordered {
  readonly id: string;
  readonly depends_on: readonly string[];
}

/** What is wrong with the dependencies, or null: each names another task, and no task depends on itself, however far around. */
export function orderProblem(tasks: readonly Ordered[]): string | null {
  const known = new Set(tasks.map(({ id }) => id));
  const unknown = tasks.flatMap(({ id, depends_on }) => depends_on.filter((other) => !known.has(other)).map((other) => ({ id, other })))[0];
  if (unknown !== undefined) return `${unknown.id} depends on ${unknown.other}, which does not exist`;
  const open = new Map(tasks.map(({ id, depends_on }) => [id, depends_on]));
  for (;;) {
    const free = [...open].filter(([, others]) => others.every((other) => !open.has(other)));
    if (free.length === 0) break;
    for (const [id] of free) open.delete(id);
  }
  return open.size === 0 ? null : `these tasks depend on each other in a circle: ${[...open.keys()].join(", ")}`;
}
