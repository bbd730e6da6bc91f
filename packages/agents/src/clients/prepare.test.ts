import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Workplace } from "../provider.ts";
import { NATIVE_TOOLS, type NativeTool } from "../tools/native-tools.ts";
import { ANSWER } from "../testing/provider-suite-cases.ts";
import { REQUEST, scratch } from "../testing/samples.ts";
import { z } from "zod";
import { CLIENTS } from "./catalog.ts";
import { CLIENT_NAMES, type ClientName, type ClientSession } from "./client.ts";
import { hostOf } from "./hosts.ts";

const schemaOf = (schema: z.ZodType) => z.toJSONSchema(schema, { io: "input" }) as Record<string, unknown>;
const KEY = { kind: "key", variable: "MY_KEY", as: "THE_KEY", value: "sk-1" } as const;
const SIGNED_IN = { kind: "signed_in", files: {}, secrets: [] } as const;

function prepare(name: ClientName, change: Partial<ClientSession> = {}, request: Partial<ClientSession["request"]> = {}) {
  const model = name === "opencode" ? "anthropic/some-model" : "some-model";
  const asked = { ...REQUEST, schema: schemaOf(ANSWER), model, ...request };
  return CLIENTS[name].prepare({ request: asked, home: "/h", baseUrl: null, credentials: KEY, nonce: "n0nce", ...change });
}

const after = (args: readonly string[], option: string) => args[args.indexOf(option) + 1];

describe.each(CLIENT_NAMES)("%s", (name) => {
  test("gets the prompt on stdin, of any length, and the role's prompt separately", () => {
    const long = "x".repeat(3_000_000);
    const { args, input, files } = prepare(name, {}, { prompt: long, system: "You are the planner, 77aa." });
    expect(input).toBe(long);
    expect(args.every((arg) => arg.length < 100_000)).toBe(true);
    expect(Object.values(files).join("\n")).toContain("You are the planner, 77aa.");
    expect(input).not.toContain("77aa");
  });

  test("never has a key in its arguments or files", () => {
    const { args, files, env } = prepare(name);
    expect(JSON.stringify([args, files, env])).not.toContain("sk-1");
  });

  test("reaches its models and no other host", () => {
    expect(prepare(name).hosts).toHaveLength(1);
    const own = prepare(name, { baseUrl: "https://gateway.example/v1" });
    expect(own.hosts).toEqual(["gateway.example:443"]);
    expect(JSON.stringify([own.env, own.files])).toContain("https://gateway.example/v1");
  });

  test("gets a model only if one is chosen", () => {
    const { args } = prepare(name);
    expect(after(args, name === "claude" ? "--model" : "-m")).toMatch(/some-model$/);
  });
});

test("an address is a host and a port", () => {
  expect(hostOf("http://127.0.0.1:8080/v1")).toBe("127.0.0.1:8080");
  expect(hostOf("http://models.local")).toBe("models.local:80");
  expect(hostOf("https://api.example/v1")).toBe("api.example:443");
});

