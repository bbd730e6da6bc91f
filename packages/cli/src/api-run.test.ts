import { spawnSync } from "node:child_process";
import {
  byTurn,
  lastResults,
  promptOf,
  type ModelRequest,
  type Script,
  type ScriptedAnswer,
} from "@slipway/agents/testing/model-server/script";
import { startModelServer } from "@slipway/agents/testing/model-server/server";
import { expect, onTestFinished, test } from "vitest";
import { letters, nothingMissing, planFor } from "./testing/project.ts";

const KEY = "sk-scripted-7f2e90c4d1";

/** The builder's first attempt fails the gate; the second one gets the gate's message and passes. */
function team(): Script {
  const planner = byTurn({ text: "I look around.", toolCalls: [{ name: "ls", input: { folder: "src" } }] }, { output: planFor("letters") });
  const qa = byTurn({ toolCalls: [{ name: "grep", input: { pattern: "two" } }] }, { output: nothingMissing("src/a.txt") });
  const builder = (request: ModelRequest): ScriptedAnswer => {
    if (request.turn === 0) return { toolCalls: [{ name: "read_file", input: { path: "src/a.txt" } }] };
    if (request.turn > 1) return { output: { type: "PATCH", summary: "the first letter file says two" } };
    const [now = ""] = lastResults(request);
    const edit = { path: "src/a.txt", before: now.trim(), after: now.includes("BUG") ? "two" : "BUG" };
    return { toolCalls: [{ name: "edit_file", input: edit }] };
  };
  return (request) => ({ planner, builder, qa })[roleOf(request)](request);
}

function roleOf(request: ModelRequest): "planner" | "builder" | "qa" {
  const [, role] = /^Role: (planner|builder|qa)$/m.exec(promptOf(request)) ?? [];
  return (role ?? expect.fail(`no role in ${promptOf(request)}`)) as "planner" | "builder" | "qa";
}

test.each([
  ["anthropic", "anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY"],
  ["openai", "openai/gpt-5", "OPENAI_API_KEY"],
  ["google", "google/gemini-2.5-pro", "GEMINI_API_KEY"],
  ["openai-compatible", "openrouter/some/model", "OPENROUTER_API_KEY"],
])(
  "a model behind an API of the kind %s plans, builds through tools, repairs and tests, and the feature is merged",
  async (kind, model, variable) => {
    const server = await startModelServer(team());
    onTestFinished(() => server.close());
    const [endpoint = ""] = model.split("/");
    const url = kind === "google" ? server.baseUrls.gemini : server.baseUrls.chat;
    const project = letters({
      "slipway/agents.yaml": `version: 1\nroles: {}\nruntime:\n  api:\n    endpoints:\n      ${endpoint}: { kind: ${kind}, base_url: "${url}" }\n`,
    });
    const env = { ...project.env, [variable]: KEY };
    const flags = ["--agent-provider", "api", "--agent-model", model];

    const run = await project.slipway(["run", "letters.spec.md", ...flags], { env });
    expect(run.stdout + run.stderr).toMatch(/x letters: fast gates failed: .*\n- letters: builder proposes a patch: .* \(attempt 2\)\n/);
    expect(run.stdout).toContain("slipway approve letters");
    expect(run.code).toBe(23);
    expect((await project.slipway(["approve", "letters"], { env })).code).toBe(0);
    expect((await project.slipway(["merge", "letters"], { env })).code).toBe(0);

    expect(project.git("show", "main:src/a.txt")).toBe("two\n");
    const asked = server.requests.map((request) => `${roleOf(request)} ${request.turn}`);
    const builder = ["builder 0", "builder 1", "builder 2"];
    expect(asked).toEqual(["planner 0", "planner 1", ...builder, ...builder, "qa 0", "qa 1"]);
    const [{ calls, cost } = expect.fail()] = project.sql("SELECT sum(calls) AS calls, sum(cost_usd) AS cost FROM telemetry");
    expect(calls).toBe(4);
    expect(Number(cost) > 0).toBe(endpoint !== "openrouter");
    expect(run.stdout + run.stderr).not.toContain(KEY);
    // The key is in no table, transcript, object or log.
    expect(spawnSync("grep", ["-rlF", KEY, project.root]).status).toBe(1);
  },
);
