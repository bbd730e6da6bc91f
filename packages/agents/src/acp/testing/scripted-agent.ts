import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import {
  agent,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type AgentContext,
  type ToolKind,
} from "@agentclientprotocol/sdk/unstable";

/** What the agent does on each prompt, in order. It is a separate process that speaks the real protocol through the same library. */
export type Act =
  | { readonly does: "say"; readonly text: string }
  /** One text for the first answer and one per repair. */
  | { readonly does: "answer"; readonly texts: readonly string[] }
  /** The answer for the role named in the prompt. */
  | { readonly does: "answer as"; readonly roles: Readonly<Record<string, string>> }
  | { readonly does: "read"; readonly path: string; readonly line?: number; readonly limit?: number }
  | { readonly does: "write"; readonly path: string; readonly content: string; readonly role?: string }
  | { readonly does: "ask"; readonly kind: ToolKind | null; readonly path: string | null; readonly times?: number | "for ever" }
  | { readonly does: "terminal" }
  | { readonly does: "usage"; readonly used: number; readonly cost: number }
  | { readonly does: "print"; readonly line: string }
  | { readonly does: "fail"; readonly code: number; readonly message: string; readonly data?: unknown }
  | { readonly does: "exit"; readonly code: number; readonly stderr?: string }
  | { readonly does: "die" }
  | { readonly does: "half a line" }
  | { readonly does: "flood"; readonly lines: boolean }
  | { readonly does: "hang"; readonly child?: boolean }
  | { readonly does: "stop"; readonly reason: "end_turn" | "refusal" | "max_tokens"; readonly usage?: Usage; readonly meta?: object };

interface Usage {
  readonly totalTokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface Script {
  readonly acts: readonly Act[];
  /** Where the test finds marks and process ids. */
  readonly marks?: string;
  readonly version?: number;
  /** session/new is refused until the client has signed in with this method. */
  readonly signIn?: string;
  readonly models?: readonly string[];
  readonly modes?: readonly string[];
  readonly deafToCancel?: boolean;
  readonly before?: "exit" | "never answer" | "nonsense";
}

const script = JSON.parse(process.argv[2] ?? '{"acts":[]}') as Script;
let signedIn = script.signIn === undefined;
let cancelled: () => void = () => undefined;
const cancel = new Promise<void>((resolve) => (cancelled = resolve));

function mark(name: string, text = ""): void {
  if (script.marks === undefined) return;
  mkdirSync(script.marks, { recursive: true });
  appendFileSync(join(script.marks, name), `${text}\n`);
}

mark("pids", String(process.pid));
if (script.before === "exit") process.exit(7);

const heard = (name: string) => (params: unknown) => mark(name, JSON.stringify(params));

const app = agent({ name: "scripted" })
  .onRequest(methods.agent.initialize, ({ params }) => {
    heard("hello")(params);
    if (script.before === "never answer") return new Promise<never>(() => undefined);
    if (script.before === "nonsense") return { hello: true } as never;
    const authMethods = script.signIn === undefined ? [] : [{ id: script.signIn, name: "a key" }];
    return { protocolVersion: script.version ?? PROTOCOL_VERSION, agentCapabilities: {}, authMethods };
  })
  .onRequest(methods.agent.authenticate, ({ params }) => {
    signedIn = params.methodId === script.signIn;
    return {};
  })
  .onRequest(methods.agent.session.new, ({ params }) => {
    heard("session")(params);
    if (!signedIn) throw RequestError.authRequired();
    return { sessionId: "one", ...modes(), ...models() };
  })
  .onRequest(methods.agent.session.setMode, ({ params }) => (heard("mode")(params), {}))
  .onRequest(methods.agent.session.setConfigOption, ({ params }) => (heard("config")(params), { configOptions: [] }))
  .onNotification(methods.agent.session.cancel, () => {
    mark("cancelled");
    if (script.deafToCancel !== true) cancelled();
  })
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const text = params.prompt.map((block) => (block.type === "text" ? block.text : "")).join("");
    heard("prompt")(text);
    return prompted(client, text);
  });

function modes() {
  const [currentModeId, ...others] = script.modes ?? [];
  if (currentModeId === undefined) return {};
  return { modes: { currentModeId, availableModes: [currentModeId, ...others].map((id) => ({ id, name: id })) } };
}

function models() {
  const [currentValue] = script.models ?? [];
  if (currentValue === undefined) return {};
  const options = (script.models ?? []).map((value) => ({ value, name: value }));
  return { configOptions: [{ id: "model", name: "Model", category: "model", type: "select" as const, currentValue, options }] };
}

