import { SlipwayError } from "@slipway/agents/errors";
import { z } from "zod";
import { preparedQuery, preparedQueryWith } from "@slipway/kernel/record/database/prepared-query";
import type { Db, Tx } from "@slipway/kernel/record/database/tables";
import type { Call } from "@slipway/kernel/record/operations/call";
import type { Door } from "@slipway/kernel/record/operations/door";
import type { Operation } from "@slipway/kernel/record/operations/operation";

/** A stored task of a project; the protocol defines entry and sheet. */
export interface KeptTask<E, S> {
  readonly task_id: string;
  readonly declaration_order: number;
  readonly entry: E;
  readonly sheet: S;
}

const origin = z.strictObject({ page: z.string(), page_digest: z.string(), spec_digest: z.string() });
/** The page of a project and its spec, by digest. */
export type ProjectOrigin = z.output<typeof origin>;

export interface ProjectHead<V> {
  readonly project_id: string;
  readonly spec_version: string;
  readonly plan_digest: string;
  readonly revision: number;
  readonly updated_at: number;
  readonly summary: V;
  readonly origin: ProjectOrigin | null;
}

export interface NewProject<E, S, V> extends Omit<ProjectHead<V>, "revision" | "updated_at" | "origin"> {
  readonly origin?: ProjectOrigin | undefined;
  readonly tasks: readonly KeptTask<E, S>[];
}

/** The rows that one change of state writes, independent of the size of the project. */
export interface ProjectChange<E, S, V> {
  readonly entries: readonly { readonly task_id: string; readonly entry: E }[];
  readonly sheets: readonly { readonly task_id: string; readonly sheet: S }[];
  readonly added: readonly KeptTask<E, S>[];
  readonly summary: V;
}

/** Computes the change from the state at that revision. Runs in the transaction: an error rolls it back. */
export type WorkOut<E, S, V> = (revision: number) => ProjectChange<E, S, V>;

export interface Projects<E, S, V> {
  /** All tasks in one transaction. */
  initialise(call: Call, project: NewProject<E, S, V>): Promise<ProjectHead<V>>;
  /** The wish names the change; a repeated call is computed and applied once. */
  change(call: Call, projectId: string, wish: unknown, workOut: WorkOut<E, S, V>): Promise<ProjectHead<V>>;
  /** The current project; constant cost. */
  head(): Promise<ProjectHead<V> | null>;
  /** The newest project made from this page. */
  latestFrom(page: string): Promise<ProjectHead<V> | null>;
  entries(projectId: string): Promise<Map<string, E>>;
  sheet(projectId: string, taskId: string): Promise<S | null>;
  /** All tasks, in the order of declaration. */
  tasks(projectId: string): Promise<KeptTask<E, S>[]>;
}

// Below SQLite's limit on parameters, and one prepared statement for all full batches.
const BATCH = 500;

const initialiseInput = z.strictObject({
  project_id: z.string().min(1),
  spec_version: z.string(),
  plan_digest: z.string(),
  tasks: z.int().min(1),
  origin: origin.optional(),
});
const changeInput = z.strictObject({ project_id: z.string(), change: z.json() });
type Change = z.output<typeof changeInput>;

export function openProjects<E, S, V>({ db, door }: { readonly db: Db; readonly door: Door }): Projects<E, S, V> {
  return {
    async initialise({ actor, operationId }, project) {
      const { project_id, spec_version, plan_digest, tasks, origin: from } = project;
      const named = { project_id, spec_version, plan_digest, tasks: tasks.length, ...(from === undefined ? {} : { origin: from }) };
      await door.perform(initialiseOperation(project), actor, operationId, named);
      return headOf(db, project_id);
    },
    async change({ actor, operationId }, projectId, change, workOut) {
      await door.perform(changeOperation(workOut), actor, operationId, { project_id: projectId, change });
      return headOf(db, projectId);
    },
    async head() {
      const [row] = await newestId(db);
      return row === undefined ? null : headOf(db, row.project_id);
    },
    async latestFrom(page) {
      const rows = db.selectFrom("projects").select("project_id").where("page", "=", page);
      const row = await rows.orderBy("number", "desc").limit(1).executeTakeFirst();
      return row === undefined ? null : headOf(db, row.project_id);
    },
    async entries(projectId) {
      const rows = await db
        .selectFrom("project_tasks")
        .select(["task_id", "entry"])
        .where("project_id", "=", projectId)
        .orderBy("declaration_order")
        .execute();
      return new Map(rows.map(({ task_id, entry }) => [task_id, JSON.parse(entry) as E]));
    },
    async sheet(projectId, taskId) {
      const [row] = await sheetRow(db, projectId, taskId);
      return row === undefined ? null : (JSON.parse(row.sheet) as S);
    },
    async tasks(projectId) {
      const rows = await db
        .selectFrom("project_tasks")
        .select(["task_id", "declaration_order", "entry", "sheet"])
        .where("project_id", "=", projectId)
        .orderBy("declaration_order")
        .execute();
      return rows.map(({ entry, sheet, ...row }) => ({ ...row, entry: JSON.parse(entry) as E, sheet: JSON.parse(sheet) as S }));
    },
  };
}

