import type { ProductSpec, SpecTask } from "../spec.ts";

/** A task that meets all criteria. */
export function sampleTask(number: number, changes: Partial<SpecTask> = {}): SpecTask {
  return {
    task_id: `TSK-${String(number).padStart(3, "0")}`,
    name: `Parse record ${number}`,
    description: "Turns one line of text into a record.",
    subtasks: ["Split the line at its separators", "Check the number of columns"],
    acceptance_criteria: ["returns a record for a valid line", "raises BadLine for a line without separators"],
    io_contract_sketch: {
      inputs: "one line of text, at most 1,000 characters",
      outputs: "a record with a name and an amount",
      error_surfaces: "BadLine when a separator is missing",
      effects: "pure function, writes nothing",
      modes: "sync, because it only computes",
    },
    ...changes,
  };
}

/** One pillar, one epic, one story, and these tasks. */
export function sampleSpec(tasks: readonly SpecTask[] = [sampleTask(1), sampleTask(2, { depends_on: ["TSK-001"] })]): ProductSpec {
  return {
    spec_id: "SPEC-001",
    spec_version: "1.0.0",
    title: "Ledger",
    description: "Reads bank statements and adds them up.",
    created_at: "2026-11-20T09:00:00Z",
    updated_at: "2026-11-20",
    pillars: [
      {
        pillar_id: "PIL-001",
        name: "Reading",
        description: "Everything that comes in from outside.",
        rationale: "Without statements there is nothing to add up.",
        epics: [
          {
            epic_id: "EPC-001",
            name: "Statements",
            description: "Statements of several banks become records.",
            success_criteria: ["a statement of 10,000 lines is read without loss"],
            stories: [
              {
                story_id: "STR-001",
                name: "Import a statement",
                description: "A person imports the file of their bank.",
                user_facing_behavior: "The imported lines are listed with their amounts.",
                tasks: [...tasks],
              },
            ],
          },
        ],
      },
    ],
  };
}

/** The same spec with the value at a JSON pointer replaced; undefined removes it. */
export function changed(spec: unknown, pointer: string, value: unknown): unknown {
  const copy = structuredClone(spec) as never;
  const keys = pointer.split("/").slice(1);
  const last = keys.pop() ?? "";
  const place = keys.reduce<Record<string, never>>((at, key) => at[key] ?? ({} as never), copy);
  if (value === undefined) delete place[last];
  else place[last] = value as never;
  return copy;
}

export const TASK = "/pillars/0/epics/0/stories/0/tasks/0";
