import { invoke, type InvocationResult } from "@slipway/agents/invoke";
import type { Pack } from "@slipway/agents/pack";
import type { Provider } from "@slipway/agents/provider";
import type { Role } from "@slipway/agents/role";
import { canonicalJson } from "@slipway/durable/canonical";
import { fromFailure, type Failure } from "@slipway/durable/errors";
import { recordTelemetry } from "@slipway/kernel/evidence/telemetry";
import type { Call } from "@slipway/kernel/features/call";
import type { Kernel } from "@slipway/kernel/kernel";
import type { Operation } from "@slipway/kernel/operations/operation";
import { z } from "zod";

export interface Commission<T> {
  readonly role: string;
  readonly subject: string;
  /** The part of the run that pays for it. */
  readonly runId: string;
  readonly attempt: string;
  readonly pack: Pack;
  readonly instructions: string;
  readonly schema: z.ZodType<T>;
  readonly call: Call;
}

export type Reply<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

/** Where protocols hand out work. It knows who plays which role; protocols do not. */
export interface AgentDesk {
  invoke<T>(commission: Commission<T>, signal?: AbortSignal): Promise<Reply<T>>;
}

export interface DeskOptions {
  readonly kernel: Kernel;
  readonly role: (name: string) => Promise<Role>;
  readonly provider: (
    role: string,
  ) => Promise<{ readonly provider: Provider; readonly model: string | null; readonly configRef?: string | null }>;
  readonly onWarning: (warning: string) => void;
}

const invocationInput = z.strictObject({
  role: z.string(),
  subject: z.string(),
  attempt: z.string(),
  pack: z.string(),
  provider: z.string(),
});

/** An invocation is an operation like any other: once it has ended, it is never paid for again. */
export function openDesk({ kernel, role, provider, onWarning }: DeskOptions): AgentDesk {
  return {
    async invoke<T>(commission: Commission<T>, signal?: AbortSignal): Promise<Reply<T>> {
      const { role: name, subject, runId, attempt, pack, instructions, schema, call } = commission;
      const chosen = await provider(name);
      const operation: Operation<z.infer<typeof invocationInput>, InvocationResult<T>, Reply<T>> = {
        name: "agent.invoke",
        roles: ["orchestrator", "system"],
        input: invocationInput,
        effect: async () => {
          const result = await invoke({
            role: await role(name),
            subject,
            attempt,
            pack,
            instructions,
            schema,
            provider: chosen.provider,
            model: chosen.model,
            configRef: chosen.configRef ?? null,
            clock: kernel.clock,
            onWarning,
            ...(signal === undefined ? {} : { signal }),
          });
          await kernel.records.objects.put(Buffer.from(canonicalJson(result.transcript)));
          // Not an answer but trouble on the way that may pass: thrown, so that it is not recorded as the outcome.
          if (!result.ok && result.failure.details["retryable"] === true) throw fromFailure(result.failure);
          return result;
        },
        commit: async (tx, _input, result, { at, operationId }) => {
          await recordTelemetry(tx, {
            id: operationId,
            run_id: runId,
            feature_id: subject,
            role: name,
            provider: chosen.provider.name,
            model: result.usage.model ?? chosen.model,
            input_tokens: result.usage.input_tokens,
            output_tokens: result.usage.output_tokens,
            cost_usd: result.usage.cost_usd,
            duration_ms: Math.round(result.usage.duration_ms),
            calls: result.usage.calls,
            transcript_digest: result.transcriptDigest,
            at,
          });
          return result.ok ? { ok: true, value: result.output } : { ok: false, failure: result.failure };
        },
        event: ({ role: played, subject: about, attempt: which }) => ({ role: played, subject: about, attempt: which }),
      };
      const input = { role: name, subject, attempt, pack: pack.digest, provider: chosen.provider.name };
      return kernel.door.perform(operation, call.actor, call.operationId, input);
    },
  };
}
