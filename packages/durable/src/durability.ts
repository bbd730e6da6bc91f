/**
 * When a commit is on the disk. `synced`: before it resolves (fsync). `relaxed`: with the next synced commit; it is visible at once and
 * survives the death of the process, but a power cut may take it, together with everything that was committed after it.
 *
 * Relaxed is for work that lets nothing out of the machine before something else was synced: a claimed operation, a budget reservation,
 * a question, the outcome of the run.
 */
export type Durability = "synced" | "relaxed";
