import { createPack } from "@slipway/agents/pack";
import { SlipwayError } from "@slipway/agents/errors";
import type { Provider, Refusal } from "@slipway/agents/provider";
import { parseRole } from "@slipway/agents/role";
import { openScratchKernel, type ScratchKernel } from "@slipway/kernel/change/testing/scratch-kernel";
import { readPage } from "@slipway/kernel/record/journal/repository";
import { decodePayload } from "@slipway/durable/payload";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { openDispatcher, type AgentRequest } from "./dispatcher.ts";

const ROLE = parseRole("poet.md", "---\nname: poet\ntier: fast\ntools: [read]\nwrite_grant: none\noutput: POEM\n---\nWrite.\n");

let scratch: ScratchKernel;
beforeEach(async () => void (scratch = await openScratchKernel()));
afterEach(() => scratch.close());

/** A model that tries these tools, is refused, and then answers or fails. */
function trying(refusals: readonly Refusal[], failure: SlipwayError | null = null) {
  let calls = 0;
  const provider: Provider = {
    name: "trying",
    works: "prompt",
    async invoke({ onEvent }) {
      calls++;
      refusals.forEach((refusal) => onEvent?.({ kind: "refused", ...refusal }));
      if (failure !== null) throw failure;
      return { text: '{"poem":"green"}', usage: { input_tokens: 1, output_tokens: 1, cost_usd: 0 }, model: null };
    },
  };
  return { provider, calls: () => calls };
}

const request = (step: string): AgentRequest<{ poem: string }> => ({
  role: "poet",
  subject: "spring",
  attempt: "1",
  pack: createPack([]),
  instructions: "Write a poem.",
  schema: z.strictObject({ poem: z.string() }),
  runId: "run1",
  call: { actor: { type: "orchestrator", id: "run1" }, operationId: `run1/${step}` },
});

function dispatcher(provider: Provider, protocol = "features") {
  return openDispatcher({
    protocol: () => protocol,
    kernel: scratch.kernel,
    role: async () => ROLE,
    provider: async () => ({ provider, model: null }),
    onWarning: () => undefined,
  });
}

async function recorded() {
  const rows = await scratch.records.database.db
    .selectFrom("operations")
    .select(["id", "name"])
    .where("name", "=", "agent.refused")
    .execute();
  return rows.map(({ id }) => id);
}

const WRITE: Refusal = { tool: "write_file", path: "src/a.txt", reason: "the poet has no tool write_file" };

test("[FOR-020] a refused call is recorded with role, tool and path before the reply, which names it", async () => {
  const reply = await dispatcher(trying([WRITE]).provider, "forge").invoke(request("one"));
  expect(reply).toEqual({ ok: true, value: { poem: "green" }, refusals: [WRITE] });
  const events = await journal();
  expect(events).toMatchObject([{ role: "forge/poet", subject: "spring", count: 1, refusals: [WRITE] }]);
});

test("without a refusal nothing is recorded", async () => {
  expect(await dispatcher(trying([]).provider).invoke(request("one"))).toEqual({ ok: true, value: { poem: "green" } });
  expect(await recorded()).toEqual([]);
});

test("an invocation that is repeated records its refusals once, and its reply still names them", async () => {
  const { provider, calls } = trying([WRITE]);
  const told: Refusal[][] = [];
  const asked = { ...request("one"), onRefusals: (refusals: readonly Refusal[]) => void told.push([...refusals]) };
  const first = await dispatcher(provider).invoke(asked);
  expect(await dispatcher(provider).invoke(asked)).toEqual(first);
  expect(calls()).toBe(1);
  expect(told).toEqual([[WRITE], [WRITE]]);
  expect(await recorded()).toHaveLength(1);
});

test("the refusals of an answer that was paid for before a crash are not lost", async () => {
  const { provider, calls } = trying([WRITE]);
  const { door } = scratch.kernel;
  const perform: typeof door.perform = (operation, ...rest) =>
    operation.name === "agent.refused" ? Promise.reject(new Error("killed")) : door.relaxed.perform(operation, ...rest);
  const killed = openDispatcher({
    protocol: () => "features",
    kernel: { ...scratch.kernel, door: { ...door, relaxed: { perform } } },
    role: async () => ROLE,
    provider: async () => ({ provider, model: null }),
    onWarning: () => undefined,
  });
  await expect(killed.invoke(request("one"))).rejects.toThrow("killed");
  expect(await dispatcher(provider).invoke(request("one"))).toMatchObject({ ok: true, refusals: [WRITE] });
  expect(calls()).toBe(1);
  expect(await recorded()).toHaveLength(1);
});

test("those of a call that failed are recorded too, and another try of the same invocation adds its own", async () => {
  const failing = trying([WRITE], new SlipwayError("agent_failed", "no answer"));
  await expect(dispatcher(failing.provider).invoke(request("one"))).rejects.toMatchObject({ code: "agent_failed" });
  await dispatcher(trying([{ ...WRITE, path: "src/b.txt" }]).provider).invoke(request("one"));
  expect(await recorded()).toHaveLength(2);
});

test("an event has at most fifty refusals and their number, with names that cannot hide anything", async () => {
  const many = Array.from({ length: 60 }, (_, index) => ({ ...WRITE, path: `a\u202e${index}\n${"x".repeat(500)}` }));
  await dispatcher(trying(many).provider).invoke(request("one"));
  const [event] = (await journal()) as { count: number; refusals: Refusal[] }[];
  expect(event).toMatchObject({ count: 60 });
  expect(event?.refusals).toHaveLength(50);
  expect(event?.refusals[0]?.path).toMatch(/^a\\u202e0\\nx+…?$/);
  expect(event?.refusals[0]?.path?.length).toBeLessThanOrEqual(301);
});

/** The data of the recorded refusals. */
async function journal(): Promise<unknown[]> {
  const { database, objects } = scratch.records;
  const { events } = await readPage(database.db, "repository", { limit: 1000 });
  const payloads = await Promise.all(events.filter(({ name }) => name === "agent.refused").map((event) => decodePayload(objects, event)));
  return payloads.map((payload) => (payload as { readonly event: unknown }).event);
}
