import type { EscalationDraft } from "../../engineering/halt.ts";
import type { PlanDraft } from "../../engineering/micro-plan.ts";
import { planProject } from "../../project/plan.ts";
import type { StateMachine, Task, TaskStatus } from "../../project/state.ts";
import { specOf } from "../../project/testing/specs.ts";
import type { ResolutionFacts } from "../resolve.ts";
import { CURRENT } from "../../exceptions/testing/samples.ts";

export const AT = "2026-01-02T03:04:05.000Z";

/** Four tasks of one story: the second depends on the first, the third on the second, the fourth on nothing. */
const PLAN = planProject(
  specOf({ pillars: 1, epics: 1, stories: 1, tasks: 4, dependsOn: (task) => (task === 1 || task === 2 ? [task - 1] : []) }),
);
export const IDS = PLAN.tasks.map(({ task_id }) => task_id);
export const idOf = (number: number): string => IDS[number] ?? "";

export function tasksAs(...statuses: readonly TaskStatus[]): Record<string, Task> {
  return Object.fromEntries(
    PLAN.tasks.map(({ task_id, entry }, number) => {
      const status = statuses[number] ?? "PENDING";
      return [
        task_id,
        { ...entry, status, ...(status === "HALTED" ? { halted_reason: "it failed", escalation_ref: "ESC-0a1b2c3d" } : {}) },
      ];
    }),
  );
}

/** The first task has halted, which blocks its dependents. */
export function facts(fields: Partial<ResolutionFacts> = {}): ResolutionFacts {
  const task_id = fields.task_id ?? idOf(0);
  const sheetOf = (id: string) => PLAN.tasks.find((task) => task.task_id === id)?.sheet;
  const sheet = sheetOf(task_id);
  if (sheet === undefined) throw new Error(`no sheet of ${task_id}`);
  return {
    task_id,
    tasks: tasksAs("HALTED", "BLOCKED", "BLOCKED"),
    sheet,
    sheetOf,
    planFacts: { existing: new Set(), successors: new Set(), shipped: new Set(), reuse: {} },
    failed: [
      { module_id: "MM-part", module_version: "1.0.0", files: { "implementation/index.ts": "broken", "examples.md": "# Examples" } },
    ],
    at: AT,
    ...fields,
  };
}

export function machine(tasks: Record<string, Task> = tasksAs("HALTED", "BLOCKED", "BLOCKED")): StateMachine {
  return { project_id: "p-1", spec_version: "1.0.0", updated_at: AT, tasks };
}

export function draft(): EscalationDraft {
  return {
    task_id: idOf(0),
    task_ref: `project/${idOf(0)}.md`,
    debate_trail: { proposals: [], challenges: [], adjudications: [] },
    failed_invariants: [{ invariant: "R2", evidence: "No test for an empty text." }],
    minimal_decision_required: "Approve it unchanged, or fix it?",
    recommended_resolution: "PROVIDE_FIX",
    resolution_context: "The Arbiter rejected it twice.",
  };
}

export function microPlan(): PlanDraft {
  const { module_version: _version, ...contract } = { ...CURRENT, module_id: "MM-part", name: "part" };
  return {
    modules: [
      {
        module_id: "MM-part",
        name: "part",
        purpose: "Turns a text into a number.",
        io_contract: {
          inputs: ["text"],
          outputs: ["number"],
          error_surfaces: ["RangeError"],
          effects: ["writes nothing"],
          modes: ["sync only"],
        },
        error_cases: ["a long text"],
        depends_on: [],
        reuse_candidate_refs: [],
        reuse_decision: "CREATE_NEW",
        reuse_justification: "Nothing of the kind is there.",
      },
    ],
    contracts: [contract],
    reuse_reports: [
      {
        module_id: "MM-part",
        query: "turn a text into a number",
        candidates_considered: [],
        conclusion: "CREATE_NEW",
        justification: "Nothing of the kind is there.",
      },
    ],
  };
}
