import { MIGRATIONS } from "./migrations.ts";
import { openStorage, type Records, type RecordsOptions } from "./record/storage.ts";

/** Opens everything that is written down, with every table of the kernel. A protocol adds its own (`migrateOwner`). */
export function openRecords(options: Omit<RecordsOptions, "migrations">): Promise<Records> {
  return openStorage({ migrations: MIGRATIONS, ...options });
}
