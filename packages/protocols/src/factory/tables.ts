import { migrateOwner } from "@slipway/kernel/record/database/migrate";
import type { Migration, OwnMigrations } from "@slipway/kernel/record/database/migration";
import type { Db, Tx } from "@slipway/kernel/record/database/tables";
import { sql } from "kysely";
import { createArtifacts, createArtifactTexts, type ArtifactTables } from "./artifacts/tables.ts";
import { createCodeIndex, type CodeIndexTables } from "./code-index/tables.ts";
import { createFilesPending, type PendingFilesTables } from "./pending-files/tables.ts";
import { addProjectOrigin, createProjects, type ProjectTables } from "./projects/tables.ts";

declare module "@slipway/kernel/record/database/tables" {
  interface Tables extends ArtifactTables, CodeIndexTables, PendingFilesTables, ProjectTables {}
}

/** Applied in this order. Only append. */
const MIGRATIONS: readonly Migration[] = [
  { name: "code-index", up: createCodeIndex },
  { name: "artifacts", up: createArtifacts },
  { name: "projects", up: createProjects },
  { name: "project-origin", up: addProjectOrigin },
  { name: "artifact-texts", up: createArtifactTexts },
  { name: "files-pending", up: createFilesPending },
  { name: "role-names", up: nameRoles },
];

/** The first five were recorded before migrations had owners. */
export const FACTORY_TABLES: OwnMigrations = {
  owner: "factory",
  migrations: MIGRATIONS,
  former: MIGRATIONS.slice(0, 5).map(({ name }) => name),
};

/** Its roles' calls were stored under bare names, which are those of the default protocol's roles: see `BudgetTables`. */
async function nameRoles(tx: Tx): Promise<void> {
  const roots = sql`SELECT run_id FROM runs WHERE parent_run_id IS NULL AND workflow IN ('factory', 'factory-release', 'factory-late-change')`;
  const parts = sql`SELECT run_id FROM runs WHERE root_run_id IN (${roots})`;
  await sql`UPDATE reservations SET role = 'factory/' || role WHERE root_run_id IN (${roots})`.execute(tx);
  await sql`UPDATE budgets SET name = 'factory/' || name WHERE scope = 'role' AND root_run_id IN (${roots})`.execute(tx);
  await sql`UPDATE telemetry SET role = 'factory/' || role WHERE run_id IN (${parts})`.execute(tx);
}

export function migrateFactory(db: Db, file: string): Promise<void> {
  return migrateOwner(db, file, FACTORY_TABLES);
}
