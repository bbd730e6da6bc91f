import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPack } from "@slipway/agents/pack";
import type { Provider, ProviderRequest } from "@slipway/agents/provider";
import { parseRole } from "@slipway/agents/role";
import { SlipwayError } from "@slipway/agents/errors";
import { telemetryOf } from "@slipway/kernel/budget/telemetry";
import { openBudget } from "@slipway/kernel/budget/budget";
import { parseAgents } from "@slipway/kernel/config/agents";
import type { Kernel } from "@slipway/kernel/kernel";
import { layoutAt } from "@slipway/kernel/host/layout";
import type { Door } from "@slipway/kernel/record/operations/door";
import { openRecords } from "@slipway/kernel/open-records";
import type { Records } from "@slipway/kernel/record/storage";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { openDispatcher, type AgentRequest, type DispatcherOptions } from "./dispatcher.ts";

const ROLE = parseRole("poet.md", "---\nname: poet\ntier: fast\ntools: []\nwrite_grant: none\noutput: POEM\n---\nWrite.\n");

let records: Records;
let seen: ProviderRequest[];
let answers: (string | Error)[];

beforeEach(async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "slipway-desk-")));
  mkdirSync(join(root, ".slipway"));
  execFileSync("git", ["init", "--quiet", root]);
  records = await openRecords({ layout: layoutAt(root) });
  seen = [];
  answers = [];
});

afterEach(() => records.close());

const provider: Provider = {
  name: "scripted",
  works: "prompt",
  async invoke(request) {
    seen.push(request);
    const answer = answers.shift() ?? '{"poem":"none"}';
    if (answer instanceof Error) throw answer;
    return {
      text: answer,
      usage: { input_tokens: 10, output_tokens: 5, cost_usd: 0.01, duration_ms: 3 },
      model: "m1",
      warnings: ["careful"],
    };
  },
};

function dispatcher(warnings: string[] = [], runtime = "{}", changes: Partial<DispatcherOptions> = {}) {
  const agents = parseAgents("slipway/agents.yaml", `{ version: 1, roles: {}, runtime: ${runtime} }`);
  const { database, door, objects, clock, ids } = records;
  const budget = openBudget({ db: database.db, door, objects, clock, ids, config: agents.runtime.budgets });
  const kernel = { records, door, clock, budget, configuration: { agents }, conceal: <V>(value: V) => value } as unknown as Kernel;
  return openDispatcher({
    protocol: () => "features",
    kernel,
    role: async () => ROLE,
    provider: async () => ({ provider, model: "m0" }),
    onWarning: (text) => warnings.push(text),
    ...changes,
  });
}

function request(operationId: string): AgentRequest<{ poem: string }> {
  return {
    role: "poet",
    subject: "spring",
    attempt: "1",
    pack: createPack([{ title: "spec", kind: "spec", text: "about spring" }]),
    instructions: "Write a poem.",
    schema: z.strictObject({ poem: z.string() }),
    runId: "run1",
    call: { actor: { type: "system", id: "run1" }, operationId },
  };
}

test("an answer is returned, counted and kept with its transcript", async () => {
  const warnings: string[] = [];
  answers = ['{"poem":"green"}'];
  expect(await dispatcher(warnings).invoke(request("run1/poet:1"))).toEqual({ ok: true, value: { poem: "green" } });
  const [row] = await telemetryOf(records.database.db, { feature_id: "spring" });
  expect(row).toMatchObject({
    run_id: "run1",
    role: "poet",
    provider: "scripted",
    model: "m1",
    input_tokens: 10,
    output_tokens: 5,
    cost_usd: 0.01,
    calls: 1,
  });
  const transcript = Buffer.from(await records.objects.get(row?.transcript_digest ?? "")).toString();
  expect(transcript).toContain("about spring");
  expect(transcript).toContain("green");
  expect(warnings).toEqual(["careful"]);
});

test("an invocation that has ended is never paid for again", async () => {
  answers = ['{"poem":"one"}', '{"poem":"two"}'];
  await dispatcher().invoke(request("run1/poet:1"));
  expect(await dispatcher().invoke(request("run1/poet:1"))).toEqual({ ok: true, value: { poem: "one" } });
  expect(seen).toHaveLength(1);
});

