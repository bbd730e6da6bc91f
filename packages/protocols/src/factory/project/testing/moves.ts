import fc from "fast-check";
import type { TaskChange } from "../changes.ts";
import type { Task, TaskStatus } from "../state.ts";
import { closure, type Model } from "./model.ts";

export const AT = "2026-01-02T03:04:05Z";
const REFS = ["MM-a@1.0.0", "MM-b@1.0.0"];
const RESOLVED = { halted_reason: null, escalation_ref: null };

/** An attempted change: applied, with its effect on the model, or refused without effect. */
export type Wish =
  { readonly change: TaskChange; readonly effect: (model: Model) => void } | { readonly change: TaskChange; readonly refused: true };

/** The tasks that replace a split one. */
export type Splitting = (task: string, model: Model) => Extract<TaskChange, { kind: "split" }>["into"];

export interface Move {
  readonly name: string;
  readonly from: TaskStatus;
  readonly wish: (task: string, model: Model, other: string, split: Splitting) => Wish | null;
}

const sets = (change: TaskChange, parts: Partial<Task>): Wish => ({ change, effect: (model) => model.set(change.task, parts) });

/** Every change that dispatch, the engineering loop and people can attempt, allowed or not. */
export const MOVES: readonly Move[] = [
  {
    name: "dispatch",
    from: "PENDING",
    wish(_task, model) {
      const task = model.next();
      return task === null ? null : sets({ kind: "dispatch", task }, { status: "IN_PROGRESS" });
    },
  },
  {
    name: "dispatchAnother",
    from: "PENDING",
    wish: (task, model) => (task === model.next() ? null : { change: { kind: "dispatch", task }, refused: true }),
  },
  {
    name: "ship",
    from: "IN_PROGRESS",
    wish: (task) =>
      sets(
        { kind: "ship", task, module_refs: REFS, at: AT },
        { status: "SHIPPED", module_ref: REFS[1]!, module_refs: REFS, shipped_at: AT },
      ),
  },
  {
    name: "shipAgain",
    from: "SHIPPED",
    wish: (task) => ({ change: { kind: "ship", task, module_refs: REFS, at: AT }, refused: true }),
  },
  {
    name: "halt",
    from: "IN_PROGRESS",
    wish: (task) =>
      sets({ kind: "halt", task, reason: "r", escalation_ref: "ESC-1" }, { status: "HALTED", halted_reason: "r", escalation_ref: "ESC-1" }),
  },
  {
    name: "requeue",
    from: "HALTED",
    wish: (task) => sets({ kind: "requeue", task, by: "AMEND_SPEC" }, { status: "PENDING", ...RESOLVED }),
  },
  {
    name: "resume",
    from: "HALTED",
    wish: (task) => sets({ kind: "resume", task, by: "PROVIDE_FIX" }, { status: "IN_PROGRESS", ...RESOLVED }),
  },
  {
    name: "abandon",
    from: "HALTED",
    wish: (task) => sets({ kind: "abandon", task, by: "ABANDON_TASK", rationale: "r" }, { status: "ABANDONED" }),
  },
  {
    name: "attest",
    from: "HALTED",
    wish: (task) =>
      sets(
        { kind: "attest", task, rationale: "r", escalation_ref: "ESC-1", module_refs: [], at: AT },
        { status: "SHIPPED", module_ref: null, module_refs: [], shipped_at: AT, halted_reason: null },
      ),
  },
  {
    name: "abandonBlocked",
    from: "BLOCKED",
    wish(task, model) {
      const change: TaskChange = { kind: "abandon", task, by: "ABANDON_TASK", rationale: "r" };
      const may = [...closure(model.tasks, task)].some((id) => model.tasks[id]!.status === "ABANDONED");
      return may ? sets(change, { status: "ABANDONED" }) : { change, refused: true };
    },
  },
  {
    name: "split",
    from: "HALTED",
    wish(task, model, _other, split) {
      const into = split(task, model);
      return {
        change: { kind: "split", task, into },
        effect(after) {
          for (const { task_id, entry } of into) after.tasks[task_id] = entry;
          after.set(task, { status: "ABANDONED", superseded_by: into.map(({ task_id }) => task_id) });
        },
      };
    },
  },
  {
    name: "rewire",
    from: "BLOCKED",
    wish(task, model, onto) {
      const change: TaskChange = { kind: "rewire", task, depends_on: [onto] };
      const refused = onto === task || closure(model.tasks, onto).has(task) || model.tasks[onto]!.status === "ABANDONED";
      return refused ? { change, refused: true } : sets(change, { depends_on: [onto] });
    },
  },
];

export function wishOf({ from, wish }: Move, at: number, other: number, model: Model, split: Splitting): Wish | null {
  const among = model.with(from);
  const all = Object.keys(model.tasks);
  return wish(among[at % among.length] ?? "", model, all[other % all.length] ?? "", split);
}

export const seed = fc.nat({ max: 50 });
