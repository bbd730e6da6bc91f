import { agentFor, agentText, changeFor, measuredModels, readWish, readWishes } from "@slipway/protocols/criticality/benchmark/models";
import { describe, expect, test } from "vitest";

const wish = (text: string) => readWish("--candidate", text);

describe("a model that a person names for a benchmark", () => {
  test.each([
    ["auditor=x", /the auditor takes no part in Injection/],
    ["wroker=x", /there is no alias "wroker"/],
    ["nonsense=x", /there is no alias "nonsense"/],
    ["worker=", /is not the name of a model/],
    ["worker=a b", /is not the name of a model/],
    ["worker", /is not the name of a model/],
  ])("%s is refused with what to write instead", (text, said) => {
    expect(() => wish(text)).toThrow(said);
  });

  test("is refused a second time for the same role", () => {
    expect(() => readWishes("--candidate", "worker=a,worker_model=b")).toThrow("names a model for worker twice");
    expect(readWishes("--candidate", "worker=a,architect=b").map(({ role }) => role)).toEqual(["worker", "architect"]);
  });

  test.each([
    ["worker=claude", { provider: "claude", model: null }, "claude"],
    ["worker=acp:own:big", { provider: "acp:own", model: "big" }, "acp:own:big"],
    ["worker=claude-opus-4-5", { provider: "claude", model: "claude-opus-4-5" }, "claude:claude-opus-4-5"],
  ])("%s is played by this agent", async (text, agent, shown) => {
    const found = await agentFor(wish(text), '[project]\nname = "x"\n');
    expect(found).toMatchObject(agent);
    expect(agentText(found)).toBe(shown);
    expect(await agentFor(wish(text), null)).toMatchObject(agent);
    expect(await agentFor(wish(text), '[models]\nworker = "claude-sonnet-4-5"\n')).toMatchObject(agent);
  });

  test("is set in criticality.toml, or in agents.yaml where its provider is named or an override precedes it", () => {
    const agent = { provider: "claude", model: "claude-opus-4-5", provider_config_env: null } as const;
    const overridden = { runtime: { role_provider_overrides: { "criticality/worker": { provider: "codex" } } } };
    expect(changeFor(wish("worker=claude-opus-4-5"), agent, null)).toContain('below [models]: worker = "claude-opus-4-5"');
    expect(changeFor(wish("worker=claude-opus-4-5"), agent, overridden as never)).toContain("criticality/worker: { provider: claude");
    expect(changeFor(wish("worker=claude"), { ...agent, model: null }, null)).toMatch(/criticality\/worker: \{ provider: claude \}$/);
  });

  test("is measured only in the tiers that are reached, and only where an agent plays", () => {
    const agents = { worker: { provider: "claude", model: null, provider_config_env: null } } as const;
    expect(measuredModels(agents, "worker")).toEqual({ worker: "claude" });
    expect(measuredModels(agents, "fallback2")).toEqual({});
  });
});
