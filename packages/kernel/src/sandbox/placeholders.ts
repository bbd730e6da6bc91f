/** Paths made for the time of a run, and how many runs use them. */
const users = new Map<string, number>();

/**
 * Removing a mount point lifts the mount in every sandbox that uses it, so the last one out removes it.
 * Returns what to do at the end of a run.
 */
export function holdPlaceholder(path: string, remove: (path: string) => void): () => void {
  users.set(path, (users.get(path) ?? 0) + 1);
  return () => {
    const left = (users.get(path) ?? 1) - 1;
    if (left > 0) {
      users.set(path, left);
      return;
    }
    users.delete(path);
    remove(path);
  };
}

export function isPlaceholder(path: string): boolean {
  return users.has(path);
}
