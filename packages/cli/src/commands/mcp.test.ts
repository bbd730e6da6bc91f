import { spawn } from "node:child_process";
import { describe, expect, onTestFinished, test } from "vitest";
import { PROGRAM } from "../testing/program.ts";
import { letters, type Project } from "../testing/project.ts";

/** `slipway mcp` as a client starts it: with pipes on stdin and stdout. */
function start(project: Project, ...args: string[]) {
  const child = spawn(process.execPath, [...PROGRAM, "mcp", ...args], { cwd: project.root, env: project.env });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const says = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => stdout.includes(text) && resolve();
      child.stdout.on("data", look);
      void ended.then(() => reject(new Error(`ended without saying "${text}": ${stdout}${stderr}`)));
      look();
    });
  return { child, ended, says, stdout: () => stdout, stderr: () => stderr };
}

const line = (id: number, method: string, params: object) => `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
const HELLO = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };

describe("slipway mcp", () => {
  test("serves the thirty-one tools over stdio, with only protocol messages on stdout, until the client disconnects", async () => {
    const { child, ended, says, stdout, stderr } = start(letters());
    child.stdin.write(line(1, "initialize", HELLO));
    child.stdin.write(line(2, "tools/list", {}));
    const args = { actor_type: "orchestrator", actor_id: "kim" };
    child.stdin.write(line(3, "tools/call", { name: "gates.list", arguments: args }));
    child.stdin.write(line(4, "tools/call", { name: "feature.delete", arguments: { ...args, feature_id: "letters" } }));
    for (const id of [1, 2, 3, 4]) await says(`"id":${id}`);
    child.stdin.end();
    expect(await ended).toBe(0);
    const answers = stdout()
      .trimEnd()
      .split("\n")
      .map((text) => JSON.parse(text) as { id: number; result: Record<string, unknown> })
      .toSorted((a, b) => a.id - b.id);
    expect(answers).toMatchObject([
      { result: { serverInfo: { name: "slipway" } } },
      { result: { tools: expect.objectContaining({ length: 31 }) } },
      { result: { structuredContent: { ok: true, data: { profiles: { default: expect.anything() } } } } },
      { result: { isError: true, structuredContent: { error: { code: "forbidden_tool_for_role" } } } },
    ]);
    expect(stderr()).toBe("");
  });

  test("serves over HTTP with a token from `slipway mcp token`, until it is stopped", async () => {
    const project = letters();
    const { child, ended, says, stdout } = start(project, "--http", "--port", "0", "--json");
    await says("\n");
    const { url } = JSON.parse(stdout()) as { url: string };
    const post = (token?: string) =>
      fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        body: line(1, "initialize", HELLO),
      });
    expect((await post()).status).toBe(401);
    const made = await project.slipway(["mcp", "token"]);
    expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining("actor_type orchestrator, actor_id orchestrator-kim") });
    const answer = await post(made.stdout.trim());
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('"name":"slipway"');
    child.kill("SIGINT");
    expect(await ended).toBe(0);
  });

  test("reports on stderr why it cannot start", async () => {
    const { ended, stdout, stderr } = start(letters({ "slipway/policy.yaml": "version: 1\n" }));
    expect(await ended).toBe(2);
    expect([stdout(), stderr()]).toEqual(["", expect.stringContaining("config_invalid: slipway/policy.yaml")]);
  });
});

describe("slipway mcp token", () => {
  const claimsOf = (token: string) =>
    JSON.parse(Buffer.from(token.slice(4).split(".")[0] ?? "", "base64url").toString()) as Record<string, number>;

  test("makes a token for a worker and one feature", async () => {
    const made = await letters().slipway([
      "mcp",
      "token",
      "--role",
      "builder",
      "--feature",
      "search",
      "--actor",
      "b1",
      "--expires",
      "30m",
      "--json",
    ]);
    const [{ token, claims }] = made.json<{ token: string; claims: Record<string, number> }>() as [
      { token: string; claims: Record<string, number> },
    ];
    expect(claims).toMatchObject({ role: "builder", actor_id: "b1", feature: "search", run: null });
    expect(claimsOf(token)).toEqual(claims);
    expect(Number(claims["expires_at"]) - Number(claims["issued_at"])).toBe(30 * 60_000);
  });

  test.each([
    [["--role", "builder"], "needs --feature"],
    [["--role", "person"], "There is no role 'person'"],
    [["--expires", "forever"], "is no lifetime"],
    [["--expires", "91d"], "is no lifetime"],
  ])("%j is refused", async (options, told) => {
    expect(await letters().slipway(["mcp", "token", ...options])).toMatchObject({ code: 2, stderr: expect.stringContaining(told) });
  });
});

describe("slipway mcp --print-config", () => {
  test.each(["claude", "codex", "gemini", "vscode"])("prints the configuration of %s, and nothing else on stdout", async (client) => {
    const { code, stdout, stderr } = await letters().slipway(["mcp", "--print-config", client, "--role", "builder", "--feature", "search"]);
    expect([code, stderr]).toEqual([0, expect.stringContaining("Put this into")]);
    if (client !== "codex") expect(JSON.stringify(JSON.parse(stdout))).toContain('"mcp","--role","builder","--feature","search"');
    else expect(stdout).toContain('"mcp", "--role", "builder", "--feature", "search"]');
  });

  test("for HTTP it names the port and takes the token from the environment", async () => {
    const { stdout } = await letters().slipway(["mcp", "--print-config", "claude", "--http", "--port", "9000", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, file: ".mcp.json", text: expect.stringContaining("http://127.0.0.1:9000/mcp") });
    expect(stdout).toContain("SLIPWAY_MCP_TOKEN");
  });

  test.each([
    [["mcp", "--print-config", "emacs"], "claude, codex, gemini, vscode"],
    [["mcp", "serve"], "There is no `slipway mcp serve`"],
    [["mcp", "--print-config", "claude", "--http", "--port", "70000"], "is no port"],
  ])("%j is refused", async (argv, told) => {
    expect(await letters().slipway(argv)).toMatchObject({ code: 2, stderr: expect.stringContaining(told) });
  });
});
