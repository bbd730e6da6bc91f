/** Reads a file of the repository, wherever its content comes from; null where there is none. */
export type ReadFile = (path: string) => Promise<Uint8Array | null>;
