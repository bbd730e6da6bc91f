import { z } from "zod";
import { nodeOf, type Counts, type Graph } from "./graph.ts";
import { TASK_STATUSES } from "./state.ts";

const counts = z.record(z.enum(TASK_STATUSES), z.int().min(0));

/** The summary of a project; its size does not depend on the number of tasks. */
export const viewSchema = z.strictObject({
  total: z.int().min(0),
  counts,
  /** No task is left to do. */
  complete: z.boolean(),
  in_progress: z.string().nullable(),
  next: z.string().nullable(),
  halted: z.array(z.strictObject({ task: z.string(), reason: z.string().nullable(), escalation_ref: z.string().nullable() })),
  pillars: z.record(z.string(), counts),
  /** More tasks than a person can follow in passing. */
  large: z.boolean(),
});
export type ProjectView = z.output<typeof viewSchema>;

/** Projects with more tasks are reported as large. */
export const LARGE = 500;
const MOST_HALTED = 20;

export function viewOf(graph: Graph, next: string | null): ProjectView {
  const total = graph.nodes.size;
  return {
    total,
    counts: { ...graph.counts },
    complete: isComplete(graph.counts),
    in_progress: [...graph.inProgress][0] ?? null,
    next,
    halted: [...graph.halted].slice(0, MOST_HALTED).map((task) => {
      const { halted_reason, escalation_ref } = nodeOf(graph, task).task;
      return { task, reason: halted_reason, escalation_ref };
    }),
    pillars: Object.fromEntries([...graph.pillars].map(([name, of]) => [name, { ...of }])),
    large: total > LARGE,
  };
}

export function isComplete(of: Counts): boolean {
  return of.PENDING + of.IN_PROGRESS + of.BLOCKED + of.HALTED === 0;
}

/** The next action of the loop. */
export type LoopDecision =
  | { readonly kind: "start"; readonly task: string }
  /** Started before, by a process that has ended. */
  | { readonly kind: "continue"; readonly task: string }
  | { readonly kind: "halted"; readonly tasks: readonly string[] }
  /** Every remaining task depends on an abandoned one: a person decides. */
  | { readonly kind: "blocked" }
  | { readonly kind: "complete" };

export function decide({ complete, in_progress, next, halted }: ProjectView): LoopDecision {
  if (in_progress !== null) return { kind: "continue", task: in_progress };
  if (halted.length > 0) return { kind: "halted", tasks: halted.map(({ task }) => task) };
  if (next !== null) return { kind: "start", task: next };
  return complete ? { kind: "complete" } : { kind: "blocked" };
}
