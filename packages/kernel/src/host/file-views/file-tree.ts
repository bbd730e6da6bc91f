/** What an agent may do with files, whether a process sees a folder or a model gets tools. Paths are relative to the pack. */
export interface FileTree {
  read(path: string): Promise<Uint8Array>;
  write(path: string, content: Uint8Array): Promise<void>;
  /** Replaces the one place where `before` stands. */
  edit(path: string, before: string, after: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** What may be done with a path, there or not, without looking at it; null for nothing. */
  permission?(path: string): "read" | "write" | null;
  ls(folder: string): Promise<readonly TreeEntry[]>;
  glob(pattern: string, options?: { readonly under?: string }): Promise<readonly string[]>;
  grep(pattern: string, options?: GrepOptions): Promise<readonly GrepHit[]>;
}

export interface GrepOptions {
  /** Files, or folders with everything below them; what is not there has no lines. */
  readonly path?: string | readonly string[];
  readonly limit?: number;
}

export interface TreeEntry {
  readonly path: string;
  readonly kind: "file" | "folder";
  readonly bytes: number;
}

export interface GrepHit {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}
