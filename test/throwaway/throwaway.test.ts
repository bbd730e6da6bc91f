import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runViewSchema } from "@slipway/protocols/run-view";
import { letters, type Project } from "slipway/testing/project";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { programWith, type Program } from "./program.ts";

let program: Program;
beforeAll(() => {
  program = programWith("throwaway", import.meta.dirname);
});
afterAll(() => program.remove());

const REQUEST = "a note about tides";
const json = <T>(stdout: string) => JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as T;

function projectWithNote(): Project {
  const project = letters();
  project.record("writer", "1", { text: "The tide comes in twice a day." }, "note");
  return project;
}

describe("a protocol that is one folder and one entry", () => {
  test("is in the help of the program, with its own help", () => {
    const project = letters();
    expect(program.run(project, ["--help"]).stdout).toMatch(/^ {2}throwaway +one note, written by one role$/m);
    expect(program.run(project, ["throwaway", "--help"]).stdout).toContain('Example: slipway throwaway "a note about tides"');
  });

  test("is listed by `slipway protocols` with what it takes and delivers", () => {
    const { protocols } = json<{ protocols: { name: string }[] }>(program.run(letters(), ["protocols", "--json"]).stdout);
    expect(protocols.find(({ name }) => name === "throwaway")).toMatchObject({
      takes: "a request",
      delivers: "one change",
      roles: ["writer"],
    });
  });

  test("has its role in `slipway agents`, and agents.yaml can choose its provider", () => {
    const agents =
      "version: 1\nroles: {}\nruntime:\n  default_provider: replay\n  role_provider_overrides:\n    throwaway/writer: { provider: manual }\n";
    const { stdout } = program.run(letters({ "slipway/agents.yaml": agents }), ["agents", "--json"]);
    expect(stdout).toMatch(/"protocol":"throwaway","role":"writer".*?"provider":"manual"/);
  });

  test("has its role checked by doctor", () => {
    expect(program.run(letters(), ["doctor", "--skip-base-gates", "--json"]).stdout).toContain("throwaway: writer");
  });

  test("has its role exported for other clients", () => {
    const project = letters();
    expect(program.run(project, ["export", "claude", "--protocol", "throwaway"]).code).toBe(0);
    expect(project.read(".claude/agents/writer.md")).toContain("You write one short note.");
  });

  test("refuses an empty request with the example as the next action", () => {
    const { code, stderr } = program.run(letters(), ["throwaway"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('slipway throwaway "a note about tides"')]);
  });

  test("runs from its question over the inbox to its merge, with the same ending in run, watch and resume", () => {
    const project = projectWithNote();
    const cassette = ["--cassette", project.cassette];
    const asked = program.run(project, ["run", "--protocol", "throwaway", REQUEST, ...cassette]);
    expect([asked.code, asked.stdout]).toEqual([23, expect.stringContaining("Which tone should the note have?")]);
    expect(program.run(project, ["inbox"]).stdout).toContain("Which tone should the note have?");
    const run = /^run (\S+)/.exec(asked.stdout)?.[1] ?? "";
    expect(program.run(project, ["watch", run]).code).toBe(23);

    expect(program.run(project, ["answer", "Q1", "plain"]).code).toBe(0);
    expect(program.run(project, ["resume", ...cassette]).code).toBe(23);
    const view = runViewSchema.parse(json(program.run(project, ["status", run, "--json"]).stdout));
    expect(view).toMatchObject({
      protocol: "throwaway",
      status: "waiting",
      nodes: [{ kind: "run" }, { kind: "feature", status: "ready_to_merge" }],
    });
    expect(program.run(project, ["status", run]).stdout).toContain("note: ready_to_merge");

    expect(program.run(project, ["approve", "note", "--yes"]).code).toBe(0);
    const ended = program.run(project, ["resume", ...cassette]);
    expect([ended.code, ended.stdout]).toEqual([0, expect.stringMatching(/The note is merged as [0-9a-f]{10}\.$/m)]);
    const watched = program.run(project, ["watch", run]);
    expect([watched.code, watched.stdout.trim().split("\n").at(-1)]).toEqual([0, ended.stdout.trim().split("\n").at(-1)]);
    expect(project.git("show", "main:src/note.txt")).toBe("The tide comes in twice a day.\n");
  });

  test("starts with `slipway NAME` as with `slipway run --protocol NAME`, and prints JSON", () => {
    const project = projectWithNote();
    const { code, stdout } = program.run(project, ["throwaway", REQUEST, "--json", "--cassette", project.cassette]);
    expect([code, json(stdout)]).toEqual([23, expect.objectContaining({ status: "waiting" })]);
  });

  test("has its demo in `slipway demo`, which answers its question and approves its change", () => {
    const project = letters();
    expect(program.run(project, ["demo", "--help"]).stdout).toMatch(
      /^ {4}throwaway +one note, from the question about its tone to its merge$/m,
    );
    const folder = join(project.home, "demo");
    const { code, stdout } = program.run(project, ["demo", "throwaway", "--json", "--keep", folder]);
    const [commit = ""] = execFileSync("git", ["rev-parse", "main"], { cwd: folder, encoding: "utf8" }).split("\n");
    expect([code, json(stdout)]).toEqual([0, expect.objectContaining({ status: "merged", commit })]);
    expect(readFileSync(join(folder, "src", "note.txt"), "utf8")).toBe("The tide comes in twice a day.\n");
  });

  test("has its own MCP server, with its own tools and roles", () => {
    const calls = [
      { method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } } },
      { method: "tools/list", params: {} },
      { method: "tools/call", params: { name: "list_lengths", arguments: {} } },
    ];
    const input = calls.map((call, index) => `${JSON.stringify({ jsonrpc: "2.0", id: index + 1, ...call })}\n`).join("");
    const { stdout } = program.run(letters(), ["mcp", "--server", "throwaway-server", "--role", "reader"], input);
    const answers = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { id: number; result: Record<string, unknown> })
      .toSorted((a, b) => a.id - b.id);
    expect(answers).toMatchObject([
      { result: { serverInfo: { name: "throwaway-server" } } },
      { result: { tools: [{ name: "list_lengths" }] } },
      { result: { structuredContent: { data: { lengths: ["short"], by: "reader" } } } },
    ]);
    expect(program.run(letters(), ["mcp", "--help"]).stdout).toContain("throwaway-server");
  });

  test("has its tool in the MCP catalog, for its named roles only", () => {
    const calls = [
      { method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } } },
      { method: "tools/list", params: {} },
      { method: "tools/call", params: { name: "throwaway.tones", arguments: { actor_type: "ROLE", actor_id: "a" } } },
    ];
    const callAs = (role: string) => {
      const input = calls
        .map((call, index) => `${JSON.stringify({ jsonrpc: "2.0", id: index + 1, ...call }).replace("ROLE", role)}\n`)
        .join("");
      return program.run(letters(), ["mcp", "--role", role, "--feature", "letters"], input).stdout;
    };
    expect(callAs("orchestrator")).toMatch(/"name":"throwaway.tones".*"tones":\["plain","solemn"\]/s);
    expect(callAs("builder")).toContain("forbidden_tool_for_role");
  });
});
