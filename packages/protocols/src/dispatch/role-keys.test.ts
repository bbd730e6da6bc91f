import { parseAgents } from "@slipway/kernel/config/agents";
import { selectProvider } from "@slipway/agents/select";
import { expect, test } from "vitest";
import { assertKnownRoles, everyRole, roleKeys } from "./role-keys.ts";

const agents = (overrides: object, roles: object = {}, budgets: object = {}) =>
  parseAgents(
    "slipway/agents.yaml",
    JSON.stringify({
      version: 1,
      roles,
      runtime: { default_provider: "claude", role_provider_overrides: overrides, budgets: { roles: budgets } },
    }),
  );
const played = (protocol: string, role: string, overrides: object) =>
  selectProvider(role, { flags: {}, env: {}, agents: agents(overrides), keys: roleKeys({ protocol, role }) }).provider;

test("every role of every protocol can have its own provider and budget", async () => {
  for (const { protocol, role } of await everyRole()) {
    const own = { [`${protocol}/${role}`]: { provider: "gemini" } };
    await assertKnownRoles(agents(own, {}, { [`${protocol}/${role}`]: { max_calls: 1 } }));
    expect(played(protocol, role, own)).toBe("gemini");
  }
});

test("a role without a protocol means the default protocol, even if another protocol has a role of that name", () => {
  expect(played("features", "planner", { planner: { provider: "codex" } })).toBe("codex");
  expect(played("factory", "planner", { planner: { provider: "codex" } })).toBe("claude");
});

test("the key with a protocol comes before the bare one", () => {
  const both = { planner: { provider: "codex" }, "features/planner": { provider: "gemini" } };
  expect(played("features", "planner", both)).toBe("gemini");
});

test.each([
  [
    "an override",
    agents({ "factory/arbitor": { provider: "codex" } }),
    "/runtime/role_provider_overrides/factory/arbitor",
    "factory/arbiter",
  ],
  ["a prompt", agents({}, { tester: {} }), "/roles/tester", ""],
  ["a budget", agents({}, {}, { "factory/planer": {} }), "/runtime/budgets/roles/factory/planer", "factory/planner"],
  ["a role of another protocol without it", agents({}, {}, { proposer: {} }), "/runtime/budgets/roles/proposer", "factory/proposer"],
])("%s for a role that does not exist is refused with its field", async (_what, config, field, meant) => {
  await expect(assertKnownRoles(config)).rejects.toMatchObject({
    code: "config_invalid",
    message: expect.stringContaining(meant),
    details: { file: "slipway/agents.yaml", field },
  });
});
