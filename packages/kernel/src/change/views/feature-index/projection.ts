import { join } from "node:path";
import type { Db } from "../../../record/database/tables.ts";
import type { FileSystem } from "../../../host/files/file-system.ts";
import { projectedFiles } from "../../../host/files/projection-writer.ts";
import type { Layout } from "../../../host/layout.ts";
import { indexVersion, readIndex } from "./store.ts";

export interface IndexProjection {
  /** When this resolves, `index.json` shows the index as it is now, or later. Costs one look when nothing has changed. */
  write(): Promise<void>;
  /** At start-up: says whether the file was missing or had been edited. */
  repair(): Promise<boolean>;
}

export function openIndexProjection({ db, layout }: { readonly db: Db; readonly layout: Layout }, fs: FileSystem): IndexProjection {
  const path = join(layout.features, "index.json");
  const files = projectedFiles(fs);
  let written = 0;

  /** Another process may write an older index over a newer one, so whoever writes looks again afterwards. */
  async function write(): Promise<boolean> {
    let changed = false;
    for (let version = await indexVersion(db); version !== written; version = await indexVersion(db)) {
      const index = await readIndex(db);
      if (index === null) break;
      changed = (await files.write(path, `${JSON.stringify(index, null, 2)}\n`)) || changed;
      written = index.version;
    }
    return changed;
  }

  return {
    write: async () => void (await write()),
    repair() {
      written = 0;
      files.forget(path);
      return write();
    },
  };
}