test("an answer that never fits its schema is a value, with what it cost", async () => {
  answers = ["no", "no", "no"];
  const reply = await dispatcher().invoke(request("run1/poet:1"));
  expect(reply).toMatchObject({ ok: false, failure: { code: "agent_output_invalid" } });
  expect((await telemetryOf(records.database.db, { feature_id: "spring" }))[0]).toMatchObject({ calls: 3, cost_usd: 0.03 });
});

test("a retryable failure is thrown and not recorded, so the same call can be made again", async () => {
  answers = [new SlipwayError("agent_failed", "no answer"), '{"poem":"late"}'];
  await expect(dispatcher().invoke(request("run1/poet:1"))).rejects.toMatchObject({ code: "agent_failed" });
  expect(await dispatcher().invoke(request("run1/poet:1"))).toEqual({ ok: true, value: { poem: "late" } });
});

test("a reply that arrived before the process was killed is not paid for again, even if the operation was not recorded", async () => {
  answers = ['{"poem":"one"}', '{"poem":"two"}'];
  const whole = records;
  const killed = () => Promise.reject(new Error("killed"));
  const perform: Door["perform"] = (operation, ...call) =>
    whole.door.perform(operation.name === "agent.invoke" ? { ...operation, commit: killed } : operation, ...call);
  records = { ...whole, door: { ...whole.door, perform, relaxed: { perform } } };
  await expect(dispatcher().invoke(request("run1/poet:1"))).rejects.toThrow("killed");
  records = whole;
  expect(await dispatcher().invoke(request("run1/poet:1"))).toEqual({ ok: true, value: { poem: "one" } });
  expect(seen).toHaveLength(1);
  expect(await telemetryOf(records.database.db, { feature_id: "spring" })).toMatchObject([{ calls: 1, cost_usd: 0.01 }]);
});

describe("a request", () => {
  test("for a role of another protocol asks for that protocol's role, and is counted as its", async () => {
    const asked: unknown[] = [];
    const players: Partial<DispatcherOptions> = {
      role: async (name, owner) => (asked.push([name, owner]), ROLE),
      provider: async (name, _wanted, owner) => (asked.push([name, owner]), { provider, model: null }),
    };
    await dispatcher([], "{}", players).invoke({ ...request("run1/poet:1"), protocol: "forge" });
    await dispatcher([], "{}", players).invoke(request("run1/poet:2"));
    expect(asked).toEqual([
      ["poet", "forge"],
      ["poet", "forge"],
      ["poet", "features"],
      ["poet", "features"],
    ]);
    const rows = await telemetryOf(records.database.db, { feature_id: "spring" });
    expect(rows.map(({ role }) => role)).toEqual(["forge/poet", "poet"]);
  });

  test("says how often an answer is repaired, and how it is written", async () => {
    answers = ["poem: none\npoet: me", "poem: green"];
    const yaml = { ...request("run1/poet:1"), answer: "yaml", maxRepairs: 1 } as const;
    const sentBack = [expect.stringContaining("poet")];
    expect(await dispatcher().invoke(yaml)).toEqual({ ok: true, value: { poem: "green" }, sentBack });
    answers = ['```json\n{"poem":"green"}\n```', '{"poem":"green"}'];
    const only = { ...request("run1/poet:2"), answer: "only_json", maxRepairs: 0 } as const;
    expect(await dispatcher().invoke(only)).toMatchObject({ ok: false, failure: { message: expect.stringContaining("a code fence") } });
    expect(seen).toHaveLength(3);
  });
});

