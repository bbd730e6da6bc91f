import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseAgents, type AgentsConfig } from "@slipway/kernel/config/agents";
import { explainSelection, fallbacksFor, selectProvider, type Wishes } from "./select.ts";
import { refusalOf } from "./testing/samples.ts";

const agents = (runtime: unknown) => parseAgents("slipway/agents.yaml", `version: 1\nroles: {}\nruntime: ${JSON.stringify(runtime)}\n`);
const wishes = (changes: Partial<Wishes> = {}): Wishes => ({ flags: {}, env: {}, agents: null, ...changes });

const FULL = agents({
  default_provider: "codex",
  default_model: "file-model",
  provider_config_env: "FILE_KEY",
  role_provider_overrides: { qa: { provider: "gemini", model: "qa-model" }, builder: { model: "builder-model" } },
});
const KEYS = { FILE_KEY: "1", ENV_KEY: "2", FLAG_KEY: "3" };
const ENV = { ...KEYS, SLIPWAY_AGENT_PROVIDER: "claude", SLIPWAY_AGENT_MODEL: "env-model", SLIPWAY_PROVIDER_CONFIG_ENV: "ENV_KEY" };
const FLAGS = { provider: "custom", model: "flag-model", configEnv: "FLAG_KEY" };

test("[FEA-162] flags win over the environment, the environment over agents.yaml, each value on its own", () => {
  const fromFile = { provider: "codex", model: "file-model", configEnv: "FILE_KEY" };
  const fromEnv = { provider: "claude", model: "env-model", configEnv: "ENV_KEY" };
  expect(selectProvider("planner", wishes({ env: KEYS, agents: FULL }))).toEqual(fromFile);
  expect(selectProvider("planner", wishes({ env: ENV, agents: FULL }))).toEqual(fromEnv);
  expect(selectProvider("planner", wishes({ env: ENV, flags: FLAGS, agents: FULL }))).toEqual(FLAGS);
  const variables = { provider: "SLIPWAY_AGENT_PROVIDER", model: "SLIPWAY_AGENT_MODEL", configEnv: "SLIPWAY_PROVIDER_CONFIG_ENV" } as const;
  for (const field of ["provider", "model", "configEnv"] as const) {
    expect(selectProvider("planner", wishes({ env: ENV, flags: { [field]: FLAGS[field] }, agents: FULL }))).toEqual({
      ...fromEnv,
      [field]: FLAGS[field],
    });
    const alone = { ...KEYS, [variables[field]]: ENV[variables[field]] };
    expect(selectProvider("planner", wishes({ env: alone, agents: FULL }))).toEqual({ ...fromFile, [field]: fromEnv[field] });
  }
  for (const provider of ["codex", "claude", "gemini", "custom"])
    expect(selectProvider("planner", wishes({ flags: { provider } })).provider).toBe(provider);
});

test("[FEA-056] a role's override applies only if neither flag nor environment says otherwise", () => {
  expect(selectProvider("qa", wishes({ env: KEYS, agents: FULL }))).toMatchObject({ provider: "gemini", model: "qa-model" });
  expect(selectProvider("builder", wishes({ env: KEYS, agents: FULL }))).toMatchObject({ provider: "codex", model: "builder-model" });
  expect(selectProvider("qa", wishes({ env: { ...KEYS, SLIPWAY_AGENT_MODEL: "env-model" }, agents: FULL }))).toMatchObject({
    provider: "gemini",
    model: "env-model",
  });
  expect(selectProvider("qa", wishes({ env: ENV, agents: FULL }))).toMatchObject({ provider: "claude", model: "env-model" });
  expect(selectProvider("qa", wishes({ env: KEYS, flags: { provider: "custom" }, agents: FULL }))).toMatchObject({
    provider: "custom",
    model: "qa-model",
  });
});

test("a resumed run keeps its selection, unless a flag or the environment says otherwise", () => {
  const recorded = { provider: "gemini", model: "recorded-model", provider_config_env: "ENV_KEY" };
  const begunWith = { provider: "gemini", model: "recorded-model", configEnv: "ENV_KEY" };
  expect(selectProvider("planner", wishes({ env: KEYS, recorded, agents: FULL }))).toEqual(begunWith);
  expect(selectProvider("planner", wishes({ env: { ...KEYS, SLIPWAY_AGENT_MODEL: "env-model" }, recorded, agents: FULL }))).toEqual({
    ...begunWith,
    model: "env-model",
  });
  expect(selectProvider("planner", wishes({ env: KEYS, flags: FLAGS, recorded, agents: FULL }))).toEqual(FLAGS);
  expect(selectProvider("planner", wishes({ env: KEYS, recorded: { ...recorded, model: null }, agents: FULL })).model).toBe("file-model");
});

test("an empty value is no value", () => {
  expect(
    selectProvider(
      "qa",
      wishes({
        flags: { provider: "" },
        env: { SLIPWAY_AGENT_PROVIDER: "", SLIPWAY_AGENT_MODEL: "" },
        agents: agents({ default_provider: "replay" }),
      }),
    ),
  ).toEqual({
    provider: "replay",
    model: null,
    configEnv: null,
  });
});