describe("native structured output", () => {
  const union = schemaOf(z.union([z.strictObject({ a: z.string() }), z.strictObject({ b: z.string() })]));

  test("claude: the schema itself, or in a wrapper if it is not an object", () => {
    const plain = prepare("claude");
    expect(JSON.parse(after(plain.args, "--json-schema") ?? "")).toMatchObject({ type: "object", required: ["verdict", "reason"] });
    expect(plain.unwrap?.('{"verdict":"yes"}')).toBe('{"verdict":"yes"}');
    const wrapped = prepare("claude", {}, { schema: union });
    expect(JSON.parse(after(wrapped.args, "--json-schema") ?? "")).toMatchObject({ type: "object", required: ["answer"] });
    expect(wrapped.unwrap?.('{"answer":{"a":"1"}}')).toBe('{"a":"1"}');
    expect(wrapped.unwrap?.("no JSON")).toBe("no JSON");
  });

  test("claude: not a schema that is too long for a command line", () => {
    const huge = schemaOf(z.strictObject({ a: z.enum(Array.from({ length: 20_000 }, (_, index) => `value-${index}`)) }));
    expect(prepare("claude", {}, { schema: huge })).not.toHaveProperty("unwrap");
    expect(prepare("claude", {}, { schema: huge }).args).not.toContain("--json-schema");
  });

  test("a client says that it holds an answer to a schema exactly if it is started with it", () => {
    const optional = schemaOf(z.strictObject({ a: z.string().optional() }));
    const huge = schemaOf(z.strictObject({ a: z.enum(Array.from({ length: 20_000 }, (_, index) => `value-${index}`)) }));
    for (const schema of [schemaOf(ANSWER), union, optional, huge])
      for (const name of CLIENT_NAMES) {
        const { args } = prepare(name, {}, { schema });
        const given = args.includes("--json-schema") || args.includes("--output-schema");
        expect(CLIENTS[name].holdsSchema?.(schema) === true, `${name}: ${JSON.stringify(schema).slice(0, 80)}`).toBe(given);
      }
  });

  test("codex: only if the model's host accepts it unchanged", () => {
    const strict = prepare("codex");
    expect(after(strict.args, "--output-schema")).toBe("/h/answer-schema.json");
    expect(JSON.parse(strict.files["answer-schema.json"] ?? "")).toMatchObject({ additionalProperties: false });
    const optional = schemaOf(z.strictObject({ a: z.string().optional() }));
    expect(prepare("codex", {}, { schema: optional }).args).not.toContain("--output-schema");
    expect(prepare("codex", {}, { schema: optional })).not.toHaveProperty("unwrap");
  });
});

test("claude: may only read and change files, and keeps to the reservation of the call", () => {
  const { args, env } = prepare("claude", {}, { model: null, reserved: { cost_usd: 0.5, tokens: 1000 } });
  expect(after(args, "--tools")).toBe("Read,Write,Edit,Glob,Grep");
  expect(args).toEqual(expect.arrayContaining(["--restricted", "--strict-mcp-config", "--no-session-persistence"]));
  expect(after(args, "--max-budget-usd")).toBe("0.5");
  expect(args).not.toContain("--model");
  expect(env).toMatchObject({ CLAUDE_CONFIG_DIR: "/h/.claude", DISABLE_TELEMETRY: "1" });
  expect(prepare("claude", {}, { reserved: { cost_usd: null, tokens: 1000 } }).args).not.toContain("--max-budget-usd");
});

describe("[FOR-020] only the tools of the role are offered", () => {
  const offered = {
    claude: (tools: readonly NativeTool[]) => after(prepare("claude", {}, { tools }).args, "--tools"),
    gemini: (tools: readonly NativeTool[]) => {
      const { files } = prepare("gemini", {}, { tools });
      const { core } = (JSON.parse(files[".gemini/settings.json"] ?? "") as { tools: { core: string[] } }).tools;
      const policy = files[".gemini/policies/slipway.toml"];
      expect(policy === undefined ? [] : JSON.parse(/toolName = (.*)/.exec(policy)?.[1] ?? "")).toEqual(core);
      return core.join(",");
    },
    opencode: (tools: readonly NativeTool[]) => {
      const { permission } = JSON.parse(prepare("opencode", {}, { tools }).files["opencode.json"] ?? "") as { permission: object };
      expect(permission).toMatchObject({ "*": "deny" });
      return Object.keys(permission).slice(1).join(",");
    },
  };

  test.each([
    ["claude", ["read", "ls"], "Read,Glob"],
    ["claude", [], ""],
    ["claude", NATIVE_TOOLS, "Read,Write,Edit,Glob,Grep,Bash"],
    ["gemini", ["read", "grep"], "read_file,grep_search"],
    ["gemini", [], ""],
    ["gemini", ["run"], "run_shell_command"],
    ["opencode", ["read", "glob"], "read,glob"],
    ["opencode", ["delete"], "edit"],
    ["opencode", [], ""],
    ["opencode", ["run"], "bash"],
  ] as const)("%s for %j: %s", (name, tools, expected) => expect(offered[name](tools)).toBe(expected));

  test("claude: a shell is allowed without a question only where it is granted", () => {
    expect(after(prepare("claude", {}, { tools: ["run"] }).args, "--allowedTools")).toBe("Bash");
    expect(prepare("claude", {}, { tools: ["read"] }).args).not.toContain("--allowedTools");
  });
});

