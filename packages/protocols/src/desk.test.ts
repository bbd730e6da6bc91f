import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPack } from "@slipway/agents/pack";
import type { Provider, ProviderRequest } from "@slipway/agents/provider";
import { parseRole } from "@slipway/agents/role";
import { SlipwayError } from "@slipway/durable/errors";
import { telemetryOf } from "@slipway/kernel/evidence/telemetry";
import type { Kernel } from "@slipway/kernel/kernel";
import { layoutOf } from "@slipway/kernel/layout";
import { openRecords, type Records } from "@slipway/kernel/records";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { openDesk, type Commission } from "./desk.ts";

const ROLE = parseRole("poet.md", "---\nname: poet\ntier: fast\ntools: []\nwrite_grant: none\noutput: POEM\n---\nWrite.\n");

let records: Records;
let seen: ProviderRequest[];
let answers: (string | Error)[];

beforeEach(async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "slipway-desk-")));
  mkdirSync(join(root, ".slipway"));
  execFileSync("git", ["init", "--quiet", root]);
  records = await openRecords({ layout: layoutOf(root) });
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

function desk(warnings: string[] = []) {
  const kernel = { records, door: records.door, clock: records.clock } as unknown as Kernel;
  return openDesk({
    kernel,
    role: async () => ROLE,
    provider: async () => ({ provider, model: "m0" }),
    onWarning: (text) => warnings.push(text),
  });
}

function commission(operationId: string): Commission<{ poem: string }> {
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
  expect(await desk(warnings).invoke(commission("run1/poet:1"))).toEqual({ ok: true, value: { poem: "green" } });
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
  await desk().invoke(commission("run1/poet:1"));
  expect(await desk().invoke(commission("run1/poet:1"))).toEqual({ ok: true, value: { poem: "one" } });
  expect(seen).toHaveLength(1);
});

test("an answer that never fits its schema is a value, with what it cost", async () => {
  answers = ["no", "no", "no"];
  const reply = await desk().invoke(commission("run1/poet:1"));
  expect(reply).toMatchObject({ ok: false, failure: { code: "agent_output_invalid" } });
  expect((await telemetryOf(records.database.db, { feature_id: "spring" }))[0]).toMatchObject({ calls: 3, cost_usd: 0.03 });
});

test("trouble that may pass is thrown and not recorded, so the same call can be made again", async () => {
  answers = [new SlipwayError("agent_failed", "no answer"), '{"poem":"late"}'];
  await expect(desk().invoke(commission("run1/poet:1"))).rejects.toMatchObject({ code: "agent_failed" });
  expect(await desk().invoke(commission("run1/poet:1"))).toEqual({ ok: true, value: { poem: "late" } });
});
