import { join } from "node:path";
import type { Client, Preparation, ClientSession } from "./client.ts";
import { geminiUsageLog, readGemini } from "./gemini-stream.ts";
import { hostOf } from "./hosts.ts";
import { object, parsedObject, text } from "./json.ts";
import { namesOf, type ToolNames } from "./tool-names.ts";

const PUBLIC = "generativelanguage.googleapis.com:443";
const SIGNED_IN = ["cloudcode-pa.googleapis.com:443", "oauth2.googleapis.com:443", "www.googleapis.com:443"];
const TOOLS: ToolNames = {
  read: "read_file",
  write: "write_file",
  edit: "replace",
  glob: "glob",
  grep: "grep_search",
  ls: "list_directory",
  delete: null,
  run: "run_shell_command",
};
const CLOSED = ["--allowed-mcp-server-names", "none", "-e", "none"];
/** "auto" would use a model to choose the model. */
const DEFAULT_MODEL = "pro";
const LOGIN = ".gemini/oauth_creds.json";

export const gemini: Client = {
  name: "gemini",
  title: "Gemini CLI",
  program: "gemini",
  install: "npm i -g @google/gemini-cli",
  tried: "0.61.0",
  signIn: "Start gemini once and sign in.",
  keys: [{ variable: "GEMINI_API_KEY", as: "GEMINI_API_KEY" }],

  /** Complete: its token is valid for an hour, and refreshing it does not sign the user out. */
  signedIn({ env, read }) {
    const content = read(join(env["HOME"] ?? "/", LOGIN));
    const login = object(parsedObject(content ?? ""));
    const secrets = [text(login["refresh_token"]), text(login["access_token"])].filter((secret) => secret !== "");
    return content === null || secrets.length === 0 ? null : { files: { [LOGIN]: content }, secrets };
  },

  prepare({ request, baseUrl, credentials, nonce }: ClientSession): Preparation {
    const memory = `role-${nonce}.md`;
    const tools = namesOf(TOOLS, request.tools);
    return {
      args: ["-m", request.model ?? DEFAULT_MODEL, "-o", "stream-json", ...CLOSED],
      env: {
        // A pack may contain settings, hooks and servers. In an untrusted folder Gemini ignores them, and it edits without asking only
        // where our policy allows it.
        GEMINI_CLI_TRUST_WORKSPACE: "false",
        GEMINI_CLI_NO_RELAUNCH: "true",
        NO_COLOR: "1",
        ...(baseUrl === null ? {} : { GOOGLE_GEMINI_BASE_URL: baseUrl }),
      },
      files: {
        ".gemini/settings.json": JSON.stringify(settingsFor(memory, tools, credentials.kind === "signed_in")),
        ...(tools.length === 0
          ? {}
          : { ".gemini/policies/slipway.toml": `[[rule]]\ntoolName = ${JSON.stringify(tools)}\ndecision = "allow"\npriority = 900\n` }),
        // The system prompt as its memory file, under a name no pack can contain.
        [`.gemini/${memory}`]: request.system,
      },
      input: request.prompt,
      hosts: baseUrl !== null ? [hostOf(baseUrl)] : credentials.kind === "signed_in" ? SIGNED_IN : [PUBLIC],
    };
  },

  offered: (tools) => namesOf(TOOLS, tools),
  read: readGemini,
  usageLog: geminiUsageLog,
};

function settingsFor(memory: string, core: readonly string[], signedIn: boolean): object {
  return {
    security: { auth: { selectedType: signedIn ? "oauth-personal" : "gemini-api-key" }, folderTrust: { enabled: false } },
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 1, checkpointing: { enabled: false } },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    context: { fileName: [memory] },
    tools: { core },
    mcp: { allowed: [] },
    hooksConfig: { enabled: false },
    skills: { enabled: false },
    experimental: { enableAgents: false },
  };
}
