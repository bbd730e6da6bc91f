import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { AgentEvent, ProviderRequest } from "../provider.ts";
import { NEVER, refusalOf, REQUEST } from "../testing/samples.ts";
import type { AcpAgent } from "./agents.ts";
import { acpProvider } from "./provider.ts";
import { scriptedAgent } from "./testing/opened.ts";
import type { Act, Script } from "./testing/scripted-agent.ts";
import { plainWorkplace } from "./testing/workplace.ts";

/** One invocation of a scripted agent, with everything observable. */
function scene(
  script: Omit<Script, "marks">,
  changes: Partial<AcpAgent> = {},
  files = { "a.txt": "one\ntwo\nthree\n", "sealed/b.txt": "b" },
) {
  const { agent, noted, reached, survivors } = scriptedAgent(script, changes);
  const workplace = plainWorkplace(files);
  const events: AgentEvent[] = [];
  const request: ProviderRequest = { ...REQUEST, workplace, timeoutMs: 30_000, onEvent: (event) => events.push(event) };
  const provider = acpProvider(agent);
  const invoke = (more: Partial<ProviderRequest> = {}, signal = NEVER) => provider.invoke({ ...request, ...more }, signal);
  const tools = (name: string) => events.flatMap((event) => (event.kind === "tool" && event.name === name ? [event] : []));
  return { provider, invoke, failure: () => refusalOf(invoke), events, tools, noted, reached, survivors, workplace };
}
const acting = (...acts: Act[]) => scene({ acts });
const DONE: Act = { does: "say", text: "done" };

test("the agent gets the role's prompt and the task as one text, in the pack's folder, without MCP servers", async () => {
  const { provider, invoke, noted, workplace } = acting({ does: "say", text: "Looking… " }, { does: "terminal" }, DONE);
  expect(provider).toMatchObject({ name: "acp:scripted", works: "folder" });
  expect(await invoke()).toMatchObject({ text: "done", model: null, warnings: [] });
  expect(JSON.parse(noted("session")[0]!)).toMatchObject({ cwd: workplace.folder, mcpServers: [] });
  expect(JSON.parse(noted("prompt")[0]!)).toBe("You plan.\n\nPlan the greeting.");
});

test("text before its last tool call is not part of the answer, but stays in the transcript", async () => {
  const { invoke, events } = acting(
    { does: "say", text: "I will " },
    { does: "say", text: "look." },
    { does: "read", path: "a.txt" },
    DONE,
  );
  expect((await invoke()).text).toBe("done");
  expect(events.flatMap((event) => (event.kind === "text" ? [event.text] : []))).toEqual(["I will look.", "done"]);
  const closing = acting(DONE, { does: "terminal" });
  expect((await closing.invoke()).text).toBe("done");
});

test("usage comes from the reply, otherwise from the last update", async () => {
  const usage = { totalTokens: 150, inputTokens: 40, outputTokens: 10 };
  const both = acting({ does: "usage", used: 70, cost: 0.1 }, { does: "usage", used: 60, cost: 0.25 }, DONE, {
    does: "stop",
    reason: "end_turn",
    usage,
  });
  expect((await both.invoke()).usage).toEqual({ input_tokens: 140, output_tokens: 10, cost_usd: 0.25 });
  const quota = { token_count: { input_tokens: 5, output_tokens: 6 }, model_usage: [{ model: "small" }] };
  const noted = await acting(DONE, { does: "stop", reason: "end_turn", meta: { quota } }).invoke();
  expect(noted).toMatchObject({ usage: { input_tokens: 5, output_tokens: 6 }, model: "small" });
  const updates = acting({ does: "usage", used: 70, cost: 0 }, DONE);
  expect((await updates.invoke()).usage).toEqual({ input_tokens: 70, output_tokens: 0, cost_usd: 0 });
});

