import { openBook, type InvocationBook } from "@slipway/agents/invocation-book";
import type { Pack } from "@slipway/agents/pack";
import type { HandAnswer } from "@slipway/agents/manual/contract";
import type { AnswerForm } from "@slipway/agents/output";
import type { Provider, Refusal } from "@slipway/agents/provider";
import type { Role } from "@slipway/agents/role";
import type { NativeTool } from "@slipway/agents/tools/native-tools";
import { raisedTier } from "@slipway/agents/routing/tiers";
import type { Failure } from "@slipway/durable/errors";
import type { Tier } from "@slipway/kernel/config/agent-parts/tiers";
import { noteTranscript } from "@slipway/kernel/budget/telemetry";
import type { HostTraffic } from "@slipway/kernel/host/sandbox/egress";
import type { Call } from "@slipway/kernel/record/operations/call";
import type { Kernel } from "@slipway/kernel/kernel";
import type { Operation } from "@slipway/kernel/record/operations/operation";
import { z } from "zod";
import { firstAvailable, invokeProvider, pauseIn, type ProviderCall, type Invoked } from "./call-provider.ts";
import { cutText } from "../narration/sent-back.ts";
import { recordRefusals } from "./refusals.ts";
import { recordTraffic } from "./traffic.ts";
import { roleKeys, roleName } from "./role-keys.ts";
import type { FolderWork } from "./work-folder.ts";
import type { Workspace } from "./workspace.ts";

/** What every request says. */
export interface AgentQuestion {
  readonly role: string;
  /** Whose role it is, with its keys in agents.yaml and its budget; by default the run's own protocol. */
  readonly protocol?: string;
  readonly subject: string;
  /** The run whose budget pays for it. */
  readonly runId: string;
  readonly attempt: string;
  /** The same across pauses; the call's id by default. An answer that is recorded under it is not paid for again. */
  readonly invocation?: string;
  /** How many tiers to raise the role above its own. */
  readonly escalations?: number;
  /** Where the protocol's own configuration may name another model than the role's: its key there. */
  readonly modelKey?: string | undefined;
  readonly pack: Pack;
  readonly instructions: string;
  /** How the answer is written; default: json. */
  readonly answer?: AnswerForm;
  /** How often an invalid answer is sent back; default: 2. */
  readonly maxRepairs?: number;
  readonly call: Call;
  /** The person's answer since the last call of this invocation ended with `answer_pending`. */
  readonly handAnswer?: HandAnswer | null;
  /** Tools that this request takes away from the role. */
  readonly withoutTools?: readonly NativeTool[];
  /** Receives what the agent tried and was not allowed; also part of the reply. */
  readonly onRefusals?: (refusals: readonly Refusal[]) => void;
}

export interface AgentRequest<T> extends AgentQuestion {
  /** The form of the answer, which is the reply. */
  readonly schema: z.ZodType<T>;
  /** The folder for a provider that works on files; without it, that provider gets none. */
  readonly folder?: () => Promise<FolderWork<T>>;
  /** Takes the place of `schema` and `folder`, see WorkspaceRequest. */
  readonly workspace?: (() => Promise<Workspace<T>>) | undefined;
}

/** The reply is made of the answer and of the files that were changed, whether the provider works in a folder or only answers. */
export interface WorkspaceRequest<T> extends AgentQuestion {
  readonly workspace: () => Promise<Workspace<T>>;
  readonly schema?: undefined;
  readonly folder?: undefined;
}

/** `refusals` is set if the agent tried something that it may not, `sentBack` if answers were invalid: what was wrong with each. */
export type Reply<T> = ({ readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure }) & {
  readonly refusals?: readonly Refusal[];
  readonly sentBack?: readonly string[];
};

/** Calls agents for protocols. Only the dispatcher knows which provider plays which role. */
export interface AgentDispatcher {
  invoke<T>(request: AgentRequest<T> | WorkspaceRequest<T>, signal?: AbortSignal): Promise<Reply<T>>;
}

/** The provider and model that play a role. */
export interface ChosenProvider {
  readonly provider: Provider;
  readonly model: string | null;
  readonly configRef?: string | null;
  /** Used in order if this provider is unavailable. */
  readonly fallbacks?: readonly ChosenProvider[];
}

