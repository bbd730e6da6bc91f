import { join } from "node:path";
import { nativeSchema, type NativeSchema } from "../api/answer-schema.ts";
import type { ProviderRequest } from "../provider.ts";
import type { Client, Preparation, ClientSession } from "./client.ts";
import { readClaude } from "./claude-stream.ts";
import { hostOf } from "./hosts.ts";
import { amount, object, parsedObject, text } from "./json.ts";
import { namesOf, type ToolNames } from "./tool-names.ts";

const HEADLESS = ["-p", "--output-format", "stream-json", "--verbose"];
/** Ignore configuration in the pack: settings, hooks, servers, commands and memory files. */
const CLOSED = ["--restricted", "--setting-sources", "", "--strict-mcp-config", "--disable-slash-commands", "--no-session-persistence"];
/** Restricted mode limits the file tools to the folder of the pack. */
const TOOLS: ToolNames = {
  read: "Read",
  write: "Write",
  edit: "Edit",
  ls: "Glob",
  glob: "Glob",
  grep: "Grep",
  delete: null,
  run: "Bash",
};
const SHELL = "Bash";
/** How it returns an answer with a schema. */
const ANSWER_TOOL = "StructuredOutput";
/** Linux limits a single argument to 128 KiB. */
const MAX_ARGUMENT = 100_000;
const SYSTEM_FILE = "role.md";

export const claude: Client = {
  name: "claude",
  title: "Claude Code",
  program: "claude",
  install: "npm i -g @anthropic-ai/claude-code",
  tried: "2.1.325",
  signIn: "Start claude once and sign in, or run `claude setup-token` and set CLAUDE_CODE_OAUTH_TOKEN to what it prints.",
  keys: [
    { variable: "ANTHROPIC_API_KEY", as: "ANTHROPIC_API_KEY" },
    { variable: "ANTHROPIC_AUTH_TOKEN", as: "ANTHROPIC_AUTH_TOKEN" },
    { variable: "CLAUDE_CODE_OAUTH_TOKEN", as: "CLAUDE_CODE_OAUTH_TOKEN" },
  ],

  /** Leaves out the refresh token: using it would sign the user out. */
  signedIn({ env, read, now }) {
    const folder = env["CLAUDE_CONFIG_DIR"] ?? join(env["HOME"] ?? "/", ".claude");
    const { refreshToken: _, ...login } = object(parsedObject(read(join(folder, ".credentials.json")) ?? "")?.["claudeAiOauth"]);
    const token = text(login["accessToken"]);
    if (token === "" || amount(login["expiresAt"]) < now) return null;
    return { files: { ".claude/.credentials.json": JSON.stringify({ claudeAiOauth: login }) }, secrets: [token] };
  },

  holdsSchema: (schema) => answerSchema(schema) !== null,

  prepare({ request, home, baseUrl }: ClientSession): Preparation {
    const native = answerSchema(request.schema);
    return {
      args: [
        ...HEADLESS,
        ...CLOSED,
        "--tools",
        namesOf(TOOLS, request.tools).join(","),
        "--permission-mode",
        "acceptEdits",
        // The mode accepts edits only.
        ...(request.tools.includes("run") ? ["--allowedTools", SHELL] : []),
        "--append-system-prompt-file",
        join(home, SYSTEM_FILE),
        ...(request.model === null ? [] : ["--model", request.model]),
        ...(native === null ? [] : ["--json-schema", JSON.stringify(native.schema)]),
        // Checked after each model call, so one call can exceed it.
        ...(request.reserved?.cost_usd == null ? [] : ["--max-budget-usd", String(request.reserved.cost_usd)]),
      ],
      env: {
        CLAUDE_CONFIG_DIR: join(home, ".claude"),
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_AUTOUPDATER: "1",
        DISABLE_TELEMETRY: "1",
        DISABLE_ERROR_REPORTING: "1",
        CLAUDE_CODE_MAX_RETRIES: "2",
        ...(baseUrl === null ? {} : { ANTHROPIC_BASE_URL: baseUrl }),
      },
      files: { [SYSTEM_FILE]: request.system },
      input: request.prompt,
      hosts: [baseUrl === null ? "api.anthropic.com:443" : hostOf(baseUrl)],
      ...(native === null ? {} : { unwrap: native.unwrap }),
    };
  },

  offered: (tools) => [...namesOf(TOOLS, tools), ANSWER_TOOL],
  read: readClaude,
};

/** Null if the schema does not fit into an argument. */
function answerSchema(schema: ProviderRequest["schema"]): NativeSchema | null {
  const native = nativeSchema({ kind: "openai", schemas: true }, schema, true);
  return native !== null && JSON.stringify(native.schema).length <= MAX_ARGUMENT ? native : null;
}
