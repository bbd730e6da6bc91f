import type { Engine } from "@slipway/durable/engine";
import type { ProjectHead } from "@slipway/protocols/factory/projects/projects";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import type { Records } from "@slipway/kernel/record/storage";
import type { Task } from "@slipway/protocols/factory/project/state";
import type { ProjectView } from "@slipway/protocols/factory/project/status";
import { openFactoryRooms, type FactoryRooms } from "@slipway/protocols/factory/rooms";
import type { Io } from "./io.ts";
import { withReader } from "@slipway/runtime/reader";

/** What commands look at that show what the factory has done; nothing is carried out. */
export interface FactoryRoom extends FactoryRooms {
  readonly records: Records;
  readonly engine: Engine;
  /** The project at work; null before its spec is approved. */
  readonly head: ProjectHead<ProjectView> | null;
  readonly tasks: () => Promise<ReadonlyMap<string, Task>>;
  readonly questions: () => Promise<readonly InboxQuestion[]>;
}

export function withFactory<T>(io: Io, work: (room: FactoryRoom) => Promise<T>): Promise<T> {
  return withReader(io, async ({ records, engine }) => {
    const rooms = openFactoryRooms(records);
    const { projects } = rooms.room;
    const head = await projects.head();
    return work({
      ...rooms,
      records,
      engine,
      head,
      tasks: async () => (head === null ? new Map<string, Task>() : projects.entries(head.project_id)),
      questions: () => records.inbox.listOpen(),
    });
  });
}

export const NO_PROJECT = "No project yet: its spec is not approved. `slipway inbox` shows what waits for you.\n";
