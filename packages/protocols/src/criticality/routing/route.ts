import { z } from "zod";
import type { RoleAlias } from "./roles.ts";

export const TASK_TYPES = ["implement", "audit", "transform", "synthesize", "structure"] as const;
export type TaskType = (typeof TASK_TYPES)[number];

const count = z.int().min(0);

/** The complete input of routing. */
export const signalsSchema = z.strictObject({
  estimatedInputTokens: count,
  estimatedOutputTokens: count,
  taskType: z.enum(TASK_TYPES),
  signatureComplexity: z.number().min(0),
  dependencyCount: count,
  contractCount: count,
  priorEscalations: count,
  moduleEscalationRate: z.number().min(0).max(1),
});

export type RoutingSignals = z.output<typeof signalsSchema>;

const BASE_ROLE: Readonly<Record<TaskType, RoleAlias>> = {
  implement: "worker_model",
  audit: "auditor_model",
  transform: "worker_model",
  synthesize: "architect_model",
  structure: "structurer_model",
};

export interface ModelRoute {
  readonly role: RoleAlias;
  /** Why another role was chosen in advance; does not count as an escalation. */
  readonly preempted: string | null;
}

interface Rule {
  readonly when: (signals: RoutingSignals) => boolean;
  readonly to: RoleAlias;
  readonly reason: string;
}

const MAX_WORKER_INPUT = 12_000;
const MAX_WORKER_COMPLEXITY = 5;

/** The first match applies. Only the worker is replaced in advance. */
const PREEMPTION: readonly Rule[] = [
  {
    when: ({ estimatedInputTokens }) => estimatedInputTokens > MAX_WORKER_INPUT,
    to: "structurer_model",
    reason: `more than ${MAX_WORKER_INPUT} tokens of input`,
  },
  {
    when: ({ signatureComplexity }) => signatureComplexity > MAX_WORKER_COMPLEXITY,
    to: "structurer_model",
    reason: `a signature more complex than ${MAX_WORKER_COMPLEXITY}`,
  },
];

/** Chooses the role of a task by a table and two rules, without a model. */
export function route(signals: RoutingSignals): ModelRoute {
  const base = BASE_ROLE[signals.taskType];
  const rule = base === "worker_model" ? PREEMPTION.find(({ when }) => when(signals)) : undefined;
  return rule === undefined ? { role: base, preempted: null } : { role: rule.to, preempted: rule.reason };
}

/** Properties of a signature that make it hard to implement. */
export interface SignatureShape {
  readonly genericParams: number;
  readonly unionMembers: number;
  readonly lifetimeParams: number;
  readonly nestedTypeDepth: number;
  readonly paramCount: number;
}

export function signatureComplexity(shape: SignatureShape): number {
  const { genericParams, unionMembers, lifetimeParams, nestedTypeDepth, paramCount } = shape;
  return genericParams * 2 + unionMembers + lifetimeParams * 2 + nestedTypeDepth + paramCount * 0.5;
}
