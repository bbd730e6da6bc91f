import { stringify } from "yaml";

/** tasks.yaml with these statuses in the order of the tasks. */
export function tasksWith(file: { readonly project?: object; readonly tasks: readonly object[] }, ...statuses: readonly string[]): string {
  const tasks = file.tasks.map((task, index) => ({ ...task, status: statuses[index] ?? "not-started" }));
  return stringify({ ...file, tasks }, { lineWidth: 0 });
}

export interface SpecTexts {
  readonly title: string;
  readonly problem: string;
  readonly goal: string;
  readonly nonGoal: string;
  readonly stories: readonly string[];
  readonly functional: readonly string[];
  readonly edgeCases: readonly string[];
  readonly criteria: Readonly<Record<string, string>>;
}

export function leanSpec({ title, goal, criteria }: Pick<SpecTexts, "title" | "goal" | "criteria">): string {
  return sections(title, { Goals: goal, "Acceptance Criteria": listOf(criteria), "Definition of Done": DONE });
}

export function fullSpec({ title, problem, goal, nonGoal, stories, functional, edgeCases, criteria }: SpecTexts): string {
  return sections(title, {
    "Problem Statement": problem,
    Goals: goal,
    "Non-goals": nonGoal,
    "User Stories": bullets(stories),
    "Functional Requirements": bullets(functional),
    "Non-functional Requirements": bullets([
      "performance: linear in the input",
      "security: texts from outside stay texts",
      "usability: errors say what is wrong",
    ]),
    "Edge Cases": `Fewer than 8 apply to functions this small:\n\n${bullets(edgeCases)}`,
    "Acceptance Criteria": listOf(criteria),
    Assumptions: bullets(["Node 24 or later."]),
    "Definition of Done": DONE,
  });
}

const DONE = "Every criterion is met, and the tests pass.";

export function sections(title: string, parts: Readonly<Record<string, string>>): string {
  return `${[`# ${title}`, ...Object.entries(parts).map(([name, body]) => `## ${name}\n\n${body}`)].join("\n\n")}\n`;
}

export const bullets = (entries: readonly string[]) => entries.map((entry) => `- ${entry}`).join("\n");

function listOf(criteria: Readonly<Record<string, string>>): string {
  return bullets(Object.entries(criteria).map(([id, text]) => `${id}: ${text}`));
}

export function acceptance(criteria: Readonly<Record<string, string>>, commands: Readonly<Record<string, string>>): string {
  const all = Object.entries(criteria).map(([id, description]) => ({ id, description, verify: [commands[id] ?? "manual: read it"] }));
  return `${JSON.stringify({ acceptance_criteria: all }, null, 2)}\n`;
}
