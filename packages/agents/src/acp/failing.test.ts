import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { UsageLog } from "../clients/usage-log.ts";
import { opencodeWaits } from "../clients/opencode-stream.ts";
import type { AgentEvent } from "../provider.ts";
import { NEVER, refusalOf, REQUEST } from "../testing/samples.ts";
import { NOTHING_USED, type ReplyUsage } from "../usage.ts";
import type { AcpAgent } from "./agents.ts";
import { acpProvider } from "./provider.ts";
import { scriptedAgent } from "./testing/opened.ts";
import type { Act, Script } from "./testing/scripted-agent.ts";
import { plainWorkplace } from "./testing/workplace.ts";

function scene(script: Omit<Script, "marks">, changes: Partial<AcpAgent> = {}) {
  const { agent, noted } = scriptedAgent(script, changes);
  const workplace = plainWorkplace({});
  const invoke = (model: string | null = null) => acpProvider(agent).invoke({ ...REQUEST, model, workplace }, NEVER);
  return { invoke, noted, failure: () => refusalOf(invoke) };
}
const DONE: Act = { does: "say", text: "done" };
const failing = (message: string, data?: unknown) => scene({ acts: [{ does: "fail", code: -32603, message, data }] }).failure();

describe("an error of the agent", () => {
  test.each([
    ["rate_limited", "Too many requests", undefined],
    ["rate_limited", "Internal error", { errorKind: "rate_limit" }],
    ["rate_limited", "529 overloaded_error", undefined],
    ["quota_exhausted", "You have hit your usage limit", undefined],
    ["quota_exhausted", "insufficient_quota", undefined],
    ["provider_auth_missing", "401 Unauthorized", undefined],
    ["provider_auth_missing", "You are not logged in", undefined],
    ["context_overflow", "prompt is too long", undefined],
    ["agent_failed", "the moon is in the wrong house", undefined],
  ])("is %s: %s", async (code, message, data) => {
    const error = await failing(message, data);
    expect(error.code).toBe(code);
    expect(error.message).toContain("acp:scripted");
    expect(error.details.suggested_next_actions).not.toEqual([]);
  });

  test("a pause has its end time, if it is known", async () => {
    const before = Date.now();
    const told = (await failing("rate limited, please retry after 90 seconds")).details["wake_at"] as number;
    expect(told).toBeGreaterThanOrEqual(before + 90_000);
    expect(told).toBeLessThanOrEqual(Date.now() + 90_000);
    expect((await failing("rate limit")).details["wake_at"]).toBeGreaterThan(before);
    expect((await failing("quota exceeded")).details["wake_at"]).toBeNull();
  });
});

describe("a turn without an answer", () => {
  test.each([
    [
      "at the token limit",
      [
        { does: "say", text: "half" },
        { does: "stop", reason: "max_tokens" },
      ],
      /ended its turn with "max_tokens"; it said "half"/,
    ],
    ["silent", [{ does: "stop", reason: "end_turn" }], /ended its turn with "end_turn and no text"/],
    ["killed", [{ does: "die" }], /was ended by SIGKILL before it answered/],
    [
      "ended with stderr",
      [{ does: "exit", code: 4, stderr: "no space left" }],
      /exit code 4 before it answered; it wrote to stderr "no space left"/,
    ],
  ] satisfies [string, Act[], RegExp][])("%s is a failure", async (_, acts, message) => {
    expect(await scene({ acts }).failure()).toMatchObject({ code: "agent_failed", message: expect.stringMatching(message) });
  });

  test("its usage until then is reported", async () => {
    const { agent } = scriptedAgent({ acts: [{ does: "usage", used: 70, cost: 0.5 }, { does: "die" }] });
    const events: AgentEvent[] = [];
    const request = { ...REQUEST, workplace: plainWorkplace({}), onEvent: (event: AgentEvent) => events.push(event) };
    await refusalOf(() => acpProvider(agent).invoke(request, NEVER));
    expect(events).toContainEqual({ kind: "usage", usage: { input_tokens: 70, output_tokens: 0, cost_usd: 0.5 }, model: null });
  });

  test("or the usage from the agent's own log", async () => {
    const usageLog: UsageLog = {
      folder: ".",
      file: /^role\.txt$/,
      open: () => {
        const requests: ReplyUsage[] = [];
        return { line: () => requests.push({ ...NOTHING_USED, input_tokens: 9 }), spent: () => ({ requests, model: "m" }) };
      },
    };
    const { agent } = scriptedAgent({ acts: [{ does: "die" }] }, { usageLog });
    const events: AgentEvent[] = [];
    const request = { ...REQUEST, workplace: plainWorkplace({}), onEvent: (event: AgentEvent) => events.push(event) };
    const wrote: AcpAgent = {
      ...agent,
      prepare: async (asked, home) => {
        writeFileSync(join(home, "role.txt"), '{"took":9}\n');
        return agent.prepare(asked, home);
      },
    };
    await refusalOf(() => acpProvider(wrote).invoke(request, NEVER));
    expect(events).toContainEqual({ kind: "usage", usage: { ...NOTHING_USED, input_tokens: 9 }, model: "m" });
  });

  test("contains no secret", async () => {
    const error = await scene({ acts: [{ does: "exit", code: 1, stderr: "the key is hunter2-hunter2" }] }).failure();
    expect(error.message).toContain("the key is [secret]");
    expect(JSON.stringify(error.details)).not.toContain("hunter2");
    expect((await failing("bad key hunter2-hunter2")).message).not.toContain("hunter2");
  });

  test("stderr may contain the reason", async () => {
    const { code } = await scene({ acts: [{ does: "exit", code: 1, stderr: "Error: 401 invalid x-api-key" }] }).failure();
    expect(code).toBe("provider_auth_missing");
  });
});

