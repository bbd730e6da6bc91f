import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { trustAnything } from "@slipway/kernel/config/trust/testing/trust-anything";
import { openKernelAt } from "@slipway/kernel/open";
import type { ToolEnvelope } from "@slipway/kernel/tools/envelope";
import { migrateProtocols } from "@slipway/protocols/all-protocols";
import { ACCESS_ROLES } from "@slipway/protocols/criticality/models/access";
import { LOOPING_FILES, SPEC } from "@slipway/protocols/criticality/servers/testing/program";
import { recordRun } from "@slipway/protocols/criticality/servers/testing/scene";
import { PROGRAM } from "slipway/testing/program";
import { letters, type Project } from "slipway/testing/project";
import { describe, expect, onTestFinished, test } from "vitest";

const ARTIFACTS = "criticality-artifact-server";
const TOOLCHAIN = "criticality-toolchain-server";

/** `slipway mcp --server …` as a process of its own, with a real client. */
async function connect(project: Project, ...args: string[]) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...PROGRAM, "mcp", ...args],
    env: Object.fromEntries(Object.entries(project.env).filter((entry): entry is [string, string] => entry[1] !== undefined)),
    cwd: project.root,
    stderr: "pipe",
  });
  let stderr = "";
  transport.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport).catch((error: unknown) => {
    throw new Error(`the server did not start: ${stderr}`, { cause: error });
  });
  onTestFinished(() => client.close());
  const call = async (name: string, input: Record<string, unknown> = {}) => {
    const { structuredContent } = await client.callTool({ name, arguments: input });
    return structuredContent as unknown as ToolEnvelope;
  };
  return { client, call, names: async () => (await client.listTools()).tools.map(({ name }) => name).toSorted() };
}

async function withRun(project: Project): Promise<void> {
  const opened = await openKernelAt({ cwd: project.root, env: project.env, askTrust: trustAnything });
  await migrateProtocols(opened.records.database);
  await recordRun(opened.records, "run-1", "running");
  await opened.close();
}

const DECISION = { constraint: "Amounts are integers", category: "data", source: "architect", phase: "lattice", confidence: "inferred" };

describe("slipway mcp --server criticality-artifact-server", () => {
  test("[CRI-160] lists exactly its four tools, and calls name no actor", async () => {
    const { client, names } = await connect(letters(LOOPING_FILES), "--server", ARTIFACTS);
    expect(client.getServerVersion()).toMatchObject({ name: ARTIFACTS });
    expect(client.getInstructions()).toContain("committed artifacts");
    expect(await names()).toEqual(["append_decision", "get_type_witness", "read_spec_section", "validate_schema"]);
    const { tools } = await client.listTools();
    expect(Object.fromEntries(tools.map(({ name, inputSchema }) => [name, inputSchema.required]))).toEqual({
      append_decision: ["decision"],
      get_type_witness: ["name"],
      read_spec_section: ["section"],
      validate_schema: ["artifact"],
    });
  });

  test("[CRI-160] reads the committed specification and appends a decision that another process sees", async () => {
    const project = letters(LOOPING_FILES);
    await withRun(project);
    const { call } = await connect(project, "--server", ARTIFACTS, "--role", "architect");
    expect(await call("read_spec_section", { section: "system" })).toMatchObject({ ok: true, data: { value: SPEC.system } });
    expect(await call("append_decision", { decision: DECISION })).toMatchObject({ ok: true, data: { decision: { id: "d001" } } });
    expect(await call("validate_schema", { artifact: "ledger" })).toMatchObject({ ok: true, data: { valid: true } });
    expect(project.sql("select scope, id, confidence from decisions")).toEqual([
      { scope: "run:run-1", id: "d001", confidence: "inferred" },
    ]);
  });

  test("[CRI-163] [CRI-164] refuses what the role's policy does not list, and the journal has the call", async () => {
    const project = letters(LOOPING_FILES);
    await withRun(project);
    const { call } = await connect(project, "--server", ARTIFACTS, "--role", "auditor");
    expect(await call("read_spec_section", { section: "system" })).toMatchObject({ ok: true });
    expect(await call("append_decision", { decision: DECISION })).toMatchObject({ ok: false, error: { code: "forbidden_tool_for_role" } });
    expect(project.sql("select count(*) as n from decisions")).toEqual([{ n: 0 }]);
    const [event] = project.sql("select payload from events where name = 'criticality.refuse_call'");
    expect(String(event?.["payload"])).toContain('"role":"auditor"');
    expect((await project.slipway(["journal", "show", "--json"])).stdout).toContain("criticality.refuse_call");
  });

  test("has no tool of Slipway's own server", async () => {
    const { client } = await connect(letters(LOOPING_FILES), "--server", ARTIFACTS);
    await expect(client.callTool({ name: "repo.read_file", arguments: { path: "src/domain/clamp.ts" } })).rejects.toThrow("no tool");
  });
});

