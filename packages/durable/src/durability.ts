/**
 * When a commit is on disk. `synced`: before it resolves (fsync). `relaxed`: with the next synced commit. A relaxed commit is visible
 * at once and survives the death of the process, but a power cut may lose it together with every later commit.
 *
 * Relaxed is safe for work that has no effect outside the machine before a synced commit: a claimed operation, a budget reservation,
 * a question, the outcome of the run.
 */
export type Durability = "synced" | "relaxed";