export interface AskedProvider extends Pick<AgentQuestion, "modelKey"> {
  readonly tier: Tier;
  readonly escalated: boolean;
}

export interface DispatcherOptions {
  readonly kernel: Kernel;
  /** Of the run that is being carried out: roles of different protocols may share a name. */
  readonly protocol: () => string;
  readonly role: (name: string, protocol: string) => Promise<Role>;
  readonly provider: (role: string, asked: AskedProvider, protocol: string) => Promise<ChosenProvider>;
  readonly onWarning: (warning: string) => void;
  /** Records invocations; by default it keeps transcripts only. */
  readonly book?: InvocationBook;
}

const invocationInput = z.strictObject({
  role: z.string(),
  /** Only if it is not the run's own. */
  protocol: z.string().optional(),
  subject: z.string(),
  attempt: z.string(),
  pack: z.string(),
});

/** An invocation is an operation: once it has ended, it is never paid for again. */
export function openDispatcher(options: DispatcherOptions): AgentDispatcher {
  const { kernel, protocol, role, provider, onWarning } = options;
  const { layout, objects } = kernel.records;
  const book = options.book ?? openBook({ layout, objects, clock: kernel.clock, onWarning });
  const unsynced: Promise<void>[] = [];
  return {
    async invoke<T>(request: AgentRequest<T> | WorkspaceRequest<T>, signal?: AbortSignal): Promise<Reply<T>> {
      const { role: name, subject, runId: run_id, attempt, pack, call, invocation: id = call.operationId, escalations = 0 } = request;
      const owner = request.protocol ?? protocol();
      const named = { protocol: owner, role: name };
      const payer = { role: roleName(named), role_keys: [...roleKeys(named)] };
      const refusals: Refusal[] = [];
      const traffic: HostTraffic[] = [];
      const dispatch: ProviderCall = { kernel, book, onWarning, unsynced, payer, refusals, traffic };
      const play = async () => {
        const definition = await role(name, owner);
        const tier = raisedTier(definition.tier, escalations);
        const first = await provider(name, { tier, escalated: tier !== definition.tier, modelKey: request.modelKey }, owner);
        const choices = [first, ...(first.fallbacks ?? [])];
        return firstAvailable(choices, (chosen) => invokeProvider(dispatch, request, definition, chosen, signal), onWarning);
      };
      const told = async () => {
        const work = { role: payer.role, subject, invocation: id, call };
        await recordTraffic(kernel, { ...work, runId: run_id }, traffic);
        await recordRefusals(kernel, work, refusals);
      };
      const operation: Operation<z.infer<typeof invocationInput>, Invoked<T>, Reply<T>> = {
        name: "agent.invoke",
        roles: ["orchestrator", "system"],
        input: invocationInput,
        effect: async () => {
          const played = await play().catch(async (error: unknown) => {
            // The error of the call matters more.
            await told().catch(() => undefined);
            throw error;
          });
          await told();
          return played;
        },
        commit: async (tx, _input, { chosen, transcript: transcript_digest, ...result }, { at }) => {
          const model = result.usage.model ?? chosen.model;
          const who = { role: payer.role, provider: chosen.provider.name, model };
          if (pauseIn(result) === null) await noteTranscript(tx, { id, run_id, feature_id: subject, ...who, at, transcript_digest });
          const reply: Reply<T> = result.ok ? { ok: true, value: result.output } : { ok: false, failure: result.failure };
          const { sentBack } = result;
          return {
            ...reply,
            ...(refusals.length === 0 ? {} : { refusals: [...refusals] }),
            ...(sentBack === undefined ? {} : { sentBack: sentBack.map(cutText) }),
          };
        },
        event: ({ role: who, protocol: whose, subject: about, attempt: which }) => ({
          role: who,
          ...(whose === undefined ? {} : { protocol: whose }),
          subject: about,
          attempt: which,
        }),
      };
      const foreign = request.protocol === undefined || request.protocol === protocol() ? {} : { protocol: request.protocol };
      const input = { role: name, ...foreign, subject, attempt, pack: pack.digest };
      // A relaxed commit is enough: the budget reservation and the paid answer have their own synchronous commits.
      const reply = await kernel.door.relaxed.perform(operation, call.actor, call.operationId, input);
      if (reply.refusals !== undefined) request.onRefusals?.(reply.refusals);
      return reply;
    },
  };
}
