import type { Provider, ProviderRequest } from "@slipway/agents/provider";
import { SlipwayError } from "@slipway/agents/errors";
import type { ErrorCode } from "@slipway/durable/errors";
import type { Kernel } from "@slipway/kernel/kernel";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import { afterEach, describe, expect, test } from "vitest";
import { openDispatcher, type AgentDispatcher } from "../dispatch/dispatcher.ts";
import { featuresRole } from "./roles.ts";
import { openWorkshop, patchOf, planFor, resultOf, type Workshop } from "./testing/workshop.ts";

let services: Workshop;
afterEach(() => services.close());

type Turn = Error | object | (() => Error);

const limit = (code: ErrorCode, wake_at: number | null) => new SlipwayError(code, "slow down", { wake_at });
const NOTE = { type: "NOTE", text: "fine", updates: [{ path: "src/a.txt", hunks: [{ start_line: 1, end_line: 1 }], status: "passed" }] };
const PATCH = patchOf("src/a.txt", "one", "two");

/** A scripted model: it throws the errors of the script and answers everything else. The last turn is repeated. */
function scripted(script: Readonly<Record<string, readonly Turn[]>>) {
  const asked: ProviderRequest[] = [];
  const provider: Provider = {
    name: "scripted",
    works: "prompt",
    async invoke(request) {
      const before = asked.filter(({ role }) => role === request.role).length;
      asked.push(request);
      const turns = script[request.role] ?? [];
      const turn = turns[Math.min(before, turns.length - 1)];
      if (typeof turn === "function") throw turn();
      if (turn instanceof Error) throw turn;
      return { text: JSON.stringify(turn), usage: { input_tokens: 10, output_tokens: 5, cost_usd: 0.25 }, model: "m" };
    },
  };
  const dispatcher = (kernel: Kernel): AgentDispatcher =>
    openDispatcher({
      protocol: () => "features",
      kernel,
      role: (name) => featuresRole(name, async () => null),
      provider: async () => ({ provider, model: "m" }),
      onWarning: () => undefined,
    });
  return { asked, dispatcher };
}

const HAPPY = { planner: [planFor()], builder: [PATCH], qa: [NOTE] };
const attempts = (asked: readonly ProviderRequest[], role: string) =>
  asked.filter((one) => one.role === role).map(({ attempt }) => attempt);
const agents = (runtime: string) => ({ "slipway/agents.yaml": `{ version: 1, roles: {}, runtime: ${runtime} }\n` });

async function open(script: Parameters<typeof scripted>[0], runtime = "{}") {
  const { asked, dispatcher } = scripted(script);
  services = await openWorkshop({}, { dispatcher, files: agents(runtime) });
  return { asked, runId: await services.start() };
}

const only = async (): Promise<InboxQuestion> => {
  const [question, ...others] = await services.open();
  if (question === undefined || others.length > 0) throw new Error(`${others.length + 1} questions`);
  return question;
};
const events = async (runId: string, kind: string) =>
  (await services.engine.events(`${runId}/feature:letters`)).filter((event) => event.kind === kind).map(({ name }) => name);

describe("a limit of the provider", () => {
  test("is waited for as long as it says, as often as it occurs, without using up an attempt", async () => {
    const soon = () => limit("rate_limited", Date.now() + 20);
    const { asked, runId } = await open({ ...HAPPY, builder: [soon(), limit("quota_exhausted", 5), soon(), PATCH] });
    expect((await services.drive(runId)).status).toBe("waiting");
    // The policy allows only two attempts in each phase.
    expect(attempts(asked, "builder")).toEqual(["1", "1", "1", "1"]);
    expect(await events(runId, "slept")).toEqual(["pause:builder:1", "pause:builder:1~2", "pause:builder:1~3"]);
    expect((await only()).kind).toBe("approval");
    const { features } = await services.kernel.features.dashboard();
    expect(features).toMatchObject([{ status: "ready_to_merge", cost_usd: 0.75 }]);
  });

  test("an outage is waited out and then asked about, without using up an attempt; the answer waits again", async () => {
    const down = () => new SlipwayError("provider_unavailable", "connect ECONNREFUSED");
    // 0.001 minutes are over after the first wait of two seconds.
    const { asked, runId } = await open({ ...HAPPY, builder: [down(), down(), down(), PATCH] }, "{ outage_minutes: 0.001 }");
    expect((await services.drive(runId)).status).toBe("waiting");
    const question = await only();
    expect(question).toMatchObject({ kind: "limit", title: "letters waits: provider_unavailable" });
    expect(await events(runId, "slept")).toEqual(["pause:builder:1"]);
    await services.answer(question, { decision: "retry" });
    await services.drive(runId);
    expect((await only()).kind).toBe("approval");
    expect(attempts(asked, "builder")).toEqual(["1", "1", "1", "1"]);
    expect(await events(runId, "slept")).toEqual(["pause:builder:1", "pause:builder:1~3"]);
  });

  test("a run that is stopped while it waits continues with the same attempt when the time is over", async () => {
    let wakeAt = Infinity;
    const limited = () => limit("rate_limited", (wakeAt = Date.now() + 4_000));
    const { asked, runId } = await open({ ...HAPPY, planner: [limited, planFor()] });
    const stop = new AbortController();
    const driven = services.engine.drive(runId, { signal: stop.signal });
    while ((await events(runId, "sleeping")).length === 0) await new Promise((resolve) => void setImmediate(resolve));
    stop.abort(new Error("enough"));
    expect((await driven).status).toBe("stopped");
    await services.drive(runId);
    expect(Date.now()).toBeGreaterThanOrEqual(wakeAt);
    expect(attempts(asked, "planner")).toEqual(["1", "1"]);
    expect((await only()).kind).toBe("approval");
  });

  test("a quota without a reset time becomes a question; the attempt continues with the answer", async () => {
    const { asked, runId } = await open({ ...HAPPY, qa: [limit("quota_exhausted", null), NOTE] });
    expect((await services.drive(runId)).status).toBe("waiting");
    const question = await only();
    expect(question).toMatchObject({ kind: "limit", context: { feature_id: "letters", code: "quota_exhausted" } });
    await services.answer(question, { decision: "retry" });
    await services.drive(runId);
    expect(attempts(asked, "qa")).toEqual(["1", "1"]);
    expect((await only()).kind).toBe("approval");
  });

  test("a person may end the feature at a quota", async () => {
    const { runId } = await open({ ...HAPPY, planner: [limit("quota_exhausted", null)] });
    await services.drive(runId);
    await services.answer(await only(), { decision: "give_up", comment: "too dear" });
    expect(resultOf(await services.drive(runId))).toMatchObject({ status: "failed" });
    const { features } = await services.kernel.features.dashboard();
    expect(features).toMatchObject([{ status: "failed", status_reason: "too dear" }]);
  });
});

