import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../provider.ts";
import type { NativeTool } from "../tools/native-tools.ts";
import { REQUEST } from "../testing/samples.ts";
import { CLIENTS } from "./catalog.ts";
import type { ClientName } from "./client.ts";
import { openStream } from "./stream.ts";

/** The refusals that a client's lines show. */
function refusals(name: ClientName, tools: readonly NativeTool[], ...lines: readonly object[]) {
  const events: AgentEvent[] = [];
  const stream = openStream(CLIENTS[name], {
    request: { ...REQUEST, tools, onEvent: (event) => events.push(event) },
    now: () => 0,
    secrets: [],
  });
  for (const line of lines) stream.push(Buffer.from(`${JSON.stringify(line)}\n`));
  stream.end();
  return events.filter((event) => event.kind === "refused");
}

const claude = (name: string, ok: boolean, input = {}) => [
  { type: "assistant", message: { content: [{ type: "tool_use", id: "t1", name, input }] } },
  { type: "user", message: { content: [{ type: "tool_result", tool_use_id: "t1", content: "no", is_error: !ok }] } },
];

describe("[FOR-020] a failed call of a tool that the client was not given", () => {
  test("is a refusal with its tool and path", () => {
    expect(refusals("claude", ["read"], ...claude("Write", false, { file_path: "src/a.ts" }))).toEqual([
      { kind: "refused", tool: "Write", path: "src/a.ts", reason: "the planner has no tool Write; the call was not made" },
    ]);
    const gemini = [
      { type: "tool_use", tool_id: "1", tool_name: "run_shell_command", parameters: { command: "ls" } },
      { type: "tool_result", tool_id: "1", status: "error", output: "no such tool" },
    ];
    expect(refusals("gemini", ["read"], ...gemini)).toMatchObject([{ tool: "run_shell_command", path: null }]);
    expect(refusals("gemini", ["run"], ...gemini)).toEqual([]);
  });

  test("is not one if the tool was given, or belongs to the client's answer", () => {
    expect(refusals("claude", ["read"], ...claude("Read", false))).toEqual([]);
    expect(refusals("claude", ["read"], ...claude("StructuredOutput", false))).toEqual([]);
    expect(refusals("claude", [], ...claude("Read", true))).toEqual([]);
  });
});
