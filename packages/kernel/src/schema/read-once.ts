/**
 * A pure reader of texts that keeps its last results: a recorded document is read at every dispatch and rarely changes. Callers share the
 * result, so its type has to be read-only.
 */
export function readOnce<T>(most: number, read: (text: string) => T): (text: string) => T {
  const kept = new Map<string, T>();
  return (text) => {
    const before = kept.get(text);
    if (before !== undefined) return before;
    const value = read(text);
    const [oldest] = kept.keys();
    if (kept.size >= most && oldest !== undefined) kept.delete(oldest);
    kept.set(text, value);
    return value;
  };
}
