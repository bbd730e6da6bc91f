import { SlipwayError } from "@slipway/agents/errors";
import type { ProductSpec, SpecEpic, SpecPillar, SpecStory, SpecTask } from "../product/spec.ts";
import { siblingSlugs, slugOf } from "./slug.ts";

const MAX_TASK_ID = 128;
export const MAX_TASKS_PER_STORY = 999;

/** A task of the spec with its position and its id in the project. */
export interface NamedTask {
  readonly task_id: string;
  readonly declaration_order: number;
  readonly slugs: { readonly pillar: string; readonly epic: string; readonly story: string; readonly task: string };
  readonly pillar: SpecPillar;
  readonly epic: SpecEpic;
  readonly story: SpecStory;
  readonly task: SpecTask;
}

/** The first two checks before anything is written: every name has a slug, and every task a unique id. */
export function nameTasks(spec: Pick<ProductSpec, "pillars">): NamedTask[] {
  const named: NamedTask[] = [];
  for (const [pillar, pillarSlug] of slugged("pillar", spec.pillars)) {
    for (const [epic, epicSlug] of slugged("epic", pillar.epics)) {
      for (const [story, storySlug] of slugged("story", epic.stories)) {
        assertFits(story);
        for (const [index, [task, taskSlug]] of slugged("task", story.tasks).entries()) {
          named.push({
            task_id: taskIdOf(`${pillarSlug}-${epicSlug}-${storySlug}`, index + 1, task.name),
            declaration_order: named.length,
            slugs: { pillar: pillarSlug, epic: epicSlug, story: storySlug, task: taskSlug },
            pillar,
            epic,
            story,
            task,
          });
        }
      }
    }
  }
  assertUnique(named);
  return named;
}

export function taskIdOf(prefix: string, sequence: number, name: string): string {
  const id = `T-${prefix}-${String(sequence).padStart(3, "0")}`;
  if (id.length <= MAX_TASK_ID) return id;
  throw specDefect(
    `The id of the task "${shown(name)}" would have ${id.length} characters (${id}); at most ${MAX_TASK_ID} are allowed.`,
    { task: name, id, length: id.length },
    "Shorten the names of its pillar, epic or story.",
  );
}

export function pathOf({ pillar, epic, story, task }: NamedTask["slugs"], taskId: string): string {
  return `project/${pillar}/${epic}/${story}/${task}/${taskId}.md`;
}

function slugged<T extends { readonly name: string }>(level: string, items: readonly T[]): [T, string][] {
  const slugs = items.map((item) => {
    const slug = slugOf(item.name);
    if (slug !== "") return slug;
    throw specDefect(
      `The name of the ${level} "${shown(item.name)}" has no letter or digit for a folder's name.`,
      { level, name: item.name },
      `Give the ${level} a name with letters from a to z or digits.`,
    );
  });
  const unique = siblingSlugs(slugs);
  return items.map((item, index) => [item, unique[index] ?? ""]);
}

function assertFits({ name, tasks }: SpecStory): void {
  if (tasks.length <= MAX_TASKS_PER_STORY) return;
  throw specDefect(
    `The story "${shown(name)}" has ${tasks.length} tasks; at most ${MAX_TASKS_PER_STORY} are allowed.`,
    { story: name, tasks: tasks.length },
    "Split it into smaller stories.",
  );
}

/** Slugs are unique among siblings only: a-b with c, and a with b-c, give the same prefix. */
function assertUnique(named: readonly NamedTask[]): void {
  const seen = new Map<string, NamedTask>();
  for (const here of named) {
    const other = seen.get(here.task_id);
    if (other !== undefined) {
      throw specDefect(
        `The tasks "${shown(other.task.name)}" (${trail(other)}) and "${shown(here.task.name)}" (${trail(here)}) both get the id ${here.task_id}.`,
        { id: here.task_id, tasks: [other.task.name, here.task.name] },
        "Rename a pillar, epic or story of one of them.",
      );
    }
    seen.set(here.task_id, here);
  }
}

function trail({ pillar, epic, story }: NamedTask): string {
  return [pillar.name, epic.name, story.name].map(shown).join(" / ");
}

const MAX_SHOWN = 120;

/** Shortens a name in a message. */
export function shown(name: string): string {
  return name.length <= MAX_SHOWN ? name : `${name.slice(0, MAX_SHOWN).toWellFormed()}…`;
}

/** A defect of a spec, found before anything is written. */
export function specDefect(message: string, details: Record<string, unknown>, action: string): SlipwayError {
  return new SlipwayError("spec_ingest_failed", `${message} Nothing was written.`, { ...details, suggested_next_actions: [action] });
}
