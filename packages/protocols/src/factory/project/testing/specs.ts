import type { ProductSpec, SpecTask } from "../../product/spec.ts";

const SKETCH = {
  inputs: "a text of at most 100 characters",
  outputs: "a number from 0 to 100",
  error_surfaces: "throws RangeError when the text is too long; throws TypeError when it is no text",
  effects: "pure function, writes nothing",
  modes: "sync, because nothing is waited for",
};

export interface SpecShape {
  readonly pillars: number;
  readonly epics: number;
  readonly stories: number;
  readonly tasks: number;
  /** The earlier tasks, by number, that a task depends on. */
  readonly dependsOn?: (task: number) => readonly number[];
}

export function specTask(number: number, parts: Partial<SpecTask> = {}): SpecTask {
  return {
    task_id: specId(number),
    name: `Task ${number}`,
    description: `Implements part number ${number} of the whole.`,
    subtasks: ["Write the function", "Write its tests"],
    acceptance_criteria: ["Returns a number for every text", "Raises RangeError for a long text"],
    depends_on: [],
    io_contract_sketch: SKETCH,
    ...parts,
  };
}

export function specId(number: number): string {
  return `TSK-${String(number).padStart(3, "0")}`;
}

/** A spec of any size; task 0 comes first. */
export function specOf({ pillars, epics, stories, tasks, dependsOn = () => [] }: SpecShape): ProductSpec {
  let number = 0;
  const some = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));
  return {
    spec_id: "SPEC-001",
    spec_version: "1.0.0",
    title: "A product",
    description: "A product for testing projects of any size.",
    created_at: "2026-01-02T03:04:05Z",
    updated_at: "2026-01-02T03:04:05Z",
    pillars: some(pillars, (pillar) => ({
      pillar_id: `PIL-${String(pillar + 1).padStart(3, "0")}`,
      name: `Pillar ${pillar}`,
      description: "A strategic theme of the product.",
      rationale: "It closes a gap.",
      epics: some(epics, (epic) => ({
        epic_id: `EPC-${String(pillar * epics + epic + 1).padStart(3, "0")}`,
        name: `Epic ${epic}`,
        description: "A major capability of the product.",
        success_criteria: ["Half of the users use it"],
        stories: some(stories, (story) => ({
          story_id: `STR-${String((pillar * epics + epic) * stories + story + 1).padStart(3, "0")}`,
          name: `Story ${story}`,
          description: "A story of the product.",
          user_facing_behavior: "The user sees it.",
          tasks: some(tasks, () => {
            const here = number++;
            return specTask(here, { depends_on: dependsOn(here).map(specId) });
          }),
        })),
      })),
    })),
  };
}

/** Ten thousand tasks, or a hundred: the larger spec repeats the smaller one. Chains of ten, five of them in sequence. */
export function projectOf(tasks: 100 | 10_000): ProductSpec {
  const per = tasks === 100 ? { pillars: 10, epics: 2, stories: 1, tasks: 5 } : { pillars: 10, epics: 20, stories: 10, tasks: 5 };
  return specOf({ ...per, dependsOn: (task) => (task % 10 !== 0 ? [task - 1] : task % 100 >= 50 ? [task - 41] : []) });
}
