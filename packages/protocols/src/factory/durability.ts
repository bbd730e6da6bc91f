/**
 * Relaxed commits: nothing of a factory workflow is visible outside until it asks an agent or a person, seals a module, lands a release or
 * ends, and each of these begins with a synchronous commit.
 */
export const RELAXED = { durability: "relaxed" } as const;
