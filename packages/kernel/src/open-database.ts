import { MIGRATIONS } from "./migrations.ts";
import { openDatabase as openWith, type Database, type OpenOptions } from "./record/database/open.ts";

/** Opens the file with every table of the kernel. */
export function openDatabase(options: Omit<OpenOptions, "migrations"> & Partial<Pick<OpenOptions, "migrations">>): Promise<Database> {
  return openWith({ migrations: MIGRATIONS, ...options });
}
