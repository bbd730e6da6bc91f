import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import type { AgentEvent, ProviderRequest, Refusal, Workplace } from "../provider.ts";
import { byTurn, lastResults, type Script } from "../testing/model-server/script.ts";
import { startModelServer, type ModelServer } from "../testing/model-server/server.ts";
import { packWorkplace } from "../testing/pack-workplace.ts";
import { NEVER, REQUEST } from "../testing/samples.ts";
import { apiProvider } from "./provider.ts";
import { endpointAt, KEY, WIRES } from "./testing/endpoints.ts";

let server: ModelServer;
afterEach(() => server.close());

const schema = z.toJSONSchema(z.strictObject({ verdict: z.enum(["yes", "no"]) }));
const ANSWER = { output: { verdict: "yes" } };
const READER = ["read", "ls"] as const;

/** One conversation: its events, what the model was told, and what it was offered. */
async function talk(script: Script, request: Partial<ProviderRequest>, wire = WIRES[0]!.wire) {
  const told: (readonly string[])[] = [];
  server = await startModelServer((asked) => {
    told.push(lastResults(asked));
    return script(asked);
  });
  const { endpoint, model } = endpointAt(server, wire);
  const provider = apiProvider({ endpoints: [endpoint], env: { SCRIPTED_KEY: KEY }, priceOf: () => 0 });
  const events: AgentEvent[] = [];
  const reply = await provider.invoke({ ...REQUEST, model, schema, onEvent: (event) => events.push(event), ...request }, NEVER);
  const refusals = events.flatMap((event): Refusal[] =>
    event.kind === "refused" ? [{ tool: event.tool, path: event.path, reason: event.reason }] : [],
  );
  const offered = server.requests[0]?.tools.map(({ name }) => name).filter((name) => name !== "json") ?? [];
  return { reply, events, refusals, told, offered };
}

async function place(): Promise<Workplace> {
  const rules = [
    { path: ".", level: "FULL", permission: "read", reason: "all" },
    { path: "src", level: "FULL", permission: "write", reason: "the work" },
    { path: "hidden", level: null, sealed: false, reason: "not for it" },
  ] as const;
  return (await packWorkplace({ "a.txt": "a\n", "src/b.txt": "b\n", "hidden/c.txt": "c\n" }, rules)).workplace;
}

describe.each(WIRES)("[FOR-020][CRW-010] in the $wire format", ({ wire }) => {
  test("a role is offered its tools only, and a call of another one has no effect but a refusal", async () => {
    const workplace = await place();
    const script = byTurn({ toolCalls: [{ name: "write_file", input: { path: "src/x.txt", content: "x" } }] }, ANSWER);
    const { reply, refusals, told, offered } = await talk(script, { workplace, tools: READER }, wire);
    expect(offered).toEqual(["read_file", "ls"]);
    expect(reply.text).toBe('{"verdict":"yes"}');
    expect(existsSync(join(workplace.folder, "src/x.txt"))).toBe(false);
    expect(refusals).toEqual([
      { tool: "write_file", path: "src/x.txt", reason: "the planner has no tool write_file; the call was not made" },
    ]);
    expect(told[1]?.[0]).toContain("the planner has no tool write_file");
  });

  test("a role without tools gets none, and may still answer after a call that it made up", async () => {
    const script = byTurn({ toolCalls: [{ name: "read_file", input: { path: "a.txt" } }] }, ANSWER);
    const { reply, refusals, told, offered } = await talk(script, { workplace: await place(), tools: [] }, wire);
    expect(offered).toEqual([]);
    expect(reply.text).toBe('{"verdict":"yes"}');
    expect(refusals).toMatchObject([{ tool: "read_file", path: "a.txt" }]);
    expect(told[1]?.join("")).not.toContain("a\n");
  });
});

describe("a granted tool", () => {
  const call = (name: string, input: object) => byTurn({ toolCalls: [{ name, input }] }, ANSWER);

  test.each([
    ["writes a file it may only read", "write_file", { path: "a.txt", content: "x" }, "a.txt"],
    ["deletes one", "delete_file", { path: "a.txt" }, "a.txt"],
    ["leaves the folder", "read_file", { path: "../x" }, "../x"],
    ["reads what it cannot see", "read_file", { path: "hidden/c.txt" }, "hidden/c.txt"],
  ])("[FOR-020] that %s is refused with an event", async (_, name, input, path) => {
    const { refusals } = await talk(call(name, input), { workplace: await place() });
    expect(refusals).toMatchObject([{ tool: name, path, reason: expect.any(String) }]);
  });

  test.each([
    ["read_file", { path: "missing.txt" }],
    ["read_file", { path: 7 }],
    ["edit_file", { path: "src/b.txt", before: "zzz", after: "" }],
  ])("that only fails is not a refusal: %s %j", async (name, input) => {
    expect((await talk(call(name, input), { workplace: await place() })).refusals).toEqual([]);
  });
});

describe("run_command", () => {
  const shell = async (exec: Workplace["exec"]): Promise<Workplace> => ({ ...(await place()), ...(exec === undefined ? {} : { exec }) });

  test("is offered to a role that may run commands, and returns exit code and output", async () => {
    const lines: string[] = [];
    const workplace = await shell(async (line, { timeoutMs }) => {
      lines.push(`${line} ${timeoutMs}`);
      return { exit_code: 3, output: "two tests failed\n" };
    });
    const script = byTurn({ toolCalls: [{ name: "run_command", input: { command: "npm test" } }] }, ANSWER);
    const { offered, told } = await talk(script, { workplace, tools: ["read", "run"] });
    expect(offered).toEqual(["read_file", "run_command"]);
    expect(lines).toEqual(["npm test 120000"]);
    expect(told[1]).toEqual(["exit code 3\ntwo tests failed\n"]);
  });

  test("is not offered to another one", async () => {
    const workplace = await shell(async () => ({ exit_code: 0, output: "" }));
    const script = byTurn({ toolCalls: [{ name: "run_command", input: { command: "true" } }] }, ANSWER);
    const { offered, refusals } = await talk(script, { workplace });
    expect(offered).not.toContain("run_command");
    expect(refusals).toMatchObject([{ tool: "run_command" }]);
  });

  test("runs at most forty times in a conversation", async () => {
    let ran = 0;
    const workplace = await shell(async () => ({ exit_code: 0, output: String(++ran) }));
    const calls = Array.from({ length: 45 }, () => ({ name: "run_command", input: { command: "true" } }));
    const { told } = await talk(byTurn({ toolCalls: calls }, ANSWER), { workplace, tools: ["run"] });
    expect(ran).toBe(40);
    expect(told[1]?.slice(39).map((result) => result.includes("answer now"))).toEqual([false, true, true, true, true, true]);
  });
});