describe("[FOR-020] a role without the tool", () => {
  const refusals = (events: readonly AgentEvent[]) =>
    events.flatMap((event) => (event.kind === "refused" ? [[event.tool, event.path]] : []));

  test("neither reads nor writes through the protocol, and both are refusals", async () => {
    const { invoke, events, workplace } = acting({ does: "read", path: "a.txt" }, { does: "write", path: "a.txt", content: "x" }, DONE);
    await invoke({ tools: ["ls"] });
    expect(workplace.read).toEqual([]);
    expect(readFileSync(join(workplace.folder, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n");
    expect(refusals(events)).toEqual([
      ["fs/read_text_file", "a.txt"],
      ["fs/write_text_file", "a.txt"],
    ]);
  });

  test("gets no permission for it", async () => {
    const { invoke, events, noted } = acting(
      { does: "ask", kind: "edit", path: "a.txt" },
      { does: "ask", kind: "execute", path: null },
      DONE,
    );
    await invoke({ tools: ["read", "run"] });
    expect(noted("outcomes")).toEqual(["no", "yes"]);
    expect(refusals(events)).toMatchObject([[expect.any(String), "a.txt"]]);
  });
});

describe("files", () => {
  test("come from the pack: whole, in part, and not beyond it; reads are logged", async () => {
    const { invoke, tools, noted, workplace } = acting(
      { does: "read", path: "a.txt" },
      { does: "read", path: "a.txt", line: 2, limit: 1 },
      { does: "read", path: "missing.txt" },
      { does: "read", path: "../../../../../../etc/hostname" },
      { does: "write", path: "new/b.txt", content: "new\n" },
      { does: "write", path: "sealed/b.txt", content: "x" },
      DONE,
    );
    await invoke();
    expect(noted("tools").map((line) => (JSON.parse(line) as { status: string }).status)).toEqual([
      "completed",
      "completed",
      "failed",
      "failed",
      "completed",
      "failed",
    ]);
    expect(noted("tools")[1]).toContain('"content":"two"');
    expect(noted("tools")[2]).toContain("Resource not found: ");
    expect(noted("tools")[3]).not.toContain("Resource not found");
    expect(workplace.read).toEqual(["a.txt", "a.txt", "missing.txt"]);
    expect(tools("fs/read_text_file").map(({ ok, output }) => [ok, output])).toEqual([
      [true, "one\ntwo\nthree\n"],
      [true, "two"],
      [false, 'There is no "missing.txt" in the context pack.'],
      [false, expect.stringMatching(/hostname is outside the context pack\.$/)],
    ]);
    expect(tools("fs/write_text_file").map(({ ok, output }) => [ok, output])).toEqual([
      [true, "4 bytes"],
      [false, "sealed/b.txt is sealed."],
    ]);
  });

  test('an agent that cannot handle "not found" is not offered file reads; its writes go through the client', async () => {
    const offered = async (readsItself: boolean) => {
      const { invoke, noted } = scene({ acts: [DONE] }, { readsItself });
      await invoke();
      return JSON.parse(noted("hello")[0]!) as unknown;
    };
    const fs = (readTextFile: boolean) => ({ clientCapabilities: { fs: { readTextFile, writeTextFile: true } } });
    expect(await offered(true)).toMatchObject(fs(false));
    expect(await offered(false)).toMatchObject(fs(true));
  });

  test("there is no terminal", async () => {
    const { invoke, tools, noted } = acting({ does: "terminal" }, DONE);
    await invoke();
    expect(noted("tools")[0]).toMatch(/"failed".*not found/i);
    expect(tools('"terminal/create"')).toMatchObject([{ ok: false }]);
  });
});

describe("permission", () => {
  test("is granted inside the pack, once at a time, and refused otherwise; both are recorded", async () => {
    const { invoke, tools, noted } = acting(
      { does: "ask", kind: "edit", path: "a.txt" },
      { does: "ask", kind: "edit", path: "sealed/b.txt" },
      { does: "ask", kind: "edit", path: "../outside.txt" },
      { does: "ask", kind: "execute", path: null },
      { does: "ask", kind: null, path: null },
      DONE,
    );
    await invoke();
    expect(noted("outcomes")).toEqual(["yes", "no", "no", "no", "no"]);
    expect(tools("permission").map(({ ok, output }) => [ok, output])).toEqual([
      [true, "allowed: write inside the pack"],
      [false, "rejected: sealed/b.txt may not be changed"],
      [false, "rejected: a path outside the context pack"],
      [false, expect.stringMatching(/^rejected: execute is not allowed/)],
      [false, expect.stringMatching(/^rejected: other is not allowed/)],
    ]);
  });

  test("requested endlessly ends the turn", async () => {
    const { failure, survivors } = acting({ does: "ask", kind: "execute", path: null, times: "for ever" });
    const error = await failure();
    expect(error).toMatchObject({ code: "agent_failed", message: expect.stringContaining("asked for permission more than 500 times") });
    await expect.poll(survivors).toEqual([]);
  });
});

describe("unknown messages", () => {
  test("are ignored, and kept in the transcript", async () => {
    const lines = ["Welcome!", '{"not": "a message"}', '{"jsonrpc":"2.0","id":99,"result":{}}', "[1]", "null", ""];
    const { invoke, events } = acting(...lines.map((line): Act => ({ does: "print", line })), DONE);
    const told = vi.spyOn(console, "error");
    expect((await invoke()).text).toBe("done");
    expect(events.flatMap((event) => (event.kind === "raw" ? [event.line] : []))).toEqual(lines.slice(0, -1));
    expect(told).not.toHaveBeenCalled();
  });

  test("an update of a later protocol version is ignored", async () => {
    const update = { jsonrpc: "2.0", method: "session/update", params: { sessionId: "one", update: { sessionUpdate: "dance" } } };
    const { invoke } = acting(
      { does: "print", line: JSON.stringify(update) },
      { does: "print", line: '{"jsonrpc":"2.0","method":"x/y"}' },
      DONE,
    );
    const told = vi.spyOn(console, "error");
    expect((await invoke()).text).toBe("done");
    expect(told).not.toHaveBeenCalled();
  });

  test("an endless line stops it", async () => {
    const { failure, survivors } = acting({ does: "flood", lines: false });
    expect((await failure()).message).toMatch(/sent a line of more than 33554432 bytes and was stopped/);
    await expect.poll(survivors).toEqual([]);
  });
});

describe("being stopped", () => {
  test("sends session/cancel first, and waits for an agent that confirms", async () => {
    const { invoke, noted, reached, survivors } = acting({ does: "hang", child: true });
    const stop = new AbortController();
    const settled = expect(invoke({}, stop.signal)).rejects.toThrow("stop asked for");
    await reached();
    stop.abort(new Error("stop asked for"));
    await settled;
    expect(noted("cancelled")).toHaveLength(1);
    await expect.poll(survivors).toEqual([]);
    await expect(invoke({}, AbortSignal.abort(new Error("earlier")))).rejects.toThrow("earlier");
  });

  test("an agent that does not confirm is killed", async () => {
    const { invoke, reached, survivors } = scene({ acts: [{ does: "hang" }], deafToCancel: true });
    const stop = new AbortController();
    const settled = expect(invoke({}, stop.signal)).rejects.toThrow("stop asked for");
    await reached();
    stop.abort(new Error("stop asked for"));
    await settled;
    await expect.poll(survivors).toEqual([]);
  });

  test("an agent that never initialises times out", async () => {
    const { failure, survivors } = scene({ acts: [], before: "never answer" }, { timeoutMs: 1_200 });
    expect(await failure()).toMatchObject({ code: "agent_failed", message: expect.stringContaining("did not answer within 1.2 seconds") });
    await expect.poll(survivors).toEqual([]);
  });
});
