import { MCP_PATH } from "./http.ts";

export const CLIENTS = ["claude", "codex", "gemini", "vscode"] as const;
export type McpClientName = (typeof CLIENTS)[number];

/** How the client reaches the server: by starting it, or over HTTP with a token from the environment. */
export type Reach =
  { readonly kind: "stdio"; readonly command: string; readonly args: readonly string[] } | { readonly kind: "http"; readonly port: number };

export interface Snippet {
  /** The client's configuration file, relative to the repository unless it starts with `~`. */
  readonly file: string;
  readonly text: string;
}

export const TOKEN_VARIABLE = "SLIPWAY_MCP_TOKEN";

/** Long, because a tool call may run gates. */
const TIMEOUT_SECONDS = 3600;

export function snippetFor(client: McpClientName, reach: Reach, name = "slipway"): Snippet {
  switch (client) {
    case "claude":
      return { file: ".mcp.json", text: json({ mcpServers: { [name]: claude(reach) } }) };
    case "codex":
      return { file: "~/.codex/config.toml", text: codex(reach, name) };
    case "gemini":
      return { file: ".gemini/settings.json", text: json({ mcpServers: { [name]: gemini(reach) } }) };
    case "vscode":
      return { file: ".vscode/mcp.json", text: json(vscode(reach, name)) };
  }
}

function claude(reach: Reach) {
  if (reach.kind === "stdio") return { type: "stdio", command: reach.command, args: reach.args };
  return { type: "http", url: urlAt(reach.port), headers: { Authorization: `Bearer \${${TOKEN_VARIABLE}}` } };
}

function codex(reach: Reach, name: string): string {
  const lines =
    reach.kind === "stdio"
      ? [`command = ${JSON.stringify(reach.command)}`, `args = [${reach.args.map((arg) => JSON.stringify(arg)).join(", ")}]`]
      : [`url = ${JSON.stringify(urlAt(reach.port))}`, `bearer_token_env_var = ${JSON.stringify(TOKEN_VARIABLE)}`];
  return [`[mcp_servers.${name}]`, ...lines, `tool_timeout_sec = ${TIMEOUT_SECONDS}`, ""].join("\n");
}

function gemini(reach: Reach) {
  const timeout = TIMEOUT_SECONDS * 1000;
  if (reach.kind === "stdio") return { command: reach.command, args: reach.args, timeout };
  return { httpUrl: urlAt(reach.port), headers: { Authorization: `Bearer $${TOKEN_VARIABLE}` }, timeout };
}

function vscode(reach: Reach, name: string) {
  if (reach.kind === "stdio") {
    return { servers: { [name]: { type: "stdio", command: reach.command, args: reach.args, cwd: "${workspaceFolder}" } } };
  }
  const input = { type: "promptString", id: "slipway-token", description: "Slipway MCP token (slipway mcp token)", password: true };
  return {
    inputs: [input],
    servers: { [name]: { type: "http", url: urlAt(reach.port), headers: { Authorization: `Bearer \${input:${input.id}}` } } },
  };
}

function urlAt(port: number): string {
  return `http://127.0.0.1:${port}${MCP_PATH}`;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
