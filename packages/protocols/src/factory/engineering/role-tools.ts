import { artifactToolInputs, type AgentContext, type ArtifactTool } from "../artifacts/agent-tools.ts";
import { searchInput } from "../code-index/search.ts";
import { z } from "zod";
import { asToolResult } from "../tool-result.ts";
import type { RoleName } from "./record.ts";
import type { TaskRun } from "./task-run.ts";

type Allowed = Pick<AgentContext, "tools" | "creates">;

/** The artifact tools of each role. Judging roles have none: their context pack contains everything they judge by. */
const ALLOWED: Readonly<Record<RoleName, Allowed>> = {
  planner: { tools: ["search_code_index", "query_artifacts"], creates: [] },
  proposer: {
    tools: ["search_code_index", "query_artifacts", "create_artifact", "ship_artifact"],
    creates: ["IMPLEMENTATION", "EXAMPLES"],
  },
  challenger: { tools: [], creates: [] },
  arbiter: { tools: [], creates: [] },
};

/** How often a role may call tools before it must answer. */
export const TOOL_ROUNDS = 4;
const MAX_CALLS = 8;

const inputs = { ...artifactToolInputs, search_code_index: searchInput } satisfies Record<ArtifactTool, z.ZodObject>;

/** Accepts any call: the tool itself reports what is wrong with it. */
const called = z.strictObject({
  calls: z
    .array(z.looseObject({ tool: z.string() }))
    .min(1)
    .max(MAX_CALLS),
});
type Called = z.output<typeof called>;

/** A schema of the answer or of tool calls; null if the role has no tools. */
export function orCalls<T>(role: RoleName, answer: z.ZodType<T>): z.ZodType<T | Called> | null {
  const { tools } = ALLOWED[role];
  if (tools.length === 0) return null;
  const known = forms[role].get(answer) ?? withCalls(tools, answer);
  forms[role].set(answer, known);
  return known as z.ZodType<T | Called>;
}

type Forms = WeakMap<z.ZodType, z.ZodType>;

/** Cached: there are few schemas, and every invocation needs one. */
const forms: Readonly<Record<RoleName, Forms>> = {
  planner: new WeakMap(),
  proposer: new WeakMap(),
  challenger: new WeakMap(),
  arbiter: new WeakMap(),
};

function withCalls(tools: Allowed["tools"], answer: z.ZodType): z.ZodType {
  const each = tools.map((tool) => inputs[tool].extend({ tool: z.literal(tool) }));
  const { $schema: _, ...shown } = z.toJSONSchema(z.strictObject({ calls: z.array(z.union(each)).min(1).max(MAX_CALLS) }), {
    io: "input",
    unrepresentable: "any",
  });
  const description = `Instead of an answer, at most ${TOOL_ROUNDS} times: tools to be used first. What they gave comes under \`what your tools gave\`.`;
  return z.union([answer, called.meta({ ...shown, description })]);
}

export function callsIn(role: RoleName, value: unknown): Called["calls"] | null {
  if (ALLOWED[role].tools.length === 0) return null;
  const checked = called.safeParse(value);
  return checked.success ? checked.data.calls : null;
}

export interface ToolUse {
  readonly call: Called["calls"][number];
  readonly result: unknown;
}

interface ToolUser {
  readonly role: RoleName;
  readonly runId: string;
  readonly contextPackRef: string;
  /** What its context pack includes. */
  readonly sees: readonly string[];
}

/** Runs the calls in order, each as a step. The identity and grant come from the harness, not from the call. */
export async function useTools(
  { ctx, services, task, call: callOf }: TaskRun,
  step: string,
  { role, runId, contextPackRef, sees }: ToolUser,
  calls: Called["calls"],
): Promise<ToolUse[]> {
  const context: AgentContext = { role, runId, contextPackRef, pillar: task.pillar, sees: new Set(sees), ...ALLOWED[role] };
  const used: ToolUse[] = [];
  for (const [index, call] of calls.entries()) {
    const name = `${step}:tool:${index + 1}`;
    const { tool, ...input } = call;
    const result = await ctx.step(name, (signal) => asToolResult(signal, () => services.artifactTools(context, callOf(name))(tool, input)));
    used.push({ call, result });
  }
  return used;
}
