import { z } from "zod";
import { nodeOf, type Counts, type Graph } from "./graph.ts";
import { TASK_STATUSES } from "./state.ts";

const counts = z.record(z.enum(TASK_STATUSES), z.int().min(0));

/** What there is to say of a project as a whole. Its size does not grow with the number of tasks. */
export const viewSchema = z.strictObject({
  total: z.int().min(0),
  counts,
  /** Nothing is left to do. */
  complete: z.boolean(),
  in_progress: z.string().nullable(),
  next: z.string().nullable(),
  halted: z.array(z.strictObject({ task: z.string(), reason: z.string().nullable(), escalation_ref: z.string().nullable() })),
  pillars: z.record(z.string(), counts),
  /** More tasks than one looks after by the way. */
  large: z.boolean(),
});
export type ProjectView = z.output<typeof viewSchema>;

/** A project with more tasks is reported, for somebody to keep an eye on. */
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

/** Every task is SHIPPED or ABANDONED. */
export function isComplete(of: Counts): boolean {
  return of.PENDING + of.IN_PROGRESS + of.BLOCKED + of.HALTED === 0;
}

/** What the loop does now. */
export type Decision =
  | { readonly kind: "start"; readonly task: string }
  /** It was started before, by a process that is gone. */
  | { readonly kind: "continue"; readonly task: string }
  | { readonly kind: "halted"; readonly tasks: readonly string[] }
  /** Whatever is left depends on something that was given up: a person decides about it. */
  | { readonly kind: "blocked" }
  | { readonly kind: "complete" };

export function decide({ complete, in_progress, next, halted }: ProjectView): Decision {
  if (in_progress !== null) return { kind: "continue", task: in_progress };
  if (halted.length > 0) return { kind: "halted", tasks: halted.map(({ task }) => task) };
  if (next !== null) return { kind: "start", task: next };
  return complete ? { kind: "complete" } : { kind: "blocked" };
}
