import { parseAgents } from "@slipway/kernel/config/agents";
import { describe, expect, test } from "vitest";
import { refusalOf } from "../testing/samples.ts";
import { chooseModel, endpointsOf, isOwn, keyFor } from "./endpoints.ts";

const config = (endpoints: string) =>
  parseAgents("slipway/agents.yaml", `version: 1\nroles: {}\nruntime:\n  api:\n    endpoints: ${endpoints}\n`);
const named = (name: string, endpoints: string) => endpointsOf(config(endpoints)).find((endpoint) => endpoint.name === name);

describe("endpoints", () => {
  test("without configuration they are the well-known ones with their variables", () => {
    expect(endpointsOf(null).map(({ name, kind, keyEnv }) => [name, kind, keyEnv])).toEqual([
      ["anthropic", "anthropic", "ANTHROPIC_API_KEY"],
      ["openai", "openai", "OPENAI_API_KEY"],
      ["google", "google", "GEMINI_API_KEY"],
      ["openrouter", "openai-compatible", "OPENROUTER_API_KEY"],
      ["ollama", "openai-compatible", null],
      ["vllm", "openai-compatible", null],
      ["lmstudio", "openai-compatible", null],
    ]);
  });

  test("agents.yaml changes a known one in part and adds others", () => {
    expect(named("anthropic", "{ anthropic: { kind: anthropic, base_url: 'http://127.0.0.1:1/v1/' } }")).toMatchObject({
      baseUrl: "http://127.0.0.1:1/v1",
      keyEnv: "ANTHROPIC_API_KEY",
    });
    expect(named("work", "{ work: { kind: openai, key_env: WORK_KEY } }")).toMatchObject({
      baseUrl: "https://api.openai.com/v1",
      keyEnv: "WORK_KEY",
    });
    expect(named("local", "{ local: { kind: openai-compatible, base_url: 'http://10.0.0.2:8080/v1' } }")).toMatchObject({
      keyEnv: null,
      schemas: false,
    });
  });

  test("a known name with another kind does not use the known key", () => {
    expect(named("openai", "{ openai: { kind: openai-compatible, base_url: 'https://proxy.example/v1' } }")).toMatchObject({
      keyEnv: null,
    });
  });

  test("an endpoint without an address is refused", async () => {
    const refusal = await refusalOf(() => endpointsOf(config("{ local: { kind: openai-compatible } }")));
    expect(refusal).toMatchObject({ code: "config_invalid", details: { field: "runtime.api.endpoints.local.base_url" } });
  });

  test("only a server on this machine without a key costs nothing", () => {
    const own = endpointsOf(null)
      .filter(isOwn)
      .map(({ name }) => name);
    expect(own).toEqual(["ollama", "vllm", "lmstudio"]);
    expect(isOwn({ ...endpointsOf(null)[4]!, baseUrl: "http://localhost.example/v1" })).toBe(false);
  });
});

describe("the model's name", () => {
  const endpoints = endpointsOf(null);

  test("is the endpoint's name and the rest, including slashes", () => {
    expect(chooseModel("openrouter/meta/llama-4", endpoints)).toMatchObject({ endpoint: { name: "openrouter" }, model: "meta/llama-4" });
  });

  test.each([null, "claude-sonnet-4-5", "/claude", "anthropic/"])("%s is refused with the expected form", async (name) => {
    const refusal = await refusalOf(() => chooseModel(name, endpoints));
    expect(refusal.code).toBe("agent_provider_not_configured");
    expect(refusal.details.suggested_next_actions[0]).toContain("<endpoint>/<model>");
  });

  test("an unknown endpoint is refused, with the closest name", async () => {
    expect((await refusalOf(() => chooseModel("antropic/x", endpoints))).message).toContain('Did you mean "anthropic"?');
    expect((await refusalOf(() => chooseModel("nowhere-near/x", endpoints))).message).not.toContain("Did you mean");
  });
});

describe("the key", () => {
  const [anthropic] = endpointsOf(null);

  test("is read only from the endpoint's variable", async () => {
    expect(keyFor(anthropic!, { ANTHROPIC_API_KEY: " a \n", OPENAI_API_KEY: "b" })).toBe("a");
    expect(await refusalOf(() => keyFor(anthropic!, { OPENAI_API_KEY: "b" }))).toMatchObject({
      code: "provider_auth_missing",
      details: { variable: "ANTHROPIC_API_KEY", requires_human: true },
    });
  });

  test("is not needed if the endpoint has no variable for it", () => {
    expect(keyFor({ ...anthropic!, keyEnv: null }, {})).toBe(null);
  });
});
