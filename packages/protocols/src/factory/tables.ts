import { migrateOwner } from "@slipway/kernel/record/database/migrate";
import type { Migration, OwnMigrations } from "@slipway/kernel/record/database/migration";
import type { Db } from "@slipway/kernel/record/database/tables";
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
];

/** The first five were recorded before migrations had owners. */
export const FACTORY_TABLES: OwnMigrations = {
  owner: "factory",
  migrations: MIGRATIONS,
  former: MIGRATIONS.slice(0, 5).map(({ name }) => name),
};

export function migrateFactory(db: Db, file: string): Promise<void> {
  return migrateOwner(db, file, FACTORY_TABLES);
}