describe("a pause", () => {
  const invocation = "run1/poet:1";
  const first = () => ({ ...request("run1/poet:1"), invocation });
  const again = () => ({ ...request("run1/poet:1~2"), invocation });

  test.each(["rate_limited", "quota_exhausted"] as const)(
    "%s is returned as a failure, counts nowhere, and another call continues",
    async (code) => {
      answers = [new SlipwayError(code, "slow down", { wake_at: 77 }), '{"poem":"late"}'];
      const paused = { ok: false, failure: { code, details: { wake_at: 77, provider: "scripted" } } };
      expect(await dispatcher().invoke(first())).toMatchObject(paused);
      expect(await telemetryOf(records.database.db, { feature_id: "spring" })).toEqual([]);
      // After a crash the same call is made again, with the same result.
      expect(await dispatcher().invoke(first())).toMatchObject(paused);
      expect(await dispatcher().invoke(again())).toEqual({ ok: true, value: { poem: "late" } });
      expect(seen).toHaveLength(2);
      expect(await telemetryOf(records.database.db, { feature_id: "spring" })).toMatchObject([{ calls: 1, cost_usd: 0.01 }]);
    },
  );

  test("an answer from before the pause is not asked for again", async () => {
    answers = ["no poem", new SlipwayError("rate_limited", "slow down"), '{"poem":"late"}'];
    expect(await dispatcher().invoke(first())).toMatchObject({ ok: false });
    expect(await dispatcher().invoke(again())).toMatchObject({ ok: true });
    expect(seen.map(({ repair }) => repair)).toEqual([0, 1, 1]);
    expect(await telemetryOf(records.database.db, { feature_id: "spring" })).toMatchObject([
      { id: invocation, calls: 2, cost_usd: 0.02, transcript_digest: expect.any(String) },
    ]);
  });

  test("for a budget that might be exceeded: nothing is sent, and the call continues after the person's answer", async () => {
    const runtime = "{ budgets: { roles: { poet: { max_calls: 1 } } } }";
    await dispatcher([], runtime).invoke(request("run1/poet:0"));
    expect(await dispatcher([], runtime).invoke(first())).toMatchObject({
      ok: false,
      failure: { code: "budget_exceeded", details: { scope: "role", name: "poet", dimension: "calls", limit: 1, spent: 1, wanted: 1 } },
    });
    expect(seen).toHaveLength(1);
    const { database, door, objects, clock, ids } = records;
    const budget = openBudget({ db: database.db, door, objects, clock, ids, config: undefined });
    await budget.allowOnce({ actor: first().call.actor, operationId: "allow" }, invocation);
    expect(await dispatcher([], runtime).invoke(again())).toMatchObject({ ok: true });
  });
});

describe("the choice of a provider", () => {
  const other: Provider = { ...provider, name: "other" };

  test("an unavailable provider is replaced by the next, with a warning and in the telemetry", async () => {
    const warnings: string[] = [];
    answers = [new SlipwayError("agent_not_installed", "claude is not installed"), '{"poem":"by another"}'];
    const players = { provider: async () => ({ provider, model: "m0", fallbacks: [{ provider: other, model: "m9" }] }) };
    expect(await dispatcher(warnings, "{}", players).invoke(request("run1/poet:1"))).toMatchObject({ ok: true });
    expect(seen.map(({ model }) => model)).toEqual(["m0", "m9"]);
    expect(warnings[0]).toBe("scripted is unavailable (claude is not installed); using other instead");
    expect(await telemetryOf(records.database.db, { feature_id: "spring" })).toMatchObject([{ provider: "other", calls: 1 }]);
  });

  test("without another fallback the last failure is returned; a provider that only failed is not replaced", async () => {
    const unavailable = () => new SlipwayError("provider_unavailable", "not there");
    answers = [unavailable(), unavailable(), new SlipwayError("agent_refused", "I would rather not")];
    const players = { provider: async () => ({ provider, model: null, fallbacks: [{ provider: other, model: null }] }) };
    const reply = await dispatcher([], "{}", players).invoke(request("run1/poet:1"));
    expect(reply).toMatchObject({ ok: false, failure: { code: "provider_unavailable" } });
    expect(await dispatcher([], "{}", players).invoke(request("run1/poet:2"))).toMatchObject({ failure: { code: "agent_refused" } });
    expect(seen).toHaveLength(3);
  });

  test("an escalated role asks for the tier above its own", async () => {
    const asked: unknown[] = [];
    const players = { provider: async (_role: string, wanted: unknown) => (asked.push(wanted), { provider, model: null }) };
    await dispatcher([], "{}", players).invoke(request("run1/poet:1"));
    await dispatcher([], "{}", players).invoke({ ...request("run1/poet:2"), escalations: 1 });
    expect(asked).toEqual([
      { tier: "fast", escalated: false },
      { tier: "standard", escalated: true },
    ]);
  });
});
