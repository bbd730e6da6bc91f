import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { AgentEvent, Workplace } from "../provider.ts";
import { NEVER, refusalOf, REQUEST, scratch } from "../testing/samples.ts";
import { CLIENTS } from "./catalog.ts";
import type { ClientName } from "./client.ts";
import { usageIn } from "./usage-log.ts";
import { STEPS } from "./opencode-stream.ts";
import { clientProvider } from "./provider.ts";
import { KEY } from "./testing/played.ts";

/** In the format of the real clients, shortened. */
const CODEX = {
  path: ".codex/sessions/2026/11/16/rollout-2026-11-16T08-38-11-01a1.jsonl",
  entries: [
    { type: "turn_context", payload: { model: "gpt-6.1-sol" } },
    counted(1000, 400, 30),
    counted(1000, 400, 30),
    counted(2100, 1400, 50),
  ],
};
const GEMINI = {
  path: ".gemini/tmp/files/chats/session-2026-11-16T08-38-7820.jsonl",
  entries: [{ type: "user", content: "hi" }, message("a", 1000, 400), message("a", 1000, 400), message("b", 1100, 1000)],
};

function counted(input_tokens: number, cached_input_tokens: number, output_tokens: number) {
  const total_token_usage = { input_tokens, cached_input_tokens, cache_write_input_tokens: 0, output_tokens };
  return { type: "event_msg", payload: { type: "token_count", info: { total_token_usage, last_token_usage: {} } } };
}

function message(id: string, input: number, cached: number) {
  return { id, type: "gemini", content: "", tokens: { input, output: 20, cached, thoughts: 5, tool: 0 }, model: "gemini-3.8-flash" };
}

function write(home: string, { path, entries }: { readonly path: string; readonly entries: readonly object[] }): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), [...entries.map((entry) => JSON.stringify(entry)), '{"type":"gemini","tok'].join("\n"));
}

const of = (name: ClientName) => CLIENTS[name].usageLog ?? expect.fail();

describe("a client's own usage log", () => {
  test("Codex: what each total adds to the one before, and the model that it chose itself", async () => {
    const home = scratch("home");
    write(home, CODEX);
    const requests = [
      { input_tokens: 1000, output_tokens: 30, cached_input_tokens: 400, cost_usd: 0 },
      { input_tokens: 1100, output_tokens: 20, cached_input_tokens: 1000, cost_usd: 0 },
    ];
    expect(await usageIn(home, of("codex"))).toEqual({ requests, model: "gpt-6.1-sol" });
  });

  test("Gemini CLI: every message once, with its model", async () => {
    const home = scratch("home");
    write(home, GEMINI);
    const requests = [
      { input_tokens: 1000, output_tokens: 25, cached_input_tokens: 400, cost_usd: 0 },
      { input_tokens: 1100, output_tokens: 25, cached_input_tokens: 1000, cost_usd: 0 },
    ];
    expect(await usageIn(home, of("gemini"))).toEqual({ requests, model: "gemini-3.8-flash" });
  });

  test("opencode: every step once, as Slipway's plugin writes it", async () => {
    const home = scratch("home");
    const step = (id: string) => ({
      id,
      type: "step-finish",
      tokens: { input: 100, output: 20, reasoning: 5, cache: { read: 400, write: 0 } },
      cost: 0.5,
    });
    write(home, { path: STEPS, entries: [step("a"), step("b"), step("b")] });
    const once = { input_tokens: 500, output_tokens: 25, cached_input_tokens: 400, cost_usd: 0.5 };
    expect(await usageIn(home, of("opencode"))).toEqual({ requests: [once, once], model: null });
  });

  test("is empty if nothing was written or used", async () => {
    const home = scratch("home");
    expect(await usageIn(home, of("codex"))).toBeNull();
    write(home, { ...CODEX, entries: [] });
    expect(await usageIn(home, of("codex"))).toBeNull();
  });

  test("is not read outside its home, also through links", async () => {
    const elsewhere = scratch("elsewhere");
    write(elsewhere, CODEX);
    const [folder, file] = [scratch("home"), scratch("home")];
    mkdirSync(join(folder, ".codex"));
    symlinkSync(join(elsewhere, ".codex/sessions"), join(folder, ".codex/sessions"));
    mkdirSync(join(file, ".codex/sessions"), { recursive: true });
    symlinkSync(join(elsewhere, CODEX.path), join(file, ".codex/sessions/rollout-1.jsonl"));
    expect(await usageIn(folder, of("codex"))).toBeNull();
    expect(await usageIn(file, of("codex"))).toBeNull();
  });
});

test.each([
  ["is counted by request if the stream has no usage", "", [1000, 1100]],
  [
    "is not counted again if the stream has it",
    `${JSON.stringify({ type: "turn.completed", usage: { input_tokens: 7, output_tokens: 1 } })}\n`,
    [7],
  ],
])("the usage of a call without an answer %s", async (_, said, input) => {
  const events: AgentEvent[] = [];
  const workplace: Workplace = {
    folder: "/pack",
    tree: {} as Workplace["tree"],
    run: async ({ home, onStdout }) => {
      write(home, CODEX);
      onStdout(Buffer.from(said));
      return { kind: "timeout", stderr: "", durationMs: 1 };
    },
  };
  const env = { CODEX_API_KEY: KEY };
  const options = { command: ["codex"], programs: [], env, configEnv: null, baseUrl: null, timeoutMs: null, now: () => 0 };
  const provider = clientProvider(CLIENTS.codex, options);
  await refusalOf(() => provider.invoke({ ...REQUEST, workplace, onEvent: (event) => events.push(event) }, NEVER));
  const usages = events.flatMap((event) => (event.kind === "usage" ? [event.usage.input_tokens] : []));
  expect(usages).toEqual(input);
});

test("an answer has the usage of each request from the log, and the model that the stream does not name", async () => {
  const line = (event: object) => Buffer.from(`${JSON.stringify(event)}\n`);
  const workplace: Workplace = {
    folder: "/pack",
    tree: {} as Workplace["tree"],
    run: async ({ home, onStdout }) => {
      write(home, CODEX);
      onStdout(line({ type: "item.completed", item: { type: "agent_message", text: "done" } }));
      onStdout(line({ type: "turn.completed", usage: { input_tokens: 2100, cached_input_tokens: 1400, output_tokens: 50 } }));
      return { kind: "exit", exitCode: 0, stderr: "", durationMs: 1 };
    },
  };
  const env = { CODEX_API_KEY: KEY };
  const options = { command: ["codex"], programs: [], env, configEnv: null, baseUrl: null, timeoutMs: null, now: () => 0 };
  const reply = await clientProvider(CLIENTS.codex, options).invoke({ ...REQUEST, model: null, workplace }, NEVER);
  expect(reply).toMatchObject({ text: "done", model: "gpt-6.1-sol", usage: { input_tokens: 2100 } });
  expect(reply.requests?.map(({ input_tokens }) => input_tokens)).toEqual([1000, 1100]);
});
