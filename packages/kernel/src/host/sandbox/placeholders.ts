/** Paths made for the time of a run, and how many runs use them. */
const users = new Map<string, number>();

/**
 * Removing a mount point lifts the mount in every sandbox that uses it, so the last one out removes it.
 * Returns what to do at the end of a run.
 */
export function holdPlaceholder(path: string, remove: (path: string) => void): () => void {
  const countTo = (change: 1 | -1) => {
    const count = (users.get(path) ?? 0) + change;
    users.set(path, count);
    return count;
  };
  countTo(1);
  return () => {
    if (countTo(-1) > 0) return;
    users.delete(path);
    remove(path);
  };
}

export function isPlaceholder(path: string): boolean {
  return users.has(path);
}
