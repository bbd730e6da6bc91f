import { methods, PROTOCOL_VERSION, RequestError, type ClientContext } from "@agentclientprotocol/sdk/unstable";
import { z } from "zod";

export interface AcpConversation {
  readonly cwd: string;
  readonly text: string;
  readonly model: string | null;
  /** The session mode to use, if the agent has it. */
  readonly mode: string | null;
  /** It writes files through the protocol but reads them itself. */
  readonly readsItself: boolean;
  /** Preferred sign-in methods, in order; one that the agent offers is used. */
  readonly authMethods: readonly string[];
  readonly onSession: (sessionId: string) => void;
}

export interface FinishedTurn {
  readonly stopReason: string;
  /** The raw reply, for its usage. */
  readonly reply: unknown;
  readonly warnings: readonly string[];
}

/** A message that violates the protocol. */
export class ProtocolProblem extends Error {
  override readonly name = "ProtocolProblem";
}

const option = z.looseObject({ id: z.string(), category: z.string().nullish(), currentValue: z.unknown(), options: z.unknown() });
const initialized = z.looseObject({ protocolVersion: z.number(), authMethods: z.array(z.looseObject({ id: z.string() })).nullish() });
const session = z.looseObject({
  sessionId: z.string().min(1),
  modes: z.looseObject({ currentModeId: z.string(), availableModes: z.array(z.looseObject({ id: z.string() })) }).nullish(),
  configOptions: z.array(option).nullish(),
});
const prompted = z.looseObject({ stopReason: z.string() });

const AUTH_REQUIRED = -32000;

/** One prompt and its reply. The library does not validate replies, so they are validated here. */
export async function converse(agent: ClientContext, conversation: AcpConversation): Promise<FinishedTurn> {
  const { cwd, text, readsItself, authMethods, onSession } = conversation;
  const hello = checked(
    initialized,
    "initialize",
    await agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: !readsItself, writeTextFile: true }, terminal: false },
      clientInfo: { name: "slipway", version: "1" },
    }),
  );
  if (hello.protocolVersion !== PROTOCOL_VERSION)
    throw new ProtocolProblem(`speaks version ${hello.protocolVersion} of the protocol; version ${PROTOCOL_VERSION} is needed`);
  const offered = (hello.authMethods ?? []).map(({ id }) => id);
  const begun = await begin(
    agent,
    cwd,
    authMethods.find((id) => offered.includes(id)),
  );
  onSession(begun.sessionId);
  const warnings = [...(await setMode(agent, begun, conversation.mode)), ...(await setModel(agent, begun, conversation.model))];
  const reply = await agent.request(methods.agent.session.prompt, { sessionId: begun.sessionId, prompt: [{ type: "text", text }] });
  return { stopReason: checked(prompted, "session/prompt", reply).stopReason, reply, warnings };
}

type Begun = z.output<typeof session>;

/** Some agents require a sign-in request even if the key is in their environment. */
async function begin(agent: ClientContext, cwd: string, methodId: string | undefined): Promise<Begun> {
  const open = async () => checked(session, "session/new", await agent.request(methods.agent.session.new, { cwd, mcpServers: [] }));
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== AUTH_REQUIRED || methodId === undefined) throw error;
    await agent.request(methods.agent.authenticate, { methodId });
    return open();
  }
}

async function setMode(agent: ClientContext, { sessionId, modes }: Begun, modeId: string | null): Promise<string[]> {
  if (modeId === null || modes == null || modes.currentModeId === modeId) return [];
  if (!modes.availableModes.some(({ id }) => id === modeId))
    return [`The agent has no mode ${modeId}; it stays in ${modes.currentModeId}.`];
  await agent.request(methods.agent.session.setMode, { sessionId, modeId });
  return [];
}

async function setModel(agent: ClientContext, { sessionId, configOptions }: Begun, model: string | null): Promise<string[]> {
  if (model === null) return [];
  const choice = configOptions?.find(({ category }) => category === "model");
  if (choice === undefined) return [`The agent offers no choice of model; ${model} was not set.`];
  if (choice.currentValue !== model)
    await agent.request(methods.agent.session.setConfigOption, { sessionId, configId: choice.id, value: model });
  return [];
}

function checked<S extends z.ZodType>(schema: S, method: string, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ProtocolProblem(`answered ${method} with something else: ${issue?.path.join(".") || "the reply"}: ${issue?.message}`);
}