describe("slipway mcp --server criticality-toolchain-server", () => {
  test("[CRI-161] lists exactly its four tools and answers with structured results only", async () => {
    const { call, names } = await connect(letters(LOOPING_FILES), "--server", TOOLCHAIN);
    expect(await names()).toEqual(["check_complexity", "run_function_test", "run_property_test", "verify_structure"]);
    expect(await call("verify_structure")).toMatchObject({ ok: true, data: { passed: true, functions: { holes: 1 } } });
    expect(await call("run_property_test", { claim_id: "clamp_001" })).toMatchObject({ ok: true, data: { status: "pass" } });
    const failed = await call("run_function_test", { function_name: "double" });
    expect(failed).toMatchObject({ ok: true, data: { status: "fail" } });
    expect(JSON.stringify(failed)).not.toContain("PRINTED-BY-THE-BODY");
    expect(await call("check_complexity", { file_path: "../../etc/passwd" })).toMatchObject({ error: { code: "path_out_of_bounds" } });
  });

  test("[CRI-161] stops a body that never returns, and goes on", async () => {
    const { call } = await connect(letters(LOOPING_FILES), "--server", TOOLCHAIN);
    expect(await call("run_function_test", { function_name: "spin" })).toMatchObject({
      ok: true,
      data: { status: "timeout", passed: false },
    });
    expect(await call("check_complexity", { file_path: "src/domain/clamp.ts" })).toMatchObject({ ok: true, data: { passed: true } });
  });

  test("[CRI-164] lets a worker test its one function and nothing else", async () => {
    const project = letters(LOOPING_FILES);
    const { call } = await connect(project, "--server", TOOLCHAIN, "--role", "worker", "--function", "src/domain/double.ts#double");
    expect(await call("run_function_test", { function_name: "double" })).toMatchObject({ ok: true });
    expect(await call("run_function_test", { function_name: "spin" })).toMatchObject({ error: { code: "forbidden_tool_for_role" } });
    expect(project.sql("select count(*) as n from events where name = 'criticality.refuse_call'")).toEqual([{ n: 1 }]);
  });
});

describe("slipway mcp without --server", () => {
  test("has none of the servers' tools", async () => {
    const { names } = await connect(letters());
    const listed = await names();
    expect(listed).toHaveLength(31);
    expect(listed.filter((name) => !name.includes("."))).toEqual([]);
  });

  test("lists servers and roles in its help", async () => {
    const { stdout } = await letters().slipway(["mcp", "--help"]);
    for (const word of [ARTIFACTS, TOOLCHAIN, ...ACCESS_ROLES]) expect(stdout).toContain(word);
  });

  test.each([
    [["--server", "criticality-memory-server"], ARTIFACTS],
    [["--server", TOOLCHAIN, "--role", "worker"], "--function"],
    [["--server", TOOLCHAIN, "--role", "refiner"], "There is no role 'refiner'"],
    [["--role", "worker"], "There is no role 'worker'"],
    [["--function", "src/a.ts#f"], "needs --server"],
    [["token", "--server", TOOLCHAIN, "--role", "worker"], "A token is for no server"],
  ])("%j is refused", async (options, told) => {
    expect(await letters().slipway(["mcp", ...options])).toMatchObject({ code: 2, stderr: expect.stringContaining(told) });
  });

  test.each(["claude", "codex", "gemini", "vscode"])("prints the configuration of a server for %s", async (client) => {
    const { stdout } = await letters().slipway(["mcp", "--print-config", client, "--server", TOOLCHAIN, "--role", "guardian"]);
    expect(stdout).toContain(TOOLCHAIN);
    expect(stdout.replaceAll(/\s+/g, "")).toContain(`"mcp","--server","${TOOLCHAIN}","--role","guardian"]`);
  });
});