async function prompted(client: AgentContext, prompt: string) {
  for (const act of script.acts) {
    if (act.does === "stop") {
      const { reason: stopReason, usage, meta } = act;
      return { stopReason, ...(usage === undefined ? {} : { usage }), ...(meta === undefined ? {} : { _meta: { ...meta } }) };
    }
    if (act.does === "hang") {
      if (act.child === true) {
        const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 600000)"], { stdio: "ignore" });
        mark("pids", String(child.pid));
      }
      mark("reached");
      await cancel;
      return { stopReason: "cancelled" as const };
    }
    await perform(act, client, prompt);
  }
  return { stopReason: "end_turn" as const };
}

const update = (client: AgentContext, body: object) =>
  client.notify(methods.client.session.update, { sessionId: "one", update: body } as never);
const say = (client: AgentContext, text: string) =>
  update(client, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } });

let calls = 0;

async function asTool(client: AgentContext, title: string, rawInput: object, work: () => Promise<unknown>): Promise<void> {
  const toolCallId = `call-${++calls}`;
  await update(client, { sessionUpdate: "tool_call", toolCallId, title, kind: "other", status: "in_progress", rawInput });
  const done = await work().then(
    (rawOutput) => ({ status: "completed", rawOutput }),
    (error: unknown) => ({ status: "failed", rawOutput: String(error) }),
  );
  mark("tools", JSON.stringify({ title, ...done }));
  await update(client, { sessionUpdate: "tool_call_update", toolCallId, ...done });
}

async function perform(act: Act, client: AgentContext, prompt: string): Promise<void> {
  const sessionId = "one";
  switch (act.does) {
    case "say":
      return say(client, act.text);
    case "answer":
      return say(client, act.texts[Math.min(prompt.includes("# Repair\n") ? 1 : 0, act.texts.length - 1)] ?? "");
    case "answer as":
      return say(client, act.roles[/^Role: (\S+)$/m.exec(prompt)?.[1] ?? ""] ?? "");
    case "read": {
      const { path, line, limit } = act;
      const range = { ...(line === undefined ? {} : { line }), ...(limit === undefined ? {} : { limit }) };
      return asTool(client, "read", { path }, () =>
        client.request(methods.client.fs.readTextFile, { sessionId, path: inCwd(path), ...range }),
      );
    }
    case "write": {
      const { path, content, role } = act;
      if (role !== undefined && !prompt.includes(`\nRole: ${role}\n`)) return;
      return asTool(client, "write", { path }, () =>
        client.request(methods.client.fs.writeTextFile, { sessionId, path: inCwd(path), content }),
      );
    }
    case "ask":
      for (let time = 0; act.times === "for ever" || time < (act.times ?? 1); time++) await ask(client, act.kind, act.path);
      return;
    case "terminal":
      return asTool(client, "terminal", {}, () => client.request(methods.client.terminal.create, { sessionId, command: "id" }));
    case "usage":
      return update(client, { sessionUpdate: "usage_update", used: act.used, size: 200_000, cost: { amount: act.cost, currency: "USD" } });
    case "print":
      process.stdout.write(`${act.line}\n`);
      return;
    case "fail":
      throw new RequestError(act.code, act.message, act.data);
    case "exit":
      return new Promise(() => process.stderr.write(act.stderr ?? "", () => process.exit(act.code)));
    case "die":
      return new Promise(() => process.kill(process.pid, "SIGKILL"));
    case "half a line":
      return new Promise(() => process.stdout.write('{"jsonrpc":"2.0","id":3,"result":{"stopR', () => process.exit(0)));
    case "flood":
      for (;;) {
        const text = "x".repeat(1024 * 1024);
        if (act.lines) await say(client, text);
        else await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()));
      }
    default:
      throw new Error(`unknown act ${act.does}`);
  }
}

async function ask(client: AgentContext, kind: ToolKind | null, path: string | null): Promise<void> {
  const { outcome } = await client.request(methods.client.session.requestPermission, {
    sessionId: "one",
    toolCall: { toolCallId: `ask-${++calls}`, title: "wish", kind, ...(path === null ? {} : { locations: [{ path: inCwd(path) }] }) },
    options: [
      { optionId: "always", name: "Always", kind: "allow_always" },
      { optionId: "yes", name: "Yes", kind: "allow_once" },
      { optionId: "no", name: "No", kind: "reject_once" },
    ],
  });
  mark("outcomes", outcome.outcome === "selected" ? outcome.optionId : outcome.outcome);
}

function inCwd(path: string): string {
  return join(process.cwd(), path);
}

app.connect(ndJsonStream(Writable.toWeb(process.stdout) as never, Readable.toWeb(process.stdin) as never));
