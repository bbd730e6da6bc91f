import { join } from "node:path";
import type { Db } from "../../../record/database/tables.ts";
import type { FileSystem } from "../../../host/files/file-system.ts";
import { projectedFiles } from "../../../host/files/projection-writer.ts";
import type { Layout } from "../../../host/layout.ts";
import { indexVersion, readIndex } from "./store.ts";

export interface IndexProjection {
  /** After this, `index.json` shows the current index, or a later one. Costs one query if nothing has changed. */
  write(): Promise<void>;
  /** At start-up: returns whether the file was missing or edited. */
  repair(): Promise<boolean>;
}

export function openIndexProjection({ db, layout }: { readonly db: Db; readonly layout: Layout }, fs: FileSystem): IndexProjection {
  const path = join(layout.features, "index.json");
  const files = projectedFiles(fs);
  let written = 0;

  /** Another process may write an older index over a newer one, so the version is checked again after each write. */
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
