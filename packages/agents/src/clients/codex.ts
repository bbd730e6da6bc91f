import { join } from "node:path";
import { nativeSchema, type NativeSchema } from "../api/answer-schema.ts";
import type { ProviderRequest } from "../provider.ts";
import type { Client, Preparation, ClientSession } from "./client.ts";
import { codexUsageLog, readCodex } from "./codex-stream.ts";
import { hostOf } from "./hosts.ts";
import { amount, object, parsedObject, text } from "./json.ts";

const PUBLIC = "https://api.openai.com/v1";
const KEY = "CODEX_API_KEY";
const HEADLESS = ["exec", "--json", "--skip-git-repo-check", "--color", "never"];
/** Its own sandbox cannot start inside ours, which is stricter. */
const OPEN_INSIDE = ["--dangerously-bypass-approvals-and-sandbox"];
const CLOSED = ["--ignore-rules", "--disable", "plugins", "--disable", "apps"];
const SCHEMA_FILE = "answer-schema.json";

export const codex: Client = {
  name: "codex",
  title: "Codex",
  program: "codex",
  install: "npm i -g @openai/codex",
  tried: "0.166.0",
  signIn: "Run `codex login`.",
  keys: [
    { variable: KEY, as: KEY },
    { variable: "OPENAI_API_KEY", as: KEY },
  ],

  /** Leaves out the refresh token: it is valid once, and using it would sign the user out. */
  signedIn({ env, read, now }) {
    const folder = env["CODEX_HOME"] ?? join(env["HOME"] ?? "/", ".codex");
    const auth = object(parsedObject(read(join(folder, "auth.json")) ?? ""));
    const key = text(auth["OPENAI_API_KEY"]);
    if (key !== "") return { files: authFile({ OPENAI_API_KEY: key }), secrets: [key] };
    const tokens = object(auth["tokens"]);
    const access = text(tokens["access_token"]);
    if (access === "" || expiryOf(access) < now) return null;
    const withoutRefresh = { ...tokens, refresh_token: "" };
    const files = authFile({ ...auth, tokens: withoutRefresh, last_refresh: new Date(now).toISOString() });
    return { files, secrets: [access, text(tokens["id_token"])] };
  },

  holdsSchema: (schema) => strictSchema(schema) !== null,

  prepare({ request, home, baseUrl, credentials }: ClientSession): Preparation {
    const strict = strictSchema(request.schema);
    const own = credentials.kind === "key" || baseUrl !== null;
    return {
      args: [
        ...HEADLESS,
        ...OPEN_INSIDE,
        ...CLOSED,
        ...(request.model === null ? [] : ["-m", request.model]),
        ...(strict === null ? [] : ["--output-schema", join(home, SCHEMA_FILE)]),
        "-",
      ],
      env: { CODEX_HOME: join(home, ".codex") },
      files: {
        ".codex/config.toml": settings(request, own ? (baseUrl ?? PUBLIC) : null),
        ...(strict === null ? {} : { [SCHEMA_FILE]: JSON.stringify(strict.schema) }),
      },
      input: request.prompt,
      hosts: own ? [hostOf(baseUrl ?? PUBLIC)] : ["chatgpt.com:443", "api.openai.com:443"],
      ...(strict === null ? {} : { unwrap: strict.unwrap }),
    };
  },

  /** It has a shell in every role; without a tool that changes files its folder is mounted read-only. */
  offered: () => null,
  read: readCodex,
  usageLog: codexUsageLog,
};

/** The client requests strict mode, which OpenAI rejects for a schema with optional fields. */
function strictSchema(schema: ProviderRequest["schema"]): NativeSchema | null {
  const native = nativeSchema({ kind: "openai", schemas: true }, schema, true);
  return native?.strict === true ? native : null;
}

function authFile(auth: object): Record<string, string> {
  return { ".codex/auth.json": JSON.stringify(auth) };
}

/** JSON strings are valid TOML strings. */
function settings({ system, workplace }: ProviderRequest, baseUrl: string | null): string {
  const provider =
    baseUrl === null
      ? []
      : [
          'model_provider = "slipway"',
          "[model_providers.slipway]",
          'name = "slipway"',
          `base_url = ${JSON.stringify(baseUrl)}`,
          `env_key = "${KEY}"`,
          'wire_api = "responses"',
          // It would wait silently for the whole retry time; report the limit instead.
          "request_max_retries = 0",
          "stream_max_retries = 0",
        ];
  return [
    `developer_instructions = ${JSON.stringify(system)}`,
    "check_for_update_on_startup = false",
    // Files of the pack are not instructions.
    "project_doc_max_bytes = 0",
    "skills = { include_instructions = false }",
    "features = { hooks = false, skill_search = false, skip_host_skill_discovery = true, multi_agent = false }",
    'web_search = "disabled"',
    // Commands get neither the key nor other secrets.
    'shell_environment_policy = { inherit = "core", exclude = ["*KEY*", "*TOKEN*", "*SECRET*"] }',
    "analytics = { enabled = false }",
    ...provider,
    // Files of the pack are not configuration either; in a trusted folder they would override ours.
    `[projects.${JSON.stringify(workplace?.folder ?? "/")}]`,
    'trust_level = "untrusted"',
    "",
  ].join("\n");
}

/** Expiry of a JSON web token; 0 if it is not one. */
function expiryOf(token: string): number {
  const [, payload = ""] = token.split(".");
  return amount(object(parsedObject(Buffer.from(payload, "base64url").toString("utf8")))["exp"]) * 1000;
}
