import { SlipwayError } from "@slipway/agents/errors";
import { z } from "zod";
import type { Call } from "@slipway/kernel/record/operations/call";
import { parseInput } from "@slipway/kernel/record/operations/operation";
import type { Artifacts } from "./artifacts.ts";
import type { ArtifactChange } from "./change.ts";
import { createInput } from "./create.ts";
import { ARTIFACT_TYPES, artifactIdSchema, refOf, type ArtifactType, type ArtifactEnvelope } from "./envelope.ts";
import { ARTIFACT_STATUSES } from "./status.ts";

/** The only operations an agent has on the artifact store. */
export const ARTIFACT_TOOLS = ["create_artifact", "ship_artifact", "query_artifacts", "search_code_index"] as const;
export type ArtifactTool = (typeof ARTIFACT_TOOLS)[number];

/** The grant of one invocation, fixed before it starts. */
export interface AgentContext {
  readonly role: string;
  readonly runId: string;
  readonly contextPackRef: string;
  readonly pillar: string;
  readonly tools: readonly ArtifactTool[];
  /** Kinds of artifacts it may create. */
  readonly creates: readonly ArtifactType[];
  /** References its context pack includes. */
  readonly sees: ReadonlySet<string>;
}

export interface AgentToolsOptions {
  readonly artifacts: Artifacts;
  readonly context: AgentContext;
  readonly call: (tool: ArtifactTool) => Call;
  /** The evidence of the ship step for an artifact. The tool repeats the checks of that step and adds none. */
  readonly shipGround: (artifactId: string) => Promise<Extract<ArtifactChange["ground"], { to: "SHIPPED" }> | null>;
  readonly search: (input: unknown) => Promise<unknown>;
}

/** Inputs as agents send them. The schema of `search_code_index` is in the code index. */
export const artifactToolInputs = {
  create_artifact: createInput.pick({ artifact_type: true, inputs: true, outputs: true, notes: true, body: true }),
  ship_artifact: z.strictObject({ artifact_id: artifactIdSchema }),
  query_artifacts: z.strictObject({
    artifact_type: z.enum(ARTIFACT_TYPES).optional(),
    status: z.enum(ARTIFACT_STATUSES).optional(),
  }),
};

/** Author, run and operation id are set here; input that names them is rejected. */
export function agentTools(options: AgentToolsOptions): (tool: string, input: unknown) => Promise<unknown> {
  const { artifacts, context, call, shipGround, search } = options;
  const { role, runId, contextPackRef, pillar, sees } = context;

  const run: Record<ArtifactTool, (input: unknown) => Promise<unknown>> = {
    async create_artifact(input) {
      const wish = parseInput({ name: "create_artifact", input: artifactToolInputs.create_artifact }, input);
      if (!context.creates.includes(wish.artifact_type)) throw notForRole(`create an artifact of type ${wish.artifact_type}`, context);
      const created_by = { role, run_id: runId };
      const envelope = await artifacts.create(call("create_artifact"), { ...wish, pillar, created_by, context_pack_ref: contextPackRef });
      return { artifact_id: envelope.artifact_id, version: envelope.version };
    },
    async ship_artifact(input) {
      const { artifact_id } = parseInput({ name: "ship_artifact", input: artifactToolInputs.ship_artifact }, input);
      const { envelope } = await artifacts.get(artifact_id);
      const ground = await shipGround(artifact_id);
      if (ground === null) throw tooEarly(envelope);
      const { status } = await artifacts.change(call("ship_artifact"), { artifact_id, ground });
      return { artifact_id, status };
    },
    async query_artifacts(input) {
      const query = parseInput({ name: "query_artifacts", input: artifactToolInputs.query_artifacts }, input);
      const { artifact_type, status } = query;
      const found = await artifacts.query({ ...(artifact_type && { artifact_type }), ...(status && { status }) });
      return found.filter((envelope) => sees.has(refOf(envelope)));
    },
    search_code_index: search,
  };

  return async (tool, input) => {
    const known = context.tools.find((name) => name === tool);
    if (known === undefined) throw notForRole(`use ${tool}`, context);
    return run[known](input);
  };
}

function notForRole(what: string, { role, tools, creates }: AgentContext): SlipwayError {
  return new SlipwayError("forbidden_tool_for_role", `The role "${role}" may not ${what}.`, {
    role,
    tools,
    creates,
    suggested_next_actions: [`Use one of: ${tools.join(", ") || "nothing"}.`],
  });
}

function tooEarly(envelope: ArtifactEnvelope): SlipwayError {
  return new SlipwayError(
    "invalid_status_transition",
    `${refOf(envelope)} cannot ship: it is ${envelope.status}, and there is no ship evidence.`,
    {
      artifact_id: envelope.artifact_id,
      status: envelope.status,
      suggested_next_actions: ["Finish the work; the ship step runs the tests and ships it."],
    },
  );
}
