import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { SlipwayError } from "../../errors.ts";
import type { FileTree } from "@slipway/kernel/host/file-views/file-tree";
import { missing } from "@slipway/kernel/host/file-views/files";
import type { Workplace } from "../../provider.ts";
import { plainProcess } from "../../testing/plain-process.ts";
import { scratch } from "../../testing/samples.ts";

/** A folder that is readable and writable, except below `sealed`; reads through the tree are recorded. */
export function plainWorkplace(files: Readonly<Record<string, string>>): Workplace & { readonly read: string[] } {
  const folder = realpathSync(scratch("workplace"));
  for (const [path, text] of Object.entries(files)) put(join(folder, path), text);
  const read: string[] = [];
  const deny = (path: string) => {
    if (path.startsWith("sealed")) throw new SlipwayError("path_out_of_bounds", `${path} is sealed.`);
  };
  const tree: Pick<FileTree, "read" | "write" | "remove" | "permission"> = {
    async read(path) {
      deny(path);
      read.push(path);
      if (!existsSync(join(folder, path))) throw missing(path);
      return readFileSync(join(folder, path));
    },
    async write(path, content) {
      deny(path);
      put(join(folder, path), content);
    },
    async remove(path) {
      deny(path);
      rmSync(join(folder, path), { force: true });
    },
    permission: (path) => (path.startsWith("sealed") ? "read" : "write"),
  };
  return { folder, tree: tree as FileTree, run: plainProcess(folder), read };
}

function put(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
