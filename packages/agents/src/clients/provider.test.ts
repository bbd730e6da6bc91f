import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { AgentProcess, AgentProcessEnd } from "../process/contract.ts";
import type { AgentEvent, Workplace } from "../provider.ts";
import { NEVER, refusalOf, REQUEST } from "../testing/samples.ts";
import { VALID } from "../testing/provider-suite-cases.ts";
import { retainedBytes } from "../testing/retained-bytes.ts";
import { CLIENTS } from "./catalog.ts";
import { clientProvider, type ClientOptions } from "./provider.ts";
import { KEY, playing } from "./testing/played.ts";

const OPTIONS: ClientOptions = {
  command: ["claude"],
  programs: [],
  env: { ANTHROPIC_API_KEY: KEY, PATH: "/bin", AWS_SECRET_ACCESS_KEY: "aws" },
  configEnv: null,
  baseUrl: null,
  timeoutMs: 5_000,
  now: () => 1_800_000_000_000,
};

const result = (fields: object) => `${JSON.stringify({ type: "result", subtype: "success", is_error: false, ...fields })}\n`;

/** A workplace whose process prints this and ends like this. */
function ending(stdout: string, end: Partial<AgentProcessEnd> & Pick<AgentProcessEnd, "kind">, seen: AgentProcess[] = []): Workplace {
  return {
    folder: "/pack",
    tree: {} as Workplace["tree"],
    run: async (agent) => {
      seen.push(agent);
      agent.onStdout(Buffer.from(stdout));
      return { stderr: "", durationMs: 1, ...end } as AgentProcessEnd;
    },
  };
}

const ask = (workplace: Workplace | null, options: Partial<ClientOptions> = {}, onEvent?: (event: AgentEvent) => void) =>
  clientProvider(CLIENTS.claude, { ...OPTIONS, ...options }).invoke(
    { ...REQUEST, workplace, ...(onEvent === undefined ? {} : { onEvent }) },
    NEVER,
  );

test("the process gets its own key and a few harmless variables, its own home, and the shorter of two timeouts", async () => {
  const seen: AgentProcess[] = [];
  await ask(ending(result({ result: "{}" }), { kind: "exit", exitCode: 0 }, seen));
  const [agent] = seen;
  expect(agent?.env).toMatchObject({ ANTHROPIC_API_KEY: KEY, PATH: "/bin" });
  expect(JSON.stringify(agent?.env)).not.toContain("aws");
  expect(agent?.timeoutMs).toBe(5_000);
  expect(agent?.hosts).toEqual(["api.anthropic.com:443"]);
  expect(existsSync(agent?.home ?? "/")).toBe(false);
});

describe("the end of the process decides nothing alone", () => {
  test.each<[string, Partial<AgentProcessEnd> & Pick<AgentProcessEnd, "kind">, RegExp]>([
    ["another exit code", { kind: "exit", exitCode: 3 }, /answered and then ended with exit code 3/],
    ["a signal", { kind: "signal", signal: "SIGKILL" }, /answered and then was ended by SIGKILL/],
    ["a timeout", { kind: "timeout" }, /did not end by itself \(timeout\)/],
  ])("a complete answer counts after %s, with a warning", async (_, end, warning) => {
    const reply = await ask(ending(result({ result: "{}" }), end));
    expect(reply).toMatchObject({ text: "{}", warnings: [expect.stringMatching(warning)] });
  });

  test.each<[Partial<AgentProcessEnd> & Pick<AgentProcessEnd, "kind">, string, RegExp]>([
    [{ kind: "exit", exitCode: 0 }, "", /ended without any output/],
    [{ kind: "exit", exitCode: 0 }, '{"type":"assistant"}\n', /ended before its answer was complete/],
    [{ kind: "exit", exitCode: 0 }, result({ result: "" }), /ended before its answer was complete/],
    [{ kind: "exit", exitCode: 2, stderr: "unknown option" }, "", /exit code 2 before it answered\. It wrote to stderr: "unknown option"/],
    [{ kind: "signal", signal: "SIGSEGV" }, "", /was ended by SIGSEGV/],
    [{ kind: "timeout" }, "", /did not answer within 5 seconds/],
    [{ kind: "flood", limitBytes: 10 }, "", /wrote more than 10 bytes/],
    [{ kind: "limit", limit: "memory" }, "", /beyond its limit of memory/],
    [{ kind: "not_started", reason: "could not be started: no such program" }, "", /could not be started/],
  ])("without one, %o is a failure", async (end, stdout, message) => {
    const error = await refusalOf(() => ask(ending(stdout, end)));
    expect(error).toMatchObject({ code: "agent_failed", details: { provider: "claude" } });
    expect(error.message).toMatch(message);
  });
});

