import type { Generated } from "kysely";
import type { Tx } from "@slipway/kernel/record/database/tables";

export interface ProjectTables {
  /** One row for each spec that was planned; the last one is the project at work. */
  projects: {
    number: Generated<number>;
    project_id: string;
    spec_version: string;
    /** Of the plan it was made from. */
    plan_digest: string;
    /** Counts every change: whoever writes names the one it has seen. */
    revision: number;
    updated_at: number;
    /** JSON: what there is to say of the project as a whole, so that nobody need count tasks to say it. */
    summary: string;
    /** Where its spec comes from: the page's path, the page, and the structured spec, by their digests. */
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
    /** JSON: what the task's file is made from. */
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
