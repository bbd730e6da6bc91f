import type { Engine } from "@slipway/durable/engine";
import type { ProjectHead } from "../projects/projects.ts";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import type { Records } from "@slipway/kernel/record/storage";
import type { Task } from "../project/state.ts";
import type { ProjectView } from "../project/status.ts";
import { openFactoryStores, type FactoryStores } from "../stores.ts";
import type { Surface } from "../../surface/surface.ts";

/** Read access for commands; it drives no run. */
export interface OpenFactory extends FactoryStores {
  readonly records: Records;
  readonly engine: Engine;
  /** The current project; null before its spec is approved. */
  readonly head: ProjectHead<ProjectView> | null;
  readonly tasks: () => Promise<ReadonlyMap<string, Task>>;
  readonly questions: () => Promise<readonly InboxQuestion[]>;
}

export function withFactory<T>(surface: Pick<Surface, "reader">, work: (factory: OpenFactory) => Promise<T>): Promise<T> {
  return surface.reader(async ({ records, engine }) => {
    const stores = openFactoryStores(records);
    const { projects } = stores.projectStore;
    const head = await projects.head();
    return work({
      ...stores,
      records,
      engine,
      head,
      tasks: async () => (head === null ? new Map<string, Task>() : projects.entries(head.project_id)),
      questions: () => records.inbox.listOpen(),
    });
  });
}

export const NO_PROJECT = "No project yet: its spec is not approved. `slipway inbox` shows what waits for you.\n";
