/** Temporary paths, and how many commands use them. */
const users = new Map<string, number>();

/**
 * Removing a mount point unmounts it in every sandbox that uses it, so only the last user removes it.
 * Returns the function to call at the end of a command.
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