describe("an error that the agent reports as model text", () => {
  const told = (codex: object): Act => {
    const update = { sessionUpdate: "session_info_update", _meta: { codex } };
    return { does: "print", line: JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "one", update } }) };
  };
  const SYSTEM_ERROR = told({ threadStatus: { type: "systemError" } });

  test("is the agent's failure, and no answer", async () => {
    const error = await scene({ acts: [{ does: "say", text: "stream disconnected" }, SYSTEM_ERROR] }).failure();
    expect(error).toMatchObject({
      code: "agent_failed",
      message: expect.stringContaining('answered with an error: "stream disconnected"'),
    });
    expect((await scene({ acts: [{ does: "say", text: "401 Unauthorized" }, SYSTEM_ERROR] }).failure()).code).toBe("provider_auth_missing");
  });

  test("a limit that the agent would wait for is returned as a pause", async () => {
    const error = await scene({ acts: [told({ error: { message: "429 Too Many Requests" } }), { does: "hang" }] }).failure();
    expect(error).toMatchObject({ code: "rate_limited", details: { wake_at: expect.any(Number) } });
  });

  test("a wait that its plugin reports outside the protocol is returned as a pause", async () => {
    const waiting = (line: object) =>
      scene({ acts: [{ does: "print", line: JSON.stringify(line) }, { does: "hang" }] }, { waits: opencodeWaits }).failure();
    const limited = { type: "slipway_retry", attempt: 1, message: "Rate limit exceeded", next: 1_900_000_000_000 };
    expect(await waiting(limited)).toMatchObject({ code: "rate_limited", details: { wake_at: 1_900_000_000_000 } });
    const quota = { ...limited, message: "You exceeded your current quota" };
    expect(await waiting(quota)).toMatchObject({ code: "quota_exhausted", details: { wake_at: null } });
    const down = { ...limited, message: "Bad gateway", attempt: 3 };
    expect(await waiting(down)).toMatchObject({ code: "provider_unavailable", message: expect.stringContaining("Bad gateway") });
  });

  test("other errors that it retries are left to the agent", async () => {
    const acts = [told({ error: { message: "connection lost" } }), told({ threadStatus: { type: "idle" } }), told({ other: 1 }), DONE];
    expect((await scene({ acts }).invoke()).text).toBe("done");
  });
});

describe("an agent that cannot be used", () => {
  test("ended before a message", async () => {
    expect((await scene({ acts: [], before: "exit" }).failure()).message).toMatch(/ended with exit code 7 before it answered/);
  });
  test("another version", async () => {
    expect((await scene({ acts: [], version: 9 }).failure()).message).toMatch(/speaks version 9 of the protocol; version 1 is needed/);
  });
  test("output that is not the protocol", async () => {
    expect((await scene({ acts: [], before: "nonsense" }).failure()).message).toMatch(
      /answered initialize with something else: protocolVersion: /,
    );
  });
  test("no such program", async () => {
    const error = await scene({ acts: [] }, { command: ["no-such-agent"], install: "npm i -g no-such-agent" }).failure();
    expect(error).toMatchObject({ code: "agent_not_installed", details: { requires_human: true } });
    expect(error.details.suggested_next_actions[0]).toBe("Install it: npm i -g no-such-agent");
    expect(error.message).not.toContain("ENOENT");
  });
  test("no workplace", async () => {
    const { agent } = scriptedAgent({ acts: [] });
    expect((await refusalOf(() => acpProvider(agent).invoke(REQUEST, NEVER))).code).toBe("internal_error");
  });
});

describe("sign-in", () => {
  test("happens if the agent asks for it and a method is known", async () => {
    expect((await scene({ acts: [DONE], signIn: "key" }, { authMethods: ["other", "key"] }).invoke()).text).toBe("done");
  });
  test("otherwise the variables are named", async () => {
    const error = await scene({ acts: [DONE], signIn: "key" }, { keys: ["MY_KEY", "OTHER"] }).failure();
    expect(error.code).toBe("provider_auth_missing");
    expect(error.details.suggested_next_actions[0]).toContain("Set MY_KEY or OTHER in the environment");
  });
});

describe("mode and model", () => {
  test("are set if the agent offers them", async () => {
    const { invoke, noted } = scene({ acts: [DONE], modes: ["default", "write"], models: ["small", "big"] }, { mode: "write" });
    expect((await invoke("big")).warnings).toEqual([]);
    expect(noted("mode")[0]).toContain('"modeId":"write"');
    expect(noted("config")[0]).toContain('"value":"big"');
  });
  test("are not set if they are already selected", async () => {
    const { invoke, noted } = scene({ acts: [DONE], modes: ["default"], models: ["small"] }, { mode: "default" });
    expect((await invoke("small")).warnings).toEqual([]);
    expect([...noted("mode"), ...noted("config")]).toEqual([]);
  });
  test("are a warning if it does not offer them", async () => {
    const { invoke } = scene({ acts: [DONE], modes: ["default"] }, { mode: "write" });
    expect((await invoke("big")).warnings).toEqual([
      "The agent has no mode write; it stays in default.",
      "The agent offers no choice of model; big was not set.",
    ]);
  });
});
