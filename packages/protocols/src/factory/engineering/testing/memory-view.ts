import type { FileTree } from "@slipway/kernel/host/file-views/file-tree";
import { missing } from "@slipway/kernel/host/file-views/files";
import type { ShippedModule, StoreView } from "../ports.ts";
import { json } from "../record.ts";

/** The surfaces of modules that exist only in memory. */
export function memoryView(shipped: () => readonly ShippedModule[]): StoreView {
  const read = async (path: string) => {
    const [, module_id, version = "", file = ""] = path.split("/");
    const found = shipped().find((module) => module.module_id === module_id && module.version === version);
    const texts: Record<string, string | undefined> = {
      "contract.json": json(found?.contract),
      "examples.md": found?.examples,
      "ship.json": json(found?.ship),
    };
    if (found === undefined || texts[file] === undefined) throw missing(path);
    return Buffer.from(texts[file]);
  };
  return { tree: { read } as unknown as FileTree, changed: async () => [], restore: async () => 0 };
}
