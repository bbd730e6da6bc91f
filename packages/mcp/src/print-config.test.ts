import { expect, test } from "vitest";
import { launchCommand } from "./launch-command.ts";
import { CLIENTS, snippetFor } from "./print-config.ts";

const stdio = { kind: "stdio", command: "slipway", args: ["mcp", "--role", "builder"] } as const;
const http = { kind: "http", port: 7420 } as const;
const parsed = (client: "claude" | "gemini" | "vscode", reach: typeof stdio | typeof http) =>
  JSON.parse(snippetFor(client, reach).text) as unknown;

test("Claude Code: .mcp.json", () => {
  expect(snippetFor("claude", stdio).file).toBe(".mcp.json");
  expect(parsed("claude", stdio)).toEqual({
    mcpServers: { slipway: { type: "stdio", command: "slipway", args: ["mcp", "--role", "builder"] } },
  });
  expect(parsed("claude", http)).toEqual({
    mcpServers: { slipway: { type: "http", url: "http://127.0.0.1:7420/mcp", headers: { Authorization: "Bearer ${SLIPWAY_MCP_TOKEN}" } } },
  });
});

test("Codex: config.toml", () => {
  expect(snippetFor("codex", stdio).text).toBe(
    '[mcp_servers.slipway]\ncommand = "slipway"\nargs = ["mcp", "--role", "builder"]\ntool_timeout_sec = 3600\n',
  );
  expect(snippetFor("codex", http).text).toBe(
    '[mcp_servers.slipway]\nurl = "http://127.0.0.1:7420/mcp"\nbearer_token_env_var = "SLIPWAY_MCP_TOKEN"\ntool_timeout_sec = 3600\n',
  );
});

test("Gemini: settings.json", () => {
  expect(parsed("gemini", stdio)).toMatchObject({ mcpServers: { slipway: { command: "slipway", timeout: 3_600_000 } } });
  expect(parsed("gemini", http)).toMatchObject({
    mcpServers: { slipway: { httpUrl: "http://127.0.0.1:7420/mcp", headers: { Authorization: "Bearer $SLIPWAY_MCP_TOKEN" } } },
  });
});

test("VS Code: mcp.json, which asks for the token instead of storing it", () => {
  expect(parsed("vscode", stdio)).toMatchObject({ servers: { slipway: { type: "stdio", command: "slipway", cwd: "${workspaceFolder}" } } });
  expect(parsed("vscode", http)).toMatchObject({
    inputs: [{ id: "slipway-token", password: true }],
    servers: { slipway: { type: "http", headers: { Authorization: "Bearer ${input:slipway-token}" } } },
  });
});

test.each(CLIENTS)("%s: no token is in the file", (client) => {
  expect(snippetFor(client, http).text).not.toContain("slp_");
});

test("the command is the name if it is on the PATH, otherwise Node with the script", () => {
  expect(launchCommand({ PATH: "/nowhere" }, "/opt/slipway.mjs")).toEqual({ command: process.execPath, args: ["/opt/slipway.mjs"] });
  expect(launchCommand({ PATH: "/nowhere" }, undefined)).toEqual({ command: "slipway", args: [] });
});
