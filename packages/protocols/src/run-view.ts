import { z } from "zod";

/** What a node waits for before it goes on. */
const waitSchema = z.strictObject({
  for: z.enum(["person", "feature", "task", "lock", "limit", "slot", "landing"]),
  /** The question's number and kind, the features, tasks or resources; a provider and the time its limit ends. */
  what: z.string(),
});

const linkSchema = z.strictObject({
  what: z.string(),
  /** A file or a command that shows more. */
  to: z.string(),
});

const nodeSchema = z.strictObject({
  /** Unique in the run. */
  id: z.string(),
  parent: z.string().nullable(),
  kind: z.enum(["run", "phase", "feature", "task", "module", "function", "review"]),
  title: z.string(),
  /** A word of the protocol's own table. */
  status: z.string(),
  /** The step under way, in words; null when nothing is. */
  now: z.string().nullable(),
  /** The role at work, and its attempt. */
  role: z.string().nullable(),
  attempt: z.string().nullable(),
  /** When `now` began; milliseconds since 1970. */
  since: z.int().nullable(),
  cost_usd: z.number().nullable(),
  depends_on: z.array(z.string()),
  waits_for: z.array(waitSchema),
  /** Why it stands still or has ended, where there is a reason. */
  reason: z.string().nullable(),
  links: z.array(linkSchema),
});

/** Any run as one tree, whichever protocol it is of: what `slipway status RUN` shows and `--json` prints. */
export const runViewSchema = z.strictObject({
  run: z.string(),
  protocol: z.string(),
  status: z.string(),
  /** Parents before their children; the first is the run itself. */
  nodes: z.array(nodeSchema),
});

export type RunView = z.infer<typeof runViewSchema>;
export type RunNode = z.infer<typeof nodeSchema>;
export type RunWait = z.infer<typeof waitSchema>;

/** A node with nothing to say but its name and status. */
export function plainNode(node: Pick<RunNode, "id" | "parent" | "kind" | "title" | "status"> & Partial<RunNode>): RunNode {
  return {
    now: null,
    role: null,
    attempt: null,
    since: null,
    cost_usd: null,
    depends_on: [],
    waits_for: [],
    reason: null,
    links: [],
    ...node,
  };
}
