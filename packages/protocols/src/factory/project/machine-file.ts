import { join } from "node:path";
import type { Clock } from "@slipway/durable/environment";
import { storePaths } from "../artifacts/layout.ts";
import { nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import { projectedFiles } from "@slipway/kernel/host/files/projection-writer";
import type { Task } from "./state.ts";

export interface MachineHead {
  readonly project_id: string;
  readonly spec_version: string;
  readonly updated_at: number;
}

/** `state_machine.json`, a projection of the rows; edits of it have no effect. */
export interface MachineFile {
  /** The complete text of the file. */
  text(head: MachineHead): string;
  set(id: string, task: Task): void;
  /** `now` always writes; `soon` writes only if that keeps the share of time spent on writing small. */
  write(head: MachineHead, when: "now" | "soon"): Promise<void>;
}

/** With thousands of tasks the file has megabytes: writing may take at most a twentieth of the time. */
const SHARE = 20;

interface MachinePlace {
  readonly stateStore: string;
  readonly clock: Pick<Clock, "monotonic">;
}

export function machineFile({ stateStore, clock }: MachinePlace, tasks: Readonly<Record<string, Task>>): MachineFile {
  const path = join(stateStore, storePaths.stateMachine);
  const files = projectedFiles(nodeFileSystem);
  const rows = new Map(Object.entries(tasks).map(([id, task]) => [id, rowOf(id, task)]));
  let next = 0;

  async function writeNow(head: MachineHead, whole: boolean): Promise<void> {
    const started = clock.monotonic();
    await files.write(path, text(head), { whole });
    const ended = clock.monotonic();
    next = ended + (ended - started) * (SHARE - 1);
  }

  function text({ project_id, spec_version, updated_at }: MachineHead): string {
    const head = { project_id, spec_version, updated_at: new Date(updated_at).toISOString() };
    const fields = Object.entries(head).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`);
    return `{\n${fields.join("")}  "tasks": {\n${[...rows.values()].join(",\n")}\n  }\n}\n`;
  }

  return {
    text,
    set: (id, task) => void rows.set(id, rowOf(id, task)),
    async write(head, when) {
      // Skipped if it is too early: a later change writes it.
      if (when === "now" || clock.monotonic() >= next) await writeNow(head, when === "now");
    },
  };
}

function rowOf(id: string, task: Task): string {
  return `    ${JSON.stringify(id)}: ${JSON.stringify(task)}`;
}
