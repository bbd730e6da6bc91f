import { existsSync } from "node:fs";
import { join } from "node:path";
import { SlipwayError } from "../errors.ts";
import type { Client, Preparation, ClientSession } from "./client.ts";
import { hostOf } from "./hosts.ts";
import { object, parsedObject, text } from "./json.ts";
import { namesOf, type ToolNames } from "./tool-names.ts";
import { opencodeUsageLog, opencodeWaits, PLUGIN, readOpencode, STEPS } from "./opencode-stream.ts";

/** Its permission for each tool; `edit` covers all of its tools that change files. */
const PERMISSIONS: ToolNames = {
  read: "read",
  edit: "edit",
  write: "edit",
  delete: "edit",
  glob: "glob",
  grep: "grep",
  ls: "list",
  run: "bash",
};
/** Its tools by their permission. */
const TOOLS: Readonly<Record<string, readonly string[]>> = { edit: ["edit", "write", "patch", "apply_patch", "multiedit"] };

const OWN_PROVIDER = "slipway";
const LOGIN = ".local/share/opencode/auth.json";

/** opencode 1.18 runs plugins from these folders even if project configuration is disabled. */
const PLUGIN_FOLDERS = [".opencode/plugin", ".opencode/plugins"];

/** Hosts of each vendor's models; others need a base_url. */
const HOSTS: Readonly<Record<string, readonly string[]>> = {
  anthropic: ["api.anthropic.com:443"],
  openai: ["api.openai.com:443"],
  google: ["generativelanguage.googleapis.com:443"],
  openrouter: ["openrouter.ai:443"],
  opencode: ["opencode.ai:443"],
};

export const opencode: Client = {
  name: "opencode",
  title: "opencode",
  program: "opencode",
  install: "npm i -g opencode-ai",
  tried: "1.18.33",
  signIn: "Run `opencode auth login`.",
  keys: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY", "OPENCODE_API_KEY"].map((variable) => ({
    variable,
    as: variable,
  })),

  /** Only the entry of the model's provider. */
  signedIn({ env, read, model }) {
    const folder = env["XDG_DATA_HOME"] ?? join(env["HOME"] ?? "/", ".local", "share");
    const provider = model?.split("/")[0] ?? "";
    const entry = object(object(parsedObject(read(join(folder, "opencode", "auth.json")) ?? ""))[provider]);
    const secrets = ["key", "access", "refresh"].map((field) => text(entry[field])).filter((secret) => secret !== "");
    return secrets.length === 0 ? null : { files: { [LOGIN]: JSON.stringify({ [provider]: entry }) }, secrets };
  },

  prepare({ request, home, baseUrl, credentials }: ClientSession): Preparation {
    const plugins = PLUGIN_FOLDERS.find((path) => request.workplace !== null && existsSync(join(request.workplace.folder, path)));
    if (plugins !== undefined) throw ownPlugins(plugins);
    const [provider, model] = modelOf(request.model);
    const own = baseUrl === null ? null : { baseUrl, model, key: credentials.kind === "key" ? `{env:${credentials.as}}` : "none" };
    const chosen = `${own === null ? provider : OWN_PROVIDER}/${model}`;
    return {
      args: ["run", "--format", "json", "--title", OWN_PROVIDER, "--agent", OWN_PROVIDER, "-m", chosen],
      env: {
        OPENCODE_CONFIG: join(home, "opencode.json"),
        XDG_CONFIG_HOME: join(home, ".config"),
        XDG_DATA_HOME: join(home, ".local", "share"),
        OPENCODE_FAST_BOOT: "1",
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_PROJECT_CONFIG: "1",
        OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        OPENCODE_DISABLE_CLAUDE_CODE: "1",
        OPENCODE_DISABLE_EXTERNAL_SKILLS: "1",
        NO_COLOR: "1",
      },
      files: {
        "opencode.json": JSON.stringify(settings(chosen, request.system, namesOf(PERMISSIONS, request.tools), own)),
        ".config/opencode/plugin/slipway.js": PLUGIN,
        [STEPS]: "",
      },
      input: request.prompt,
      hosts: baseUrl === null ? (HOSTS[provider] ?? unknownProvider(provider)) : [hostOf(baseUrl)],
    };
  },

  offered: (tools) => namesOf(PERMISSIONS, tools).flatMap((name) => TOOLS[name] ?? [name]),
  read: readOpencode,
  usageLog: opencodeUsageLog,
  waits: opencodeWaits,
};

function modelOf(model: string | null): readonly [provider: string, model: string] {
  const cut = model?.indexOf("/") ?? -1;
  if (model !== null && cut > 0) return [model.slice(0, cut), model.slice(cut + 1)];
  throw new SlipwayError(
    "config_invalid",
    `opencode needs a model of the form provider/model, found ${model === null ? "none" : `"${model}"`}.`,
    {
      provider: "opencode",
      suggested_next_actions: ["Pass --agent-model anthropic/claude-sonnet-4-6, for example."],
    },
  );
}

function ownPlugins(path: string): SlipwayError {
  return new SlipwayError("config_invalid", `The repository contains ${path}, and opencode would run it with access to your key.`, {
    provider: "opencode",
    file: path,
    suggested_next_actions: [`Choose another provider with --agent-provider, or remove ${path} from the repository.`],
  });
}

function unknownProvider(provider: string): never {
  throw new SlipwayError("config_invalid", `The host of opencode's models of "${provider}" is unknown.`, {
    file: "slipway/agents.yaml",
    field: "runtime.opencode.base_url",
    suggested_next_actions: [`Set runtime.opencode.base_url, or use one of ${Object.keys(HOSTS).join(", ")}.`],
  });
}

interface OwnModels {
  readonly baseUrl: string;
  readonly model: string;
  readonly key: string;
}

function settings(chosen: string, system: string, permissions: readonly string[], own: OwnModels | null): object {
  return {
    autoupdate: false,
    share: "disabled",
    snapshot: false,
    model: chosen,
    small_model: chosen,
    permission: { "*": "deny", ...Object.fromEntries(permissions.map((name) => [name, "allow"])) },
    agent: { [OWN_PROVIDER]: { mode: "primary", description: "Works on one context pack.", prompt: system } },
    ...(own === null
      ? {}
      : {
          enabled_providers: [OWN_PROVIDER],
          provider: {
            [OWN_PROVIDER]: {
              npm: "@ai-sdk/openai-compatible",
              name: OWN_PROVIDER,
              options: { baseURL: own.baseUrl, apiKey: own.key },
              models: { [own.model]: { name: own.model } },
            },
          },
        }),
  };
}
