import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { scratch } from "../testing/samples.ts";
import { CLIENTS } from "./catalog.ts";
import type { ClientName } from "./client.ts";
import { findCredentials, keyVariables, secretsOf } from "./credentials.ts";

const NOW = Date.UTC(2026, 10, 16);
const token = (exp: number) => ["e30", Buffer.from(JSON.stringify({ exp })).toString("base64url"), "x"].join(".");
const LATER = token(NOW / 1000 + 3600);

function find(
  name: ClientName,
  files: Record<string, unknown>,
  env: Record<string, string> = {},
  model: string | null = null,
  configEnv: string | null = null,
) {
  const home = scratch("login");
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), typeof content === "string" ? content : JSON.stringify(content));
  }
  return findCredentials(CLIENTS[name], { env: { HOME: home, ...env }, configEnv, model, now: NOW });
}

describe("a key", () => {
  test("comes from the named variable first, then from the client's own, in order", () => {
    const env = { MY_KEY: "a", ANTHROPIC_API_KEY: "b", CLAUDE_CODE_OAUTH_TOKEN: "c" };
    const named = find("claude", {}, env, null, "MY_KEY");
    expect(named).toEqual({ kind: "key", variable: "MY_KEY", as: "ANTHROPIC_API_KEY", value: "a" });
    expect(find("claude", {}, env, null, "CLAUDE_CODE_OAUTH_TOKEN")).toMatchObject({ as: "CLAUDE_CODE_OAUTH_TOKEN", value: "c" });
    expect(find("claude", {}, env)).toMatchObject({ variable: "ANTHROPIC_API_KEY", value: "b" });
    expect(find("claude", {}, { ANTHROPIC_API_KEY: "", CLAUDE_CODE_OAUTH_TOKEN: "c" })).toMatchObject({ as: "CLAUDE_CODE_OAUTH_TOKEN" });
    expect(find("codex", {}, { OPENAI_API_KEY: "d" })).toEqual({
      kind: "key",
      variable: "OPENAI_API_KEY",
      as: "CODEX_API_KEY",
      value: "d",
    });
    expect(keyVariables(named!)).toEqual({ ANTHROPIC_API_KEY: "a" });
    expect(secretsOf(named!)).toEqual(["a"]);
  });

  test("of another vendor is not used", () => {
    expect(find("codex", {}, { ANTHROPIC_API_KEY: "x", AWS_SECRET_ACCESS_KEY: "y" })).toBeNull();
    expect(find("gemini", {}, { OPENAI_API_KEY: "x" })).toBeNull();
  });
});

describe("a sign-in is copied without tokens that could sign the user out", () => {
  test("claude: the access token, and never the refresh token", () => {
    const login = { claudeAiOauth: { accessToken: "at-1", refreshToken: "rt-1", expiresAt: NOW + 1, scopes: ["user:inference"] } };
    const found = find("claude", { ".claude/.credentials.json": login, ".claude.json": { projects: {} } });
    expect(found).toEqual({
      kind: "signed_in",
      files: {
        ".claude/.credentials.json": JSON.stringify({
          claudeAiOauth: { accessToken: "at-1", expiresAt: NOW + 1, scopes: ["user:inference"] },
        }),
      },
      secrets: ["at-1"],
    });
    expect(keyVariables(found!)).toEqual({});
    expect(secretsOf(found!)).toEqual(["at-1"]);
    expect(find("claude", { ".claude/.credentials.json": { claudeAiOauth: { ...login.claudeAiOauth, expiresAt: NOW - 1 } } })).toBeNull();
    expect(find("claude", { ".claude/.credentials.json": "broken {" })).toBeNull();
  });

  test("codex: tokens without the single-use one, or the key that was signed in with", () => {
    const found = find("codex", {
      ".codex/auth.json": {
        auth_mode: "chatgpt",
        tokens: { access_token: LATER, id_token: "id-1", refresh_token: "rt-1", account_id: "acc" },
      },
    });
    const [content = ""] = found?.kind === "signed_in" ? Object.values(found.files) : [];
    expect(JSON.parse(content)).toEqual({
      auth_mode: "chatgpt",
      tokens: { access_token: LATER, id_token: "id-1", refresh_token: "", account_id: "acc" },
      last_refresh: new Date(NOW).toISOString(),
    });
    expect(secretsOf(found!)).toEqual([LATER, "id-1"]);
    const old = { tokens: { access_token: token(NOW / 1000 - 1), refresh_token: "rt-1" } };
    expect(find("codex", { ".codex/auth.json": old })).toBeNull();
    expect(find("codex", { ".codex/auth.json": { tokens: { access_token: "no token" } } })).toBeNull();
    expect(find("codex", { "elsewhere/auth.json": { OPENAI_API_KEY: "sk-1" } }, { CODEX_HOME: "/nowhere" })).toBeNull();
    expect(secretsOf(find("codex", { ".codex/auth.json": { OPENAI_API_KEY: "sk-1", tokens: null } })!)).toEqual(["sk-1"]);
  });

  test("gemini: complete, because refreshing it signs nobody out", () => {
    const login = { access_token: "at", refresh_token: "rt", expiry_date: 1 };
    expect(find("gemini", { ".gemini/oauth_creds.json": login })).toMatchObject({
      files: { ".gemini/oauth_creds.json": JSON.stringify(login) },
      secrets: ["rt", "at"],
    });
    expect(find("gemini", { ".gemini/oauth_creds.json": {} })).toBeNull();
  });

  test("opencode: only the entry of the model's provider", () => {
    const files = { ".local/share/opencode/auth.json": { anthropic: { type: "api", key: "k-1" }, openai: { type: "api", key: "k-2" } } };
    expect(find("opencode", files, {}, "anthropic/claude-sonnet-4-6")).toMatchObject({
      files: { ".local/share/opencode/auth.json": JSON.stringify({ anthropic: { type: "api", key: "k-1" } }) },
      secrets: ["k-1"],
    });
    expect(find("opencode", files, {}, "mistral/large")).toBeNull();
    expect(find("opencode", files)).toBeNull();
  });
});

test("models that need no credentials get none", () => {
  expect(secretsOf({ kind: "none" })).toEqual([]);
  expect(keyVariables({ kind: "none" })).toEqual({});
});