test.each([
  ["Error: not logged in, please run /login", "provider_auth_missing"],
  ["Error: credit balance is too low", "quota_exhausted"],
])("a client without an error in its stream has the reason on stderr: %s", async (stderr, code) => {
  expect(await refusalOf(() => ask(ending("", { kind: "exit", exitCode: 1, stderr })))).toMatchObject({ code });
  const spoke = await refusalOf(() => ask(ending('{"type":"system"}\n', { kind: "exit", exitCode: 1, stderr })));
  expect(spoke.code).toBe("agent_failed");
});

test.each([
  [{ terminal_reason: "prompt_too_long" }, "context_overflow"],
  [{ subtype: "error_max_budget_usd" }, "budget_exceeded"],
  [{ is_error: true, result: "The model x does not exist" }, "agent_failed"],
  [{ is_error: true, result: "something odd" }, "agent_failed"],
  [{ is_error: true, api_error_status: 429, result: "" }, "rate_limited"],
])("%o is %s", async (fields, code) => {
  const error = await refusalOf(() => ask(ending(result({ is_error: true, ...fields }), { kind: "exit", exitCode: 1 })));
  expect(error.code).toBe(code);
  expect(error.details.suggested_next_actions.length).toBeGreaterThan(0);
  if (code === "rate_limited") expect(error.details["wake_at"]).toBe(OPTIONS.now() + 60_000);
});

test("the key is in no event, answer or error", async () => {
  const events: AgentEvent[] = [];
  const reply = await ask(ending(result({ result: `the key is ${KEY}` }), { kind: "exit", exitCode: 0 }), {}, (event) =>
    events.push(event),
  );
  expect(reply.text).toBe("the key is [secret]");
  expect(JSON.stringify(events)).not.toContain(KEY);
  const error = await refusalOf(() => ask(ending("", { kind: "exit", exitCode: 1, stderr: `boom ${KEY}` })));
  expect(JSON.stringify([error.message, error.details])).not.toContain(KEY);
});

test("lines that are not JSON and too long lines are skipped, and the latter are reported", async () => {
  const long = `${"x".repeat(33 * 1024 ** 2)}\n`;
  const reply = await ask(ending(`Warning: hello\n[1]\n${long}${result({ result: "{}" })}`, { kind: "exit", exitCode: 0 }));
  expect(reply).toMatchObject({ text: "{}", warnings: [expect.stringContaining("1 overlong lines")] });
});

test("a process that has answered and does not exit is killed", async () => {
  const opened = playing("claude", { slug: "schema-valid-answer", how: "linger", write: null }, { lingerMs: 50 });
  const reply = await opened.provider.invoke({ ...REQUEST, workplace: opened.workplace }, NEVER);
  expect(JSON.parse(reply.text)).toEqual(JSON.parse(VALID));
  expect(reply.warnings).toEqual([expect.stringContaining("had to be stopped")]);
  await expect.poll(opened.survivors).toEqual([]);
  const empty: Workplace = {
    ...ending("", { kind: "exit", exitCode: 0 }),
    run: ({ onStdout, signal }) => (onStdout(Buffer.from(result({ result: "" }))), aborted(signal)),
  };
  expect((await refusalOf(() => ask(empty, { lingerMs: 1 }))).message).toMatch(/finished without an answer/);
});

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
}

test("it does not start without a folder, and errors of the workplace are thrown", async () => {
  expect((await refusalOf(() => ask(null))).code).toBe("internal_error");
  const broken: Workplace = { ...ending("", { kind: "exit", exitCode: 0 }), run: () => Promise.reject(new Error("no sandbox")) };
  await expect(ask(broken)).rejects.toThrow("no sandbox");
});

test("a hundred megabytes of stream are read without being kept", async () => {
  const line = Buffer.from(
    `${JSON.stringify({ type: "assistant", message: { content: [{ type: "text", text: "x".repeat(100_000) }] } })}\n`,
  );
  const loud: Workplace = {
    ...ending("", { kind: "exit", exitCode: 0 }),
    run: async ({ onStdout }) => {
      for (let turn = 0; turn < 1_000; turn++) onStdout(line);
      onStdout(Buffer.from(result({ result: "{}" })));
      return { kind: "exit", exitCode: 0, stderr: "", durationMs: 1 };
    },
  };
  let seen = 0;
  let peak = 0;
  const before = retainedBytes();
  const reply = await ask(loud, {}, () => (peak = ++seen % 200 === 0 ? Math.max(peak, retainedBytes()) : peak));
  expect(reply.text).toBe("{}");
  expect(seen).toBeGreaterThan(2_000);
  expect(peak).toBeGreaterThan(0);
  expect(peak - before).toBeLessThan(40 * 1024 ** 2);
});
