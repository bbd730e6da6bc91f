import { basename, dirname } from "node:path";
import type { FileSystem, WritableFile } from "../file-system.ts";

/** The effect of a call, in units that a disk can lose separately. */
export type DiskEvent =
  | { readonly kind: "create"; readonly directory: number; readonly name: string; readonly node: number }
  | { readonly kind: "mkdir"; readonly directory: number; readonly name: string; readonly node: number }
  | { readonly kind: "rename"; readonly directory: number; readonly from: string; readonly to: string; readonly node: number }
  | { readonly kind: "unlink"; readonly directory: number; readonly name: string }
  | { readonly kind: "write"; readonly node: number; readonly bytes: Uint8Array }
  | { readonly kind: "syncFile"; readonly node: number }
  | { readonly kind: "syncDirectory"; readonly directory: number };

type Node = { readonly entries: Map<string, number> } | { bytes: Uint8Array };

export const ROOT = 0;

/** A disk in memory. `record` sees every change; `fault` may make a call fail with an errno code. */
export class MemoryFileSystem implements FileSystem {
  readonly nodes: Map<number, Node>;
  record: (event: DiskEvent) => void = () => undefined;
  fault: (call: string) => string | undefined = () => undefined;

  constructor(nodes: Map<number, Node> = new Map([[ROOT, { entries: new Map() }]])) {
    this.nodes = nodes;
  }

  async read(path: string): Promise<Uint8Array> {
    this.#mayFail("read");
    return this.#file(path).bytes.slice();
  }

  async create(path: string): Promise<WritableFile> {
    this.#mayFail("create");
    const node = this.#add(path, { bytes: new Uint8Array() });
    this.record({ kind: "create", directory: this.#id(dirname(path)), name: basename(path), node });
    return {
      write: async (bytes) => {
        const code = this.fault("write");
        // A full disk writes what still fits.
        this.#append(node, code === undefined ? bytes : bytes.slice(0, bytes.length / 2));
        if (code !== undefined) throw errno(code);
      },
      sync: async () => {
        this.#mayFail("sync");
        this.record({ kind: "syncFile", node });
      },
      close: async () => this.#mayFail("close"),
    };
  }

  async rename(from: string, to: string): Promise<void> {
    this.#mayFail("rename");
    const directory = this.#id(dirname(from));
    if (directory !== this.#id(dirname(to))) throw errno("EXDEV");
    const { entries } = this.#directory(directory);
    const node = this.#id(from);
    entries.delete(basename(from));
    entries.set(basename(to), node);
    this.record({ kind: "rename", directory, from: basename(from), to: basename(to), node });
  }

  async unlink(path: string): Promise<void> {
    this.#mayFail("unlink");
    this.#file(path);
    const directory = this.#id(dirname(path));
    this.#directory(directory).entries.delete(basename(path));
    this.record({ kind: "unlink", directory, name: basename(path) });
  }

  async mkdir(path: string): Promise<void> {
    this.#mayFail("mkdir");
    const node = this.#add(path, { entries: new Map() });
    this.record({ kind: "mkdir", directory: this.#id(dirname(path)), name: basename(path), node });
  }

  async mkdirs(path: string): Promise<void> {
    const parts = path.split("/").filter((part) => part !== "");
    for (const [index] of parts.entries()) {
      const folder = `/${parts.slice(0, index + 1).join("/")}`;
      await this.mkdir(folder).catch((error: unknown) => {
        if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
      });
    }
  }

  async list(directory: string): Promise<string[]> {
    this.#mayFail("list");
    return [...this.#directory(this.#id(directory)).entries.keys()].toSorted();
  }

  async modifiedAt(path: string): Promise<number | null> {
    this.#mayFail("modifiedAt");
    const there: string[] = await this.list(dirname(path)).catch(() => []);
    return there.includes(basename(path)) ? 0 : null;
  }

  async syncFile(path: string): Promise<void> {
    this.#mayFail("sync");
    this.#file(path);
    this.record({ kind: "syncFile", node: this.#id(path) });
  }

  async syncDirectory(path: string): Promise<void> {
    this.#mayFail("syncDirectory");
    this.record({ kind: "syncDirectory", directory: this.#id(path) });
  }

  #mayFail(call: string): void {
    const code = this.fault(call);
    if (code !== undefined) throw errno(code);
  }

  #append(node: number, bytes: Uint8Array): void {
    const file = this.nodes.get(node);
    if (file === undefined || "entries" in file) throw errno("EBADF");
    file.bytes = Buffer.concat([file.bytes, bytes]);
    this.record({ kind: "write", node, bytes });
  }

  #add(path: string, node: Node): number {
    const { entries } = this.#directory(this.#id(dirname(path)));
    if (entries.has(basename(path))) throw errno("EEXIST");
    const id = this.nodes.size;
    this.nodes.set(id, node);
    entries.set(basename(path), id);
    return id;
  }

  #id(path: string): number {
    const parts = path.split("/").filter((part) => part !== "");
    return parts.reduce((directory, part) => {
      const id = this.#directory(directory).entries.get(part);
      if (id === undefined) throw errno("ENOENT");
      return id;
    }, ROOT);
  }

  #directory(id: number): { readonly entries: Map<string, number> } {
    const node = this.nodes.get(id);
    if (node === undefined || !("entries" in node)) throw errno("ENOTDIR");
    return node;
  }

  #file(path: string): { bytes: Uint8Array } {
    const node = this.nodes.get(this.#id(path));
    if (node === undefined || "entries" in node) throw errno("EISDIR");
    return node;
  }
}

export function errno(code: string): Error {
  return Object.assign(new Error(`${code}: simulated`), { code });
}
