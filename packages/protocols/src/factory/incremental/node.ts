import { sha256 } from "@slipway/durable/canonical";
import { z } from "zod";
import type { NamedTask } from "../project/task-names.ts";

/** The parts of the spec that a task's file shows. Dependencies are compared by the tasks they match, not by their ids. */
export const NODE_FIELDS = [
  "name",
  "description",
  "subtasks",
  "acceptance_criteria",
  "io_contract_sketch",
  "story",
  "epic",
  "pillar",
] as const;
export type NodeField = (typeof NODE_FIELDS)[number];

/** A task of the spec when it was planned: one hash per field, stored with the task's row. */
export const nodeSchema = z.strictObject({
  spec_task_id: z.string(),
  hashes: z.record(z.enum(NODE_FIELDS), z.string()),
  depends_on: z.array(z.string()),
});
export type SpecNode = z.output<typeof nodeSchema>;

/** Hash length: enough to tell texts of people apart. */
const KEPT = 16;

/** Hashes the tasks of one spec; shared parts are hashed once. */
export function nodeReader(): (named: Pick<NamedTask, "task" | "story" | "epic" | "pillar">) => SpecNode {
  const shared = new Map<object, string>();
  const part = (of: { readonly name: string; readonly description: string }) => {
    const known = shared.get(of) ?? hashOf([of.name, of.description]);
    shared.set(of, known);
    return known;
  };
  return ({ task, story, epic, pillar }) => {
    const { inputs, outputs, error_surfaces, effects, modes } = task.io_contract_sketch;
    return {
      spec_task_id: task.task_id,
      hashes: {
        name: hashOf([task.name]),
        description: hashOf([task.description]),
        subtasks: hashOf(task.subtasks),
        acceptance_criteria: hashOf(task.acceptance_criteria),
        io_contract_sketch: hashOf([inputs, outputs, error_surfaces, effects, modes]),
        story: part(story),
        epic: part(epic),
        pillar: part(pillar),
      },
      depends_on: [...new Set(task.depends_on ?? [])],
    };
  };
}

/** Whitespace does not count as a change. */
function hashOf(texts: readonly string[]): string {
  const plain = texts.map((text) => text.normalize("NFC").replaceAll(/\s+/g, " ").trim());
  return sha256(JSON.stringify(plain)).slice(0, KEPT);
}
