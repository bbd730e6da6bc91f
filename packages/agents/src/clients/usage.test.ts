import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { addUsage, NOTHING_USED, type ReplyUsage } from "../usage.ts";
import { CLIENTS } from "./catalog.ts";
import { CLIENT_NAMES, type ClientName } from "./client.ts";
import { parsedObject } from "./json.ts";
import { FIXTURES } from "./testing/played.ts";

function read(name: ClientName, lines: readonly unknown[]) {
  const told: ReplyUsage[] = [];
  const models: (string | null)[] = [];
  const reader = CLIENTS[name].read(
    (event) => {
      if (event.kind !== "usage") return;
      told.push(event.usage);
      models.push(event.model);
    },
    () => 0,
  );
  for (const line of lines) reader.line(line as Record<string, unknown>);
  return { usage: reader.result().usage, told, models, sum: told.reduce(addUsage, NOTHING_USED) };
}

describe.each(CLIENT_NAMES)("%s", (name) => {
  const files = readdirSync(join(FIXTURES, name)).filter((file) => file.endsWith(".jsonl"));

  test.each(files)("the usage events of %s sum up to its total, wherever it breaks off", (file) => {
    const lines = readFileSync(join(FIXTURES, name, file), "utf8")
      .split("\n")
      .flatMap((line) => parsedObject(line) ?? []);
    for (let kept = 1; kept <= lines.length; kept++) {
      const { usage, sum } = read(name, lines.slice(0, kept));
      expect(sum).toEqual(usage);
    }
  });
});

const message = (id: string, usage: object) => ({
  type: "assistant",
  message: { id, model: "claude-x", content: [{ type: "text", text: "…" }], usage },
});

test("a stopped call of Claude Code has used what its messages say, each counted once", () => {
  const first = { input_tokens: 10, cache_creation_input_tokens: 1000, cache_read_input_tokens: 200, output_tokens: 3 };
  const second = { input_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 1210, output_tokens: 2 };
  const stopped = [message("a", first), message("a", first), message("b", second), message("", second), message("c", {})];
  const so_far = { input_tokens: 2425, output_tokens: 5, cached_input_tokens: 1410, cache_write_tokens: 1000, cost_usd: 0 };
  const { usage, told, models } = read("claude", stopped);
  expect(usage).toEqual(so_far);
  expect([told.length, models]).toEqual([2, ["claude-x", "claude-x"]]);
  const total = { input_tokens: 15, cache_creation_input_tokens: 1000, cache_read_input_tokens: 1410, output_tokens: 400 };
  const ended = read("claude", [...stopped, { type: "result", subtype: "success", result: "done", usage: total, total_cost_usd: 0.25 }]);
  expect(ended.usage).toEqual({ ...so_far, output_tokens: 400, cost_usd: 0.25 });
  expect(ended.sum).toEqual(ended.usage);
});

test("cached tokens are part of the input, and reported separately", () => {
  const cached = { input_tokens: 1000, output_tokens: 20, cached_input_tokens: 900, cost_usd: 0 };
  const codex = { input_tokens: 1000, cached_input_tokens: 900, cache_write_input_tokens: 50, output_tokens: 20 };
  expect(read("codex", [{ type: "turn.completed", usage: codex }]).usage).toEqual({ ...cached, cache_write_tokens: 50 });
  const gemini = { input_tokens: 1000, cached: 900, input: 100, output_tokens: 20 };
  expect(read("gemini", [{ type: "result", status: "success", stats: gemini }]).usage).toEqual(cached);
});