describe("a budget that might be exceeded", () => {
  test("asks with what was spent, continues after raise or once, and calls no agent twice for the same answer", async () => {
    const { asked, runId } = await open(HAPPY, "{ budgets: { run: { max_calls: 1 } } }");
    expect((await services.drive(runId)).status).toBe("waiting");
    const first = await only();
    expect(first).toMatchObject({
      kind: "budget",
      title: "letters waits: the budget of the run might be exceeded (1 call of 1 call spent)",
      context: { feature_id: "letters", scope: "run", dimension: "calls", limit: 1, spent: 1, wanted: 1 },
    });
    expect(first.options.map(({ value }) => value)).toEqual(["raise", "once", "retry", "give_up"]);
    expect(first.options[0]?.label).toContain("raise it to 2 calls for this run");
    await services.answer(first, { decision: "raise" });
    await services.drive(runId);
    const second = await only();
    expect(second).toMatchObject({ kind: "budget", context: { limit: 2, spent: 2 } });
    await services.answer(second, { decision: "once" });
    await services.drive(runId);
    expect((await only()).kind).toBe("approval");
    expect(asked.map(({ role, attempt }) => `${role} ${attempt}`)).toEqual(["planner 1", "builder 1", "qa 1"]);
    expect((await services.operations()).map(({ name }) => name)).toEqual(expect.arrayContaining(["budget.raise", "budget.allow_once"]));
  });

  test("raise applies to every feature of the run that waits for it", async () => {
    const { asked, dispatcher } = scripted({});
    services = await openWorkshop({}, { dispatcher, files: agents("{ budgets: { run: { max_tokens: 1 } } }") });
    const runId = await services.start("left", "right");
    await services.drive(runId);
    const [first, second] = await services.open();
    expect([first?.kind, second?.kind, asked.length]).toEqual(["budget", "budget", 0]);
    await services.answer(first!, { decision: "raise", limit: 10_000_000 });
    await services.drive(runId);
    expect(asked.length).toBeGreaterThan(0);
    expect((await services.open()).filter(({ kind }) => kind === "budget")).toEqual([]);
  });

  test.each([
    ["{ run: { max_minutes: 0.01 } }", 30, "1 min"],
    ["{ feature: { max_tokens: 10 } }", 900_000, "tokens"],
  ])("%s can be raised to a given limit, in the units of agents.yaml", async (budgets, limitGiven, unit) => {
    const { runId } = await open(HAPPY, `{ budgets: ${budgets} }`);
    await services.drive(runId);
    const question = await only();
    expect(question.options[0]?.label).toContain(unit);
    await services.answer(question, { decision: "raise", limit: limitGiven });
    await services.drive(runId);
    expect((await only()).kind).toBe("approval");
  });

  test("without a price no higher limit is offered, and retry asks again while the price is missing", async () => {
    const { runId } = await open(HAPPY, "{ budgets: { run: { max_cost_usd: 5 } } }");
    await services.drive(runId);
    const question = await only();
    expect(question.body).toContain("the price of the model m is unknown");
    expect(question.options.map(({ value }) => value)).toEqual(["retry", "once", "give_up"]);
    await services.answer(question, { decision: "retry" });
    await services.drive(runId);
    expect((await only()).name).toBe("budget:planner:1~2");
  });

  test("give_up ends the feature, and nothing was paid", async () => {
    const { asked, runId } = await open(HAPPY, "{ budgets: { roles: { planner: { max_tokens: 5 } } } }");
    await services.drive(runId);
    expect((await only()).title).toContain("the role planner");
    await services.answer(await only(), { decision: "give_up" });
    expect(resultOf(await services.drive(runId))).toMatchObject({ status: "failed" });
    expect(asked).toEqual([]);
  });
});

test("after two failures the role gets the next tier", async () => {
  const escalations: (number | undefined)[] = [];
  const { dispatcher } = scripted({ ...HAPPY, builder: [patchOf("src/a.txt", "one", "BUG")] });
  const watching = (kernel: Kernel): AgentDispatcher => {
    const inner = dispatcher(kernel);
    return {
      invoke(request, signal) {
        if (request.role === "builder") escalations.push(request.escalations);
        return inner.invoke(request, signal);
      },
    };
  };
  services = await openWorkshop({}, { dispatcher: watching });
  const runId = await services.start();
  await services.drive(runId);
  await services.answer(await only(), { decision: "retry" });
  await services.drive(runId);
  expect(escalations).toEqual([0, 0, 1, 1]);
});
