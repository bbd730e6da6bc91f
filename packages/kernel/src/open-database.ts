import { MIGRATIONS } from "./migrations.ts";
import { openDatabase as openWith, type Database, type DatabaseOptions } from "./record/database/open.ts";

/** Opens the file with every table of the kernel. */
export function openDatabase(
  options: Omit<DatabaseOptions, "migrations"> & Partial<Pick<DatabaseOptions, "migrations">>,
): Promise<Database> {
  return openWith({ migrations: MIGRATIONS, ...options });
}