/** The tasks are passed beside the input, which contains the digest of their plan, so that the ledger need not hash all of them. */
function initialiseOperation<E, S, V>({
  tasks,
  summary,
}: NewProject<E, S, V>): Operation<z.output<typeof initialiseInput>, undefined, number> {
  return {
    name: "project.initialise",
    roles: ["system", "orchestrator"],
    input: initialiseInput,
    async commit(tx, { project_id, spec_version, plan_digest, origin: from }, _, { at }) {
      const there = await tx.selectFrom("projects").select("plan_digest").where("project_id", "=", project_id).executeTakeFirst();
      if (there !== undefined) throw exists(project_id);
      await tx
        .insertInto("projects")
        .values({ project_id, spec_version, plan_digest, revision: 1, updated_at: at, summary: JSON.stringify(summary), ...from })
        .execute();
      await insertTasks(tx, project_id, tasks);
      return tasks.length;
    },
    event: ({ project_id, plan_digest, tasks: count, origin: from }) => ({ project_id, plan_digest, tasks: count, origin: from ?? null }),
  };
}

function changeOperation<E, S, V>(workOut: WorkOut<E, S, V>): Operation<Change, undefined, string[]> {
  return {
    name: "project.change",
    roles: ["system", "orchestrator", "person"],
    input: changeInput,
    async commit(tx, { project_id }, _, { at }) {
      const [there] = await headRow(tx, project_id);
      if (there === undefined) throw unknown(project_id);
      const { revision } = there;
      const { entries, sheets, added, summary } = workOut(revision);
      await updatedHead(tx, { project_id, revision: revision + 1, updated_at: at, summary: JSON.stringify(summary) });
      for (const { task_id, entry } of entries) assertThere(await updatedEntry(tx, project_id, task_id, JSON.stringify(entry)), task_id);
      for (const { task_id, sheet } of sheets) assertThere(await updatedSheet(tx, project_id, task_id, JSON.stringify(sheet)), task_id);

      function assertThere(rows: readonly unknown[], task: string): void {
        if (rows.length !== 1) throw unknown(`${project_id}/${task}`);
      }
      await insertTasks(tx, project_id, added);
      return [...entries, ...added].map(({ task_id }) => task_id);
    },
    event: ({ project_id, change }, changed) => ({ project_id, change, changed: changed.length }),
  };
}

const newestId = preparedQuery((db) => db.selectFrom("projects").select("project_id").orderBy("number", "desc").limit(1));

const headRow = preparedQuery((db, project_id: string) => db.selectFrom("projects").selectAll().where("project_id", "=", project_id));

const sheetRow = preparedQuery((db, project_id: string, task_id: string) =>
  db.selectFrom("project_tasks").select("sheet").where("project_id", "=", project_id).where("task_id", "=", task_id),
);

interface Moved {
  readonly project_id: string;
  readonly revision: number;
  readonly updated_at: number;
  readonly summary: string;
}

const updatedHead = preparedQueryWith((db, { project_id, ...set }: Moved) =>
  db.updateTable("projects").set(set).where("project_id", "=", project_id),
);

const updatedEntry = preparedQuery((db, project_id: string, task_id: string, entry: string) =>
  taskOf(db, project_id, task_id).set({ entry }).returning("task_id"),
);

const updatedSheet = preparedQuery((db, project_id: string, task_id: string, sheet: string) =>
  taskOf(db, project_id, task_id).set({ sheet }).returning("task_id"),
);

function taskOf(db: Db | Tx, projectId: string, taskId: string) {
  return db.updateTable("project_tasks").where("project_id", "=", projectId).where("task_id", "=", taskId);
}

async function insertTasks(tx: Tx, project_id: string, tasks: readonly KeptTask<unknown, unknown>[]): Promise<void> {
  for (let at = 0; at < tasks.length; at += BATCH) {
    const rows = tasks.slice(at, at + BATCH).map(({ task_id, declaration_order, entry, sheet }) => ({
      project_id,
      task_id,
      declaration_order,
      entry: JSON.stringify(entry),
      sheet: JSON.stringify(sheet),
    }));
    await tx.insertInto("project_tasks").values(rows).execute();
  }
}

async function headOf<V>(db: Db, projectId: string): Promise<ProjectHead<V>> {
  const [row] = await headRow(db, projectId);
  if (row === undefined) throw unknown(projectId);
  const { project_id, spec_version, plan_digest, revision, updated_at, summary, page, page_digest, spec_digest } = row;
  const from = origin.safeParse({ page, page_digest, spec_digest });
  const head = { project_id, spec_version, plan_digest, revision, updated_at, summary: JSON.parse(summary) as V };
  return { ...head, origin: from.success ? from.data : null };
}

function exists(project: string): SlipwayError {
  return new SlipwayError("operation_conflict", `The project ${project} has been initialised already.`, {
    project_id: project,
    suggested_next_actions: ["Resume it (`slipway resume`), or start a new run for another project."],
  });
}

function unknown(name: string): SlipwayError {
  return new SlipwayError("run_not_found", `There is no project or task ${JSON.stringify(name.slice(0, 80))}.`, {
    name: name.slice(0, 80),
    suggested_next_actions: ["Start one with `slipway factory SPEC.md`."],
  });
}
