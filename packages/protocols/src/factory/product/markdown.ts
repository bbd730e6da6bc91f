import type { ProductSpec, SpecEpic, SpecPillar, SpecStory, SpecTask } from "./spec.ts";

/** The whole spec as Markdown. */
export function specMarkdown(spec: ProductSpec): string {
  const blocks = [
    `# ${line(spec.title)}`,
    `${spec.spec_id}, version ${spec.spec_version}. Created ${spec.created_at}, updated ${spec.updated_at}.`,
    prose(spec.description),
    ...spec.pillars.flatMap(pillarBlocks),
  ];
  return `${blocks.join("\n\n")}\n`;
}

function pillarBlocks(pillar: SpecPillar): string[] {
  return [
    `## Pillar ${pillar.pillar_id}: ${line(pillar.name)}`,
    prose(pillar.description),
    `Why: ${prose(pillar.rationale)}`,
    ...pillar.epics.flatMap(epicBlocks),
  ];
}

function epicBlocks(epic: SpecEpic): string[] {
  return [
    `### Epic ${epic.epic_id}: ${line(epic.name)}`,
    prose(epic.description),
    `Success criteria:\n\n${list(epic.success_criteria)}`,
    ...epic.stories.flatMap(storyBlocks),
  ];
}

function storyBlocks(story: SpecStory): string[] {
  return [
    `#### Story ${story.story_id}: ${line(story.name)}`,
    prose(story.description),
    `What the user sees: ${prose(story.user_facing_behavior)}`,
    ...story.tasks.flatMap(taskBlocks),
  ];
}

function taskBlocks(task: SpecTask): string[] {
  const { depends_on = [], io_contract_sketch: sketch } = task;
  return [
    `##### Task ${task.task_id}: ${line(task.name)}`,
    prose(task.description),
    ...(depends_on.length === 0 ? [] : [`Depends on ${depends_on.join(", ")}.`]),
    `Subtasks:\n\n${list(task.subtasks)}`,
    `Acceptance criteria:\n\n${list(task.acceptance_criteria)}`,
    `Contract sketch:\n\n${list([
      `Inputs: ${sketch.inputs}`,
      `Outputs: ${sketch.outputs}`,
      `Errors: ${sketch.error_surfaces}`,
      `Effects: ${sketch.effects}`,
      `Modes: ${sketch.modes}`,
    ])}`,
  ];
}

export function list(entries: readonly string[]): string {
  return entries.map((entry) => `- ${line(entry)}`).join("\n");
}

/** Joins lines, so that the text stays in its heading or list item. */
export function line(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** Keeps the text, but escapes lines that would read as a heading, rule or fence. */
function prose(text: string): string {
  return text.trim().replaceAll(/^([ \t]{0,3})(?=#|```|~~~|=+[ \t]*$|-+[ \t]*$)/gm, "$1\\");
}
