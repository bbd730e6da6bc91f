/** Reads a file of the repository, from a commit or from disk; null if it does not exist. */
export type ReadFile = (path: string) => Promise<Uint8Array | null>;
