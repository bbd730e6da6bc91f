/** The file operations of an agent, for a process with a folder and for a model with tools. Paths are relative to the pack. */
export interface FileTree {
  read(path: string): Promise<Uint8Array>;
  write(path: string, content: Uint8Array): Promise<void>;
  /** Replaces the only occurrence of `before`. */
  edit(path: string, before: string, after: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** The permission for a path, whether or not it exists; null for none. Does not read the file system. */
  permission?(path: string): "read" | "write" | null;
  ls(folder: string): Promise<readonly TreeEntry[]>;
  glob(pattern: string, options?: { readonly under?: string }): Promise<readonly string[]>;
  grep(pattern: string, options?: GrepOptions): Promise<readonly GrepHit[]>;
}

export interface GrepOptions {
  /** Files or folders to search; missing paths are ignored. */
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
