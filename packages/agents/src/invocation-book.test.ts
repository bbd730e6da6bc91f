import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import { layoutAt } from "@slipway/kernel/host/layout";
import { objectStore } from "@slipway/kernel/record/objects/store";
import { createRedactor } from "@slipway/kernel/host/redaction/redactor";
import { expect, test } from "vitest";
import { openBook, type BookOptions } from "./invocation-book.ts";
import { cassetteWriter } from "./record.ts";
import { scratch, tickingClock } from "./testing/samples.ts";
import type { Moment } from "./transcripts/line.ts";

const FACTS = { run: "r1/feature:x", step: "qa:1", role: "qa", subject: "x", attempt: "1", provider: "claude", model: null };
const usage = { input_tokens: 1, output_tokens: 1, cost_usd: 0 };
const MOMENTS: Moment[] = [
  { kind: "sent", repair: 0, system: "s", prompt: "p", prompt_digest: "a".repeat(64) },
  { kind: "answer", repair: 0, text: '{"say":"my-secret-word"}', usage, model: null, duration_ms: 5 },
];

function book(more: Partial<BookOptions> = {}) {
  const layout = layoutAt(scratch("book"));
  const objects = objectStore(nodeFileSystem, layout.objects);
  const warnings: string[] = [];
  const opened = openBook({ layout, objects, clock: tickingClock(), onWarning: (text) => void warnings.push(text), ...more });
  return { layout, objects, warnings, opened };
}

test("an invocation is stored as transcript, cassette and trace; a secret in the answer is reported", async () => {
  const folder = scratch("tape");
  const traced: string[] = [];
  const { objects, warnings, opened } = book({
    redactor: () => createRedactor({ secrets: ["my-secret-word"] }),
    cassette: cassetteWriter({ folder, description: "", clock: tickingClock() }),
    tracing: {
      carry: () => undefined,
      begin: ({ role }) => ({
        watch: ({ kind }) => void traced.push(`${role} ${kind}`),
        end: (reason) => void traced.push(`end ${reason}`),
      }),
      close: async () => undefined,
    },
  });
  const page = await opened.begin(FACTS);
  for (const moment of MOMENTS) await page.watch(moment);
  const digest = await page.keep();
  const transcript = readFileSync(objects.pathOf(digest!), "utf8");
  const entry = readFileSync(join(folder, "qa", "x.1.json"), "utf8");
  for (const text of [transcript, entry]) {
    expect(text).toContain("[redacted]");
    expect(text).not.toContain("my-secret-word");
  }
  expect(traced).toEqual(["qa sent", "qa answer", "end undefined"]);
  expect(warnings).toEqual([
    expect.stringMatching(/^the answer of the qa for x, attempt 1 contains a secret; the cassette has \[redacted\]/),
  ]);
  const left = await opened.begin(FACTS);
  left.leave("stopped");
  expect(traced.at(-1)).toBe("end stopped");
});

test("a cassette of an ordinary answer has nothing redacted", async () => {
  const folder = scratch("tape");
  const { objects, warnings, opened } = book({ cassette: cassetteWriter({ folder, description: "", clock: tickingClock() }) });
  const page = await opened.begin(FACTS);
  for (const moment of MOMENTS) await page.watch(moment);
  void page.watch({ kind: "raw", line: `ghp_${"x".repeat(40)}` });
  const digest = await page.keep();
  expect(readFileSync(objects.pathOf(digest!), "utf8")).not.toContain("ghp_");
  expect(JSON.parse(readFileSync(join(folder, "qa", "x.1.json"), "utf8"))).toMatchObject({ output: { say: "my-secret-word" } });
  expect(warnings).toEqual([]);
});

test("an unfinished transcript stays in the run's folder; one that cannot be written is reported, and the answer counts", async () => {
  const { layout, warnings, opened } = book();
  const left = await opened.begin(FACTS);
  left.leave("agent_failed: down");
  expect(readdirSync(layout.transcripts(FACTS.run))).toEqual(["feature%3Ax%2Fqa%3A1.1.jsonl"]);
  const broken = await opened.begin(FACTS);
  void broken.watch({ kind: "usage", usage: { ...usage, cost_usd: 1n as unknown as number }, model: null });
  expect(await broken.keep()).toBeNull();
  expect(warnings).toEqual([expect.stringMatching(/^no transcript was written of the qa for x, attempt 1: /)]);
  const unheard = openBook({ layout, objects: objectStore(nodeFileSystem, layout.objects), clock: tickingClock() });
  const page = await unheard.begin(FACTS);
  rmSync(layout.transcripts(FACTS.run), { recursive: true });
  await expect(page.keep()).rejects.toMatchObject({ code: "io_error" });
  expect(existsSync(layout.transcripts(FACTS.run))).toBe(false);
});

test("no agent is called before the last transcript is on disk; a failed write is reported", async () => {
  const layout = layoutAt(scratch("book"));
  const disk = objectStore(nodeFileSystem, layout.objects);
  const { promise: onDisk, reject } = Promise.withResolvers<void>();
  const objects = { ...disk, adopt: async (file: string, digest: string) => (await disk.adopt(file, digest), () => onDisk) };
  const { opened, warnings } = book({ layout, objects });
  const sent = MOMENTS[0]!;
  const first = await opened.begin(FACTS);
  await first.watch(sent);
  const digest = await first.keep();
  expect(existsSync(objects.pathOf(digest!))).toBe(true);
  const second = await opened.begin({ ...FACTS, step: "qa:2" });
  let isAsked = false;
  const asking = Promise.resolve(second.watch(sent)).then(() => (isAsked = true));
  await new Promise((settled) => setImmediate(settled));
  expect(isAsked).toBe(false);
  reject(new Error("EIO"));
  await asking;
  expect(warnings).toEqual([expect.stringMatching(/^the transcript of the qa for x, attempt 1 may be lost in a power cut: .*EIO/)]);
  second.leave("done");
});