describe("refusals", () => {
  test("no provider", async () => {
    for (const config of [null, agents({})]) {
      expect(await refusalOf(() => selectProvider("planner", wishes({ agents: config })))).toMatchObject({
        code: "agent_provider_not_configured",
        message: expect.stringContaining("planner"),
      });
    }
  });

  test("an unknown provider, with a hint", async () => {
    expect(await refusalOf(() => selectProvider("planner", wishes({ flags: { provider: "cluade" } })))).toMatchObject({
      code: "unsupported_agent_provider",
      message: expect.stringContaining('Did you mean "claude"?'),
    });
    const error = await refusalOf(() => selectProvider("planner", wishes({ env: { SLIPWAY_AGENT_PROVIDER: "toString" } })));
    expect(error.message).toBe('There is no agent provider "toString".');
  });

  test("missing credentials", async () => {
    expect(
      await refusalOf(() => selectProvider("planner", wishes({ flags: { provider: "claude", configEnv: "MY_KEY" }, env: { MY_KEY: "" } }))),
    ).toMatchObject({ code: "provider_auth_missing", details: { variable: "MY_KEY" } });
  });
});

test("no selection contains the value of the credentials", () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 8 }).filter((value) => !"claude MY_KEY provider configEnv model null".includes(value)),
      (secret) => {
        const selection = selectProvider(
          "planner",
          wishes({ flags: { provider: "claude", configEnv: "MY_KEY" }, env: { MY_KEY: secret }, agents: null as AgentsConfig | null }),
        );
        expect(JSON.stringify(selection)).not.toContain(JSON.stringify(secret));
      },
    ),
  );
});

describe("tiers", () => {
  const tiered = agents({
    default_provider: "claude",
    default_model: "house",
    tiers: { fast: { model: "small" }, strong: { provider: "codex", model: "large" } },
    role_provider_overrides: { qa: { provider: "gemini" } },
  });
  const select = (role: string, more: Partial<Wishes> = {}) => {
    const { provider, model } = selectProvider(role, { flags: {}, env: {}, agents: tiered, ...more });
    return `${provider} ${model}`;
  };

  test("come before the default and after the role's own", () => {
    expect(select("builder", { tier: "fast" })).toBe("claude small");
    expect(select("builder", { tier: "standard" })).toBe("claude house");
    expect(select("planner", { tier: "strong" })).toBe("codex large");
    expect(select("qa", { tier: "strong" })).toBe("gemini house");
  });

  test("a raised tier comes before the run's first selection, but not before a person's current one", () => {
    const recorded = { provider: "claude", model: "small", provider_config_env: null };
    expect(select("builder", { tier: "strong", recorded })).toBe("claude small");
    expect(select("builder", { tier: "strong", recorded, escalated: true })).toBe("codex large");
    expect(select("builder", { tier: "strong", escalated: true, flags: { provider: "opencode" } })).toBe("opencode house");
  });

  test("fallbacks: in order, without the chosen provider", () => {
    const fallbacks = [{ provider: "claude", model: "house" }, { provider: "codex" }];
    const chosen = { provider: "claude", model: "house", configEnv: "KEY" } as const;
    expect(fallbacksFor(chosen, agents({ fallbacks }))).toEqual([{ provider: "codex", model: null, configEnv: null }]);
    expect(fallbacksFor(chosen, null)).toEqual([]);
    const fallback = { provider: "claude", model: "large" } as const;
    const own = { named: null, usual: { provider: chosen.provider, model: chosen.model ?? "", fallback } };
    expect(fallbacksFor({ ...chosen, model: own.usual.model }, null, own)).toEqual([{ ...fallback, configEnv: null }]);
    expect(fallbacksFor({ ...chosen, model: "another" }, null, own)).toEqual([]);
    expect(fallbacksFor(chosen, agents({ fallbacks }), own)).toEqual([{ provider: "codex", model: null, configEnv: null }]);
  });
});

describe("the configuration of a protocol", () => {
  const usual = { provider: "claude", model: "large" };
  const named = { provider: "opencode", model: "groq/small" };

  test("a named model goes before tier and default of agents.yaml", () => {
    const chosen = explainSelection("worker", {
      flags: {},
      env: {},
      agents: agents({ default_provider: "replay" }),
      protocol: { named, usual },
    });
    expect(chosen).toMatchObject({ ...named, why: { provider: "protocol", model: "protocol" } });
  });

  test("an override of the role in agents.yaml goes before it, and its model belongs to its own provider", () => {
    const overridden = agents({ default_provider: "replay", role_provider_overrides: { builder: { provider: "codex" } } });
    const chosen = explainSelection("builder", { flags: {}, env: {}, agents: overridden, protocol: { named, usual } });
    expect(chosen).toMatchObject({ provider: "codex", model: null });
  });

  test("what it uses by itself counts only where nothing is configured", () => {
    const unnamed = { named: null, usual };
    expect(explainSelection("worker", { flags: {}, env: {}, agents: null, protocol: unnamed })).toMatchObject(usual);
    const configured = explainSelection("worker", {
      flags: {},
      env: {},
      agents: agents({ default_provider: "replay" }),
      protocol: unnamed,
    });
    expect(configured).toMatchObject({ provider: "replay", model: null });
  });
});
