import type { SpecFinding } from "../deficiency.ts";
import { isEmpty, listIn, type Outline, type OutlineNode } from "../outline.ts";
import { epicSchema, pillarSchema, productSpecSchema, storySchema, taskSchema } from "../spec.ts";

/** 1 */
export function pillarsHaveEpics({ pillars }: Outline): SpecFinding[] {
  return pillars.flatMap((pillar) => atLeast(1, pillar, "epics", "epic", "epics"));
}

/** 2 */
export function epicsHaveStoriesAndSuccess({ epics }: Outline): SpecFinding[] {
  return epics.flatMap((epic) => [
    ...atLeast(1, epic, "stories", "story", "stories"),
    ...atLeast(1, epic, "success_criteria", "success criterion", "success criteria"),
  ]);
}

/** 3 */
export function storiesHaveTasks({ stories }: Outline): SpecFinding[] {
  return stories.flatMap((story) => atLeast(1, story, "tasks", "task", "tasks"));
}

/** 4 */
export function tasksHaveSubtasks({ tasks }: Outline): SpecFinding[] {
  return tasks.flatMap((task) => atLeast(2, task, "subtasks", "subtask", "subtasks"));
}

/** 5 */
export function tasksHaveAcceptanceCriteria({ tasks }: Outline): SpecFinding[] {
  return tasks.flatMap((task) => atLeast(2, task, "acceptance_criteria", "acceptance criterion", "acceptance criteria"));
}

/** Empty entries do not count. */
function atLeast(minimum: number, node: OutlineNode, list: string, one: string, many: string): SpecFinding[] {
  const found = listIn(node, list).filter((entry) => !isEmpty(entry)).length;
  if (found >= minimum) return [];
  const has = found === 0 ? `no ${one}` : `only ${found} ${found === 1 ? one : many}`;
  return [{ path: `${node.path}/${list}`, message: `${node.label} has ${has}; at least ${minimum} must be there.` }];
}

/** 10 */
export function requiredFieldsAreThere(outline: Outline): SpecFinding[] {
  return [
    ...emptyIn([outline.spec], Object.keys(productSpecSchema.shape)),
    ...emptyIn(outline.pillars, Object.keys(pillarSchema.shape)),
    ...emptyIn(outline.epics, Object.keys(epicSchema.shape)),
    ...emptyIn(outline.stories, Object.keys(storySchema.shape)),
    ...emptyIn(
      outline.tasks,
      Object.keys(taskSchema.shape).filter((name) => name !== "depends_on"),
    ),
  ];
}

function emptyIn(nodes: readonly OutlineNode[], required: readonly string[]): SpecFinding[] {
  return nodes.flatMap((node) =>
    required.flatMap((name) => {
      const path = `${node.path}/${name}`;
      const value = node.fields[name];
      if (isEmpty(value)) return [{ path, message: `${node.label}: ${name} is ${value === undefined ? "missing" : "empty"}.` }];
      return listIn(node, name).flatMap((entry, index) =>
        isEmpty(entry) ? [{ path: `${path}/${index}`, message: `${node.label}: ${name} has an empty entry.` }] : [],
      );
    }),
  );
}
