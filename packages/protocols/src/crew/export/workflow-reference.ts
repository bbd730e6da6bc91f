import { QA_FOCUS } from "../checklists/qa.ts";
import { REVIEWER_CHECKLIST, type ChecklistItem } from "../checklists/reviewer.ts";
import { SECURITY_CHECKLIST } from "../checklists/security.ts";
import { DISPATCHED_ROLES } from "../contract/names.ts";
import { CONTEXT_MATRIX } from "../prompts/context-files.ts";
import { MOVES, MOVE_REASONS, type Move } from "../states/moves.ts";
import { CREW_STATES, MAIN_LINES, type CrewState } from "../states/states.ts";

const STATE_TEXTS: Readonly<Record<CrewState, string>> = {
  INTAKE: "SpecAgent writes specification, criteria and status.",
  INTAKE_LEAN: "SpecAgent does the same in short form, with one task.",
  DESIGN: "Researcher if there is a question, Architect, Designer if there is a new interface.",
  APPROVE_DESIGN:
    "The user approves the design or asks for changes (`UD-APPROVE-DESIGN`). SpecAgent, Architect or Designer correct it; then the user is asked again.",
  PLAN: "Planner writes the tasks.",
  REVIEW_STRATEGY: "The user chooses `per-batch` or `single-final` (`UD-REVIEW-STRATEGY`).",
  IMPLEMENT_LOOP: "Coder, Reviewer, QA and Security work on the tasks.",
  INTEGRATE: "Build and every `cmd:` check run; they must pass.",
  RELEASE: "Docs, then Integrator, finish documents and release files.",
  DONE: "Every criterion is met, every task completed, no decision pending. Final.",
  ASK_USER: "A person has to decide something. The session goes back to where it came from.",
  FIX_REVIEW: "Coder repairs what Reviewer blocked.",
  FIX_TESTS: "Coder repairs what QA blocked, or QA where the test is wrong.",
  FIX_SECURITY: "Coder repairs what Security blocked.",
  FIX_BUILD: "Integrator repairs the build; Coder in lean mode or where Integrator names Coder.",
  BLOCKED: "The session cannot go on. The user resumes it.",
};

/** The workflow of the orchestrator, from the table of moves. */
export function workflowReference(): string {
  return [
    "# Workflow",
    `Full mode: ${MAIN_LINES.full.join(" → ")}.`,
    `Lean mode: ${MAIN_LINES.lean.join(" → ")}.`,
    ["| state | what happens |", "| --- | --- |", ...CREW_STATES.map((state) => `| ${state} | ${STATE_TEXTS[state]} |`)].join("\n"),
    "## Moves\n\nThere are no others.",
    ["| from | to | modes | why |", "| --- | --- | --- | --- |", ...CREW_STATES.flatMap(movesOf)].join("\n"),
    LOOP,
    contextFiles(),
    QUESTIONS,
    "## Checklists\n\nAn item that does not fit the project type is `N/A`; in a mixed project each file decides.",
    checklist("Reviewer", REVIEWER_CHECKLIST),
    checklist("Security", SECURITY_CHECKLIST),
    checklist("QA, by the kind of change", QA_FOCUS),
  ].join("\n\n");
}

function checklist(title: string, items: readonly Pick<ChecklistItem, "id" | "group" | "text">[]): string {
  return [`### ${title}`, items.map(({ id, group, text }) => `- \`${id}\` (${group}): ${text}`).join("\n")].join("\n\n");
}

/** One row for each reason and set of modes. */
function movesOf(from: CrewState): string[] {
  const rows = new Map<string, Move[]>();
  for (const move of MOVES.filter((each) => each.from === from)) {
    const key = `${move.modes.join(", ")} | ${MOVE_REASONS[move.reason]}`;
    rows.set(key, [...(rows.get(key) ?? []), move]);
  }
  return [...rows].map(([key, moves]) => `| ${from} | ${moves.map(({ to }) => to).join(", ")} | ${key} |`);
}

const LOOP = `## Tasks and repairs

- \`per-batch\`, and always in lean mode: each ready task goes Coder, Reviewer, QA if behaviour or criteria are concerned, Security if it is flagged or authentication, input or network code is touched. A task is ready when all it depends on are completed. At the end one Reviewer pass over everything, as \`meta\`.
- \`single-final\`: every task is implemented first; then Reviewer, QA and Security each pass over everything once, as \`meta\`.
- A BLOCKED verdict starts a repair, at most 3 for a task and kind. Then the user chooses: another approach, accept with known issues, simplify the scope, or guidance.
- An invalid or failed dispatch is repeated twice with the same input; then the session is BLOCKED.`;

function contextFiles(): string {
  const rows = DISPATCHED_ROLES.map((role) => {
    const { always, ifPresent } = CONTEXT_MATRIX[role];
    return `| ${role} | ${always.join(", ")} | ${ifPresent.join(", ")} |`;
  });
  const table = ["| agent | required | if present |", "| --- | --- | --- |", ...rows].join("\n");
  return `## Context files\n\n${table}\n\nEach path has the real session folder in front.`;
}

const QUESTIONS = `## Questions

The user is asked when a requirement has several readings with different outcomes, Reviewer passes with notes, a design trade-off has no clear winner, scope grows, Security needs a decision, a repair loop is used up, or Researcher needs information. A decision is \`pending\` on disk before it is asked, then \`answered\`, \`cancelled\` or \`skipped\`. A decision of Security is never cancelled without the user; the two gates are asked up to four times, then the session is BLOCKED.`;
