import type { Generated } from "kysely";
import type { Tx } from "@slipway/kernel/record/database/tables";

export interface ProjectTables {
  /** One row per planned spec; the newest is the current project. */
  projects: {
    number: Generated<number>;
    project_id: string;
    spec_version: string;
    /** Digest of the plan it was made from. */
    plan_digest: string;
    /** Counts changes: a writer names the revision it read. */
    revision: number;
    updated_at: number;
    /** JSON: the summary of the project, so that no reader has to count tasks. */
    summary: string;
    /** The origin of the spec: path and digest of the page, and digest of the structured spec. */
    page: string | null;
    page_digest: string | null;
    spec_digest: string | null;
  };
  project_tasks: {
    project_id: string;
    task_id: string;
    declaration_order: number;
    /** JSON. */
    entry: string;
    /** JSON: the data of the task's file. */
    sheet: string;
  };
}

export async function createProjects(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("projects")
    .addColumn("number", "integer", (column) => column.primaryKey().autoIncrement())
    .addColumn("project_id", "text", (column) => column.notNull().unique())
    .addColumn("spec_version", "text", (column) => column.notNull())
    .addColumn("plan_digest", "text", (column) => column.notNull())
    .addColumn("revision", "bigint", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .addColumn("summary", "text", (column) => column.notNull())
    .execute();
  await tx.schema
    .createTable("project_tasks")
    .addColumn("project_id", "text", (column) => column.notNull())
    .addColumn("task_id", "text", (column) => column.notNull())
    .addColumn("declaration_order", "bigint", (column) => column.notNull())
    .addColumn("entry", "text", (column) => column.notNull())
    .addColumn("sheet", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("project_tasks_key", ["project_id", "task_id"])
    .execute();
}

export async function addProjectOrigin(tx: Tx): Promise<void> {
  for (const name of ["page", "page_digest", "spec_digest"] as const)
    await tx.schema.alterTable("projects").addColumn(name, "text").execute();
}