test("codex: does not trust the folder it works in", () => {
  const config = prepare("codex", {}, { workplace: { folder: "/the/pack" } as Workplace }).files[".codex/config.toml"] ?? "";
  expect(config).toMatch(/\[projects\."\/the\/pack"\]\ntrust_level = "untrusted"/);
  expect(config).toContain("include_instructions = false");
});

test("codex: with a key it is a custom provider; with a sign-in, codex's own", () => {
  const config = prepare("codex", {}, { system: 'Say "no".\n' }).files[".codex/config.toml"] ?? "";
  expect(config).toContain('developer_instructions = "Say \\"no\\".\\n"');
  expect(config).toContain('base_url = "https://api.openai.com/v1"');
  expect(config).toContain('env_key = "CODEX_API_KEY"');
  const signedIn = prepare("codex", { credentials: SIGNED_IN }, { model: null });
  expect(signedIn.files[".codex/config.toml"]).not.toContain("model_provider");
  expect(signedIn.hosts).toContain("chatgpt.com:443");
  expect(signedIn.args).not.toContain("-m");
});

test("gemini: trusts nothing in the pack, and its memory file has a name that no pack can guess", () => {
  const { env, files, args, hosts } = prepare("gemini", {}, { model: null });
  expect(after(args, "-m")).toBe("pro");
  expect(env["GEMINI_CLI_TRUST_WORKSPACE"]).toBe("false");
  const settings = JSON.parse(files[".gemini/settings.json"] ?? "") as Record<string, unknown>;
  expect(settings).toMatchObject({
    context: { fileName: ["role-n0nce.md"] },
    hooksConfig: { enabled: false },
    security: { auth: { selectedType: "gemini-api-key" } },
  });
  expect(files[".gemini/role-n0nce.md"]).toBe(REQUEST.system);
  expect(hosts).toEqual(["generativelanguage.googleapis.com:443"]);
  const signedIn = prepare("gemini", { credentials: SIGNED_IN });
  expect(signedIn.files[".gemini/settings.json"]).toContain("oauth-personal");
  expect(signedIn.hosts).toContain("oauth2.googleapis.com:443");
});

describe("opencode", () => {
  test("only allows file tools, and reports when it waits", () => {
    const { files, args } = prepare("opencode");
    expect(JSON.parse(files["opencode.json"] ?? "")).toMatchObject({
      permission: { "*": "deny", read: "allow", edit: "allow" },
      share: "disabled",
    });
    expect(files[".config/opencode/plugin/slipway.js"]).toContain("slipway_retry");
    expect(after(args, "-m")).toBe("anthropic/some-model");
  });

  test("accepts self-hosted models, with or without a key", () => {
    const baseUrl = "http://127.0.0.1:11434/v1";
    const own = JSON.parse(prepare("opencode", { baseUrl }).files["opencode.json"] ?? "") as Record<string, unknown>;
    expect(own).toMatchObject({
      model: "slipway/some-model",
      provider: { slipway: { options: { baseURL: baseUrl, apiKey: "{env:THE_KEY}" } } },
    });
    const keyless = prepare("opencode", { baseUrl, credentials: { kind: "none" } }).files["opencode.json"] ?? "";
    expect(keyless).toContain('"apiKey":"none"');
  });

  test("does not start if it would run code of the repository", () => {
    const folder = scratch("pack");
    const workplace = { folder } as Workplace;
    mkdirSync(join(folder, ".opencode", "agent"), { recursive: true });
    expect(prepare("opencode", {}, { workplace }).args).toContain("run");
    mkdirSync(join(folder, ".opencode", "plugin"));
    expect(() => prepare("opencode", {}, { workplace })).toThrow(/contains \.opencode\/plugin, and opencode would run/);
  });

  test("needs a model with its vendor, and a vendor whose address is known", () => {
    expect(() => prepare("opencode", {}, { model: null })).toThrow(/needs a model of the form provider\/model, found none/);
    expect(() => prepare("opencode", {}, { model: "gpt-5.5" })).toThrow(/found "gpt-5.5"/);
    expect(() => prepare("opencode", {}, { model: "unheard-of/x" })).toThrow(/models of "unheard-of" is unknown/);
  });
});
