import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JournalEvent } from "@slipway/durable/chain";
import { openEngine } from "@slipway/durable/engine";
import { workflow } from "@slipway/durable/ctx";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { recordTelemetry } from "../telemetry.ts";
import { layoutAt } from "../../host/layout.ts";
import { openRecords } from "../../open-records.ts";
import { createRedactor } from "../../host/redaction/redactor.ts";
import { missingRunLogs, openRunLog } from "./run-log.ts";
import { lineOf, type LogLine } from "./lines.ts";

const SECRET = "not-for-any-log";
const RUN = "2026-01-01_log";

const child = workflow("child", "1", async (ctx) => ctx.step("work", async () => ({ said: SECRET })));
const parent = workflow("parent", "1", async (ctx) => {
  await ctx.step("first", async () => "x".repeat(10_000));
  return ctx.child("feature:a", child, {});
});

async function site() {
  const root = mkdtempSync(join(tmpdir(), "slipway-run-log-"));
  const records = await openRecords({ layout: layoutAt(root) });
  onTestFinished(() => records.close());
  const { database, objects, clock, ids, inbox, layout } = records;
  const engine = await openEngine({ sqlite: database.sqlite, blobs: objects, clock, ids, inbox, workflows: [parent, child], kernel: null });
  const warnings: string[] = [];
  const open = () =>
    openRunLog({ records, redactor: createRedactor({ secrets: [SECRET] }), onWarning: (text) => void warnings.push(text) });
  const file = join(layout.run(RUN), "journal.jsonl");
  const lines = () =>
    readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as LogLine);
  const invoke = (id: string) =>
    records.door.perform(
      {
        name: "agent.invoke",
        roles: ["system"],
        input: z.strictObject({}),
        commit: async (tx) => {
          const counted = { input_tokens: 7, output_tokens: 3, cost_usd: 0.5, duration_ms: 9, calls: 1 };
          const who = { run_id: `${RUN}/feature:a`, feature_id: "a", role: "builder", provider: "claude", model: "m" };
          await recordTelemetry(tx, { id, ...who, ...counted, transcript_digest: "d", at: 1 });
          return null;
        },
      },
      { type: "system", id: "test" },
      id,
      {},
    );
  await engine.start("parent", {}, { runId: RUN });
  await engine.drive(RUN);
  return { records, open, file, lines, invoke, warnings, layout };
}

test("contains every event of a run and its children and their operations, redacted", async () => {
  const { open, lines, invoke, warnings } = await site();
  await invoke(`${RUN}/feature:a/builder:1`);
  await invoke("another-run/feature:a/builder:1");
  const log = open();
  log.note(`${RUN}/feature:a`);
  await log.settle();
  const seen = lines();
  expect(seen.map(({ event, data }) => [event, data.stream, data.name])).toContainEqual(["step", `${RUN}/feature:a`, "work"]);
  expect(seen.find(({ data }) => data.name === "first")?.data).toMatchObject({ payload_characters: expect.any(Number) });
  expect(seen.filter(({ event }) => event === "model_call")).toMatchObject([
    {
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: { role: "builder", feature: "a", provider: "claude", tokensIn: 7, tokensOut: 3, costUsd: 0.5, durationMs: 9, transcript: "d" },
    },
  ]);
  expect(JSON.stringify(seen)).not.toContain(SECRET);
  expect(JSON.stringify(seen)).not.toContain("another-run");
  expect(warnings).toEqual([]);
});

test("another process continues where the last one stopped, even in the middle of a line", async () => {
  const { open, file, lines, invoke } = await site();
  const first = open();
  first.note(RUN);
  first.note(RUN);
  await first.settle();
  const before = lines();
  appendFileSync(file, '{"timestamp":"2026');
  await invoke(`${RUN}/feature:a/builder:1`);
  const second = open();
  second.note(RUN);
  await second.settle();
  second.note(RUN);
  await second.settle();
  expect(lines().slice(0, before.length)).toEqual(before);
  expect(lines().slice(before.length)).toMatchObject([{ event: "model_call" }]);
});

test("events that a power cut removed from the journal are removed, and their successors are added", async () => {
  const { open, file, lines } = await site();
  const first = open();
  first.note(RUN);
  await first.settle();
  const whole = lines();
  const last = whole.findLast(({ data }) => data.stream === RUN)!;
  const lost = { ...last, data: { ...last.data, seq: last.data.seq + 1, name: "lost" } };
  writeFileSync(file, [...whole.slice(0, -1), lost].map((line) => `${JSON.stringify(line)}\n`).join(""));
  const next = open();
  next.note(RUN);
  await next.settle();
  expect(lines().map(({ data }) => data.name)).not.toContain("lost");
  expect(lines()).toEqual(whole);
});

test("an unknown run writes nothing, and an unwritable file gives one warning", async () => {
  const { open, file, warnings, layout } = await site();
  const log = open();
  await log.settle();
  log.note("answer_abc");
  await log.settle();
  expect(existsSync(layout.run("answer_abc"))).toBe(false);
  mkdirSync(file, { recursive: true });
  log.note(RUN);
  await log.settle();
  log.note(RUN);
  await log.settle();
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(/^journal\.jsonl cannot be written: /);
});

test("an edited file is not appended to", async () => {
  const { open, file, warnings, layout } = await site();
  mkdirSync(layout.run(RUN), { recursive: true });
  writeFileSync(file, "hello\n");
  const log = open();
  log.note(RUN);
  await log.settle();
  expect(readFileSync(file, "utf8")).toBe("hello\n");
  expect(warnings).toHaveLength(1);
});

test.each([
  ["with its key", "op-7", { stream: RUN, seq: 1, name: "approve", key: "op-7" }],
  ["without one", null, { stream: RUN, seq: 1, name: "approve" }],
])("a line names its event in the journal, %s", (_case, key, place) => {
  const event = { stream: RUN, seq: 1, name: "approve", key, kind: "answer", at: 0, payload: "{}", prev: "", hash: "" };
  expect(lineOf(event as unknown as JournalEvent, null).data).toEqual({ ...place, payload: {} });
});

test("an approval's token is removed", () => {
  const payload = JSON.stringify({ value: { decision: "approve", token: "payload.signature" }, input_tokens: 3 });
  const event = { stream: RUN, seq: 1, name: "approve", key: null, kind: "answer", at: 0, payload, prev: "", hash: "" };
  const { data } = lineOf(event as unknown as JournalEvent, null);
  expect(data["payload"]).toEqual({ value: { decision: "approve", token: "[token]" }, input_tokens: 3 });
});

test("a file that is removed during its run is written again from the beginning", async () => {
  const { open, file, lines, invoke } = await site();
  const log = open();
  log.note(RUN);
  await log.settle();
  const before = lines();
  rmSync(file);
  await invoke(`${RUN}/feature:a/builder:1`);
  log.note(RUN);
  await log.settle();
  expect(lines().slice(0, before.length)).toEqual(before);
  expect(lines().slice(before.length)).toMatchObject([{ event: "model_call" }]);
});

test("missing logs of ended runs are listed", async () => {
  const { open, file, records, layout } = await site();
  const missing = () => missingRunLogs(records.database.db, layout);
  expect(await missing()).toEqual([RUN]);
  const log = open();
  log.note(RUN);
  await log.settle();
  expect(await missing()).toEqual([]);
  rmSync(file);
  await records.database.db.updateTable("runs").set({ finished_at: null }).where("run_id", "=", RUN).execute();
  expect(await missing()).toEqual([]);
});
