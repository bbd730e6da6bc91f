import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { sampleTools } from "@slipway/kernel/tools/testing/sample-tools";
import { describe, expect, onTestFinished, test } from "vitest";
import { openBench, scratchPlace, toolsFolder, type Place } from "./testing/bench.ts";
import { ACTOR, clientOf, ERAS, type Era } from "./testing/client.ts";
import { slowTool } from "./testing/slow-tool.ts";

const folderOfTools = () => toolsFolder([...sampleTools(), slowTool().definition]);
const launcher = [
  "--conditions=slipway-source",
  "--disable-warning=ExperimentalWarning",
  join(import.meta.dirname, "testing", "launch-sample.ts"),
];

function environment(place: Place, more: Record<string, string> = {}): Record<string, string> {
  return {
    ...(Object.fromEntries(Object.entries(place.env).filter(([, value]) => value !== undefined)) as Record<string, string>),
    // Compiled once for all the servers.
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
    ...more,
  };
}

async function connect(place: Place, era: Era, role = "", more: Record<string, string> = {}) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...launcher, folderOfTools(), role],
    cwd: place.root,
    env: environment(place, more),
    stderr: "pipe",
  });
  let stderr = "";
  transport.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const client = clientOf(era);
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, stderr: () => stderr };
}

/** The same server with raw streams instead of a client. */
function speak(place: Place, more: Record<string, string> = {}) {
  const child = spawn(process.execPath, [...launcher, folderOfTools()], { cwd: place.root, env: environment(place, more) });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = once(child, "close");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const says = (stream: "stdout" | "stderr", text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => (stream === "stdout" ? stdout : stderr).includes(text) && resolve();
      child[stream].on("data", look);
      void ended.then(() => reject(new Error(`ended without saying "${text}": ${stdout}${stderr}`)));
      look();
    });
  return { child, ended, says, lines: () => stdout.trimEnd().split("\n"), stderr: () => stderr };
}

const HELLO = `${JSON.stringify({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
})}\n`;
const callLine = (id: number, name: string, args: string) =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":${args}}}\n`;

describe.each(ERAS)("a %s client over stdio", (era) => {
  test("is an orchestrator unless the server was started with another role", async () => {
    const { client } = await connect(scratchPlace(), era);
    expect(client.getServerVersion()).toMatchObject({ name: "slipway" });
    expect((await client.listTools()).tools).toHaveLength(4);
    const read = await client.callTool({ name: "plan.get", arguments: { ...ACTOR, feature_id: "a" } });
    expect(read).toMatchObject({ structuredContent: { ok: true } });
    const other = await client.callTool({ name: "plan.get", arguments: { actor_type: "system", actor_id: "x", feature_id: "a" } });
    expect(other).toMatchObject({ isError: true, structuredContent: { error: { code: "forbidden_tool_for_role" } } });
  });

  test("has the role of its token", async () => {
    const bench = await openBench(sampleTools());
    const SLIPWAY_MCP_TOKEN = bench.token({ role: "builder", actorId: "b1", feature: "search" });
    const { client } = await connect(bench.place, era, "", { SLIPWAY_MCP_TOKEN });
    const own = { actor_type: "builder", actor_id: "b1", feature_id: "search" };
    expect(await client.callTool({ name: "plan.get", arguments: own })).toMatchObject({ structuredContent: { ok: true } });
    const other = await client.callTool({ name: "plan.get", arguments: { ...own, feature_id: "other" } });
    expect(other).toMatchObject({ structuredContent: { error: { code: "forbidden_tool_for_role" } } });
  });

  test("that closes its end in the middle of a call aborts the call, and the server exits cleanly", async () => {
    const { client, stderr } = await connect(scratchPlace(), era);
    const heard = Promise.withResolvers<void>();
    const call = client.callTool({ name: "gates.run", arguments: ACTOR }, { onprogress: () => heard.resolve() }).catch(() => undefined);
    await heard.promise;
    await client.close();
    await call;
    expect(stderr()).toContain("the slow call was stopped\n");
    expect(stderr()).toContain("ended in order\n");
  });
});

test("stdout has only messages of the protocol, one per line, and input that is not strict JSON is refused", async () => {
  const server = speak(scratchPlace());
  server.child.stdin.write(HELLO);
  server.child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n\n');
  server.child.stdin.write(
    callLine(1, "plan.get", '{"actor_type":"orchestrator","actor_id":"kim","feature_id":"a","actor_type":"system"}'),
  );
  server.child.stdin.write(callLine(2, "plan.get", '{"actor_type":"orchestrator","actor_id":"kim","feature_id":"a","__proto__":{}}'));
  server.child.stdin.write(`[${HELLO.trim()}]\nnot json\n`);
  server.child.stdin.write(callLine(3, "plan.get", '{"actor_type":"orchestrator","actor_id":"kim","feature_id":"a"}'));
  await server.says("stdout", '"id":3');
  const answers = server.lines().map((line) => JSON.parse(line) as { id: unknown; error?: { data: unknown }; result?: unknown });
  const byId = (id: number | null) => answers.filter((answer) => answer.id === id);
  const refused = { ok: false, error: { code: "schema_validation_failed" } };
  expect(byId(0)).toMatchObject([{ result: { protocolVersion: "2025-06-18" } }]);
  expect(byId(1)).toMatchObject([
    { error: { code: -32600, message: expect.stringContaining('"actor_type" is given twice'), data: refused } },
  ]);
  expect(byId(2)).toMatchObject([{ error: { message: expect.stringContaining("__proto__"), data: refused } }]);
  expect(byId(null)).toMatchObject([
    { error: { message: expect.stringContaining("batch") } },
    { error: { message: expect.stringContaining("JSON") } },
  ]);
  expect(byId(3)).toMatchObject([{ result: { structuredContent: { ok: true } } }]);
});

test("a stop signal ends the server cleanly", async () => {
  const server = speak(scratchPlace());
  server.child.stdin.write(HELLO);
  await server.says("stdout", "protocolVersion");
  server.child.kill("SIGTERM");
  await server.ended;
  expect(server.stderr()).toContain("ended in order");
});
