import { SlipwayError } from "@slipway/agents/errors";
import type { RoleAlias } from "./roles.ts";
import type { TaskType } from "./route.ts";

export interface ContextLimit {
  readonly maxInput: number;
  readonly maxOutput: number;
}

/** In tokens, from the smallest window to the largest. */
export const CONTEXT_LIMITS: Readonly<Record<Exclude<RoleAlias, "fallback_model">, ContextLimit>> = {
  worker_model: { maxInput: 16_000, maxOutput: 4_000 },
  auditor_model: { maxInput: 128_000, maxOutput: 8_000 },
  structurer_model: { maxInput: 200_000, maxOutput: 16_000 },
  architect_model: { maxInput: 200_000, maxOutput: 32_000 },
};

export type LimitedRole = keyof typeof CONTEXT_LIMITS;

/** In the order of removal; the last ones are never removed. */
export const SECTION_PRIORITY = {
  comments: 10,
  examples: 30,
  relatedTypes: 40,
  requiredTypes: 80,
  contracts: 90,
  signature: 100,
  systemPrompt: 100,
} as const;

export type SectionKind = keyof typeof SECTION_PRIORITY;

const TRUNCATED: readonly SectionKind[] = ["comments", "examples", "relatedTypes", "requiredTypes"];

export interface ContextSection {
  readonly kind: SectionKind;
  readonly tokens: number;
}

/** Removes sections until the rest fits; null if it cannot fit. */
export function truncate<S extends ContextSection>(sections: readonly S[], maxInput: number): S[] | null {
  let remaining = [...sections];
  for (const kind of TRUNCATED) {
    if (sumOf(remaining) <= maxInput) return remaining;
    remaining = remaining.filter((section) => section.kind !== kind);
  }
  return sumOf(remaining) <= maxInput ? remaining : null;
}

export type Fit<S extends ContextSection> =
  | { readonly as: "is" | "truncated"; readonly role: LimitedRole; readonly sections: readonly S[] }
  | { readonly as: "upgraded"; readonly role: LimitedRole; readonly sections: readonly S[] }
  /** An audit that fits no model is split into parts. */
  | { readonly as: "chunked"; readonly role: LimitedRole; readonly sections: readonly S[] };

/** Up to this excess sections are removed; above it a larger model is used. */
const WORTH_TRUNCATING = 0.2;

/** How a prompt fits a model: unchanged, truncated, with a larger model among those allowed, in parts, or not at all. */
export function fitContext<S extends ContextSection>(
  taskType: TaskType,
  role: LimitedRole,
  sections: readonly S[],
  allowed: readonly LimitedRole[] = BY_SIZE,
): Fit<S> {
  const total = sumOf(sections);
  const { maxInput } = CONTEXT_LIMITS[role];
  if (total <= maxInput) return { as: "is", role, sections };
  if (total < maxInput * (1 + WORTH_TRUNCATING)) {
    const cut = truncate(sections, maxInput);
    if (cut !== null) return { as: "truncated", role, sections: cut };
  }
  const others = BY_SIZE.filter((other) => allowed.includes(other) && CONTEXT_LIMITS[other].maxInput > maxInput);
  const larger = others.find((other) => CONTEXT_LIMITS[other].maxInput >= total);
  if (larger !== undefined) return { as: "upgraded", role: larger, sections };
  const largest = others.at(-1) ?? role;
  if (taskType === "audit") return { as: "chunked", role: largest, sections };
  throw contextOverflow(total, largest);
}

const BY_SIZE = Object.keys(CONTEXT_LIMITS) as LimitedRole[];

export function contextOverflow(tokens: number, role: LimitedRole): SlipwayError {
  const limit = CONTEXT_LIMITS[role].maxInput;
  return new SlipwayError("context_overflow", `The prompt has ${tokens} tokens; no model takes more than ${limit}.`, {
    tokens,
    limit,
    role,
    suggested_next_actions: ["Make the task smaller: split the specification or the module."],
  });
}

function sumOf(sections: readonly ContextSection[]): number {
  return sections.reduce((sum, { tokens }) => sum + tokens, 0);
}
