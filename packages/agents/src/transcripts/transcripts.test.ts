import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "@slipway/durable/canonical";
import { parseAgents } from "@slipway/kernel/config/agents";
import { nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import { objectStore } from "@slipway/kernel/record/objects/store";
import { createRedactor } from "@slipway/kernel/host/redaction/redactor";
import { describe, expect, test } from "vitest";
import { refusalOf, scratch, tickingClock } from "../testing/samples.ts";
import { watchedBy, type Moment, type TranscriptLine } from "./line.ts";
import { headOf, openTranscripts, readTranscript } from "./read.ts";
import { agentSecrets } from "./secrets.ts";
import { openTranscript } from "./write.ts";

const SECRET = "correct-horse-battery";
const HEAD = {
  run: "2026-01-01_x/feature:x",
  step: "builder:1",
  role: "builder",
  subject: "x",
  attempt: "1",
  provider: "claude",
  model: null,
};
const NO_USAGE = { input_tokens: 0, output_tokens: 0, cost_usd: 0 };
const ENDED: Moment = { kind: "ended", ok: true, usage: { ...NO_USAGE, duration_ms: 1, calls: 1, model: null }, failure: null };

async function open(root = scratch("transcript"), facts = HEAD) {
  const folder = join(root, "open");
  const objects = objectStore(nodeFileSystem, join(root, "objects"));
  const redactor = createRedactor({ secrets: [SECRET] });
  return { root, folder, objects, transcript: await openTranscript(facts, { folder, objects, redactor, clock: tickingClock() }) };
}

async function all(path: string, digest?: string): Promise<TranscriptLine[]> {
  const lines: TranscriptLine[] = [];
  for await (const line of readTranscript(path, digest)) lines.push(line);
  return lines;
}

test("every event is on disk at once, and becomes an object under the digest of its bytes", async () => {
  const { folder, objects, transcript } = await open();
  const moments: Moment[] = [
    { kind: "sent", repair: 0, system: "You build.", prompt: "Build.", prompt_digest: "d" },
    { kind: "tool", name: "read", input: { path: "a.ts" }, output: "text", ok: true, duration_ms: 3 },
    { kind: "usage", usage: NO_USAGE, model: "m" },
    { kind: "raw", line: '{"type":"result"}' },
    { kind: "answer", repair: 0, text: "done", usage: NO_USAGE, model: "m", duration_ms: 5 },
    { kind: "refused", repair: 0, errors: ["The answer is refused."] },
    { kind: "failed", repair: 1, failure: { code: "agent_failed", message: "down", details: {} }, duration_ms: 1 },
    { kind: "output", output: { type: "PATCH" } },
    ENDED,
  ];
  const file = join(folder, readdirSync(folder)[0]!);
  for (const moment of moments) {
    await transcript.watch(moment);
    expect((await all(file)).at(-1)).toMatchObject(moment);
  }
  const { digest } = await transcript.keep();
  expect(digest).toBe(sha256(readFileSync(objects.pathOf(digest!))));
  expect(readdirSync(folder)).toEqual([]);
  expect(await all(objects.pathOf(digest!), digest!)).toMatchObject([{ kind: "invocation", version: 1, ...HEAD }, ...moments]);
  transcript.leave("too late");
});

describe("secrets", () => {
  const seen = async (...moments: Moment[]) => {
    const { objects, transcript } = await open();
    for (const moment of moments) await transcript.watch(moment);
    const { digest } = await transcript.keep();
    return readFileSync(objects.pathOf(digest!), "utf8");
  };

  test.each<[string, Moment]>([
    ["a prompt", { kind: "sent", repair: 0, system: SECRET, prompt: `say ${SECRET}`, prompt_digest: "d" }],
    ["a tool's input and output", { kind: "tool", name: "run", input: { [SECRET]: [SECRET] }, output: SECRET, ok: true, duration_ms: 1 }],
    ["a client's line", { kind: "raw", line: JSON.stringify({ key: SECRET }) }],
    ["an answer", { kind: "answer", repair: 0, text: SECRET, usage: NO_USAGE, model: null, duration_ms: 1 }],
    ["a failure", { kind: "failed", repair: 0, failure: { code: "x", message: SECRET, details: { a: SECRET } }, duration_ms: 1 }],
    ["an output", { kind: "output", output: { diff: SECRET } }],
    ["base64", { kind: "text", text: Buffer.from(SECRET).toString("base64") }],
    ["a text that resembles a token", { kind: "text", text: `ghp_${"a".repeat(36)}` }],
  ])("in %s are hidden", async (_, moment) => {
    const text = await seen(moment);
    expect(text).toContain("[redacted]");
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain("ghp_");
    expect(text).not.toContain(Buffer.from(SECRET).toString("base64"));
  });

  test("in text in chunks are hidden too, also with the client's own lines in between", async () => {
    const pieces = [...`the key is ${SECRET}, you see`].flatMap((text): Moment[] => [
      { kind: "text", text },
      { kind: "raw", line: "{}" },
    ]);
    const text = await seen(...pieces, ENDED);
    expect(text).not.toContain("battery");
    expect(text).toContain("the key is [redacted], you see");
  });

  test("in longer texts: redaction in chunks gives the same result", async () => {
    const long = `${"lorem ipsum ".repeat(30_000)}${SECRET}${" dolor".repeat(30_000)}`;
    const text = await seen({ kind: "answer", repair: 0, text: long, usage: NO_USAGE, model: null, duration_ms: 1 });
    expect(text).toContain(JSON.stringify(long.replace(SECRET, "[redacted]")));
  });
});

test("every value given to an agent is a secret, under any name; short values are not", () => {
  const agents = parseAgents(
    "slipway/agents.yaml",
    `version: 1
roles: {}
runtime:
  provider_config_env: OURS
  api: { endpoints: { local: { kind: openai-compatible, base_url: "http://127.0.0.1:1", key_env: LOCAL } } }
  acp: { mine: { command: [x], env: [THEIRS, NOT_SET] } }
`,
  );
  const env = {
    OURS: "value-ours",
    LOCAL: "value-local",
    THEIRS: "value-theirs",
    EXTRA: "value-extra",
    MY_TOKEN: "value-token",
    OTHER: "other-value",
    X_KEY: "short",
  };
  expect(agentSecrets(env, agents, ["EXTRA", null]).toSorted()).toEqual([
    "value-extra",
    "value-local",
    "value-ours",
    "value-theirs",
    "value-token",
  ]);
  expect(agentSecrets({ ...env, MY_TOKEN: undefined }, null)).toEqual([]);
});

test("a client's stored sign-in is a secret, also if the key would be used", () => {
  const home = scratch("home");
  mkdirSync(join(home, ".claude"));
  writeFileSync(
    join(home, ".claude", ".credentials.json"),
    JSON.stringify({ claudeAiOauth: { accessToken: "token-of-mine", expiresAt: 1 } }),
  );
  expect(agentSecrets({ HOME: home, ANTHROPIC_API_KEY: "key-of-mine" }, null).toSorted()).toEqual(["key-of-mine", "token-of-mine"]);
});

test("huge intermediate texts are cut and marked; prompts and answers are complete", async () => {
  const { objects, transcript } = await open();
  const huge = "x".repeat(300_000);
  void transcript.watch({ kind: "raw", line: huge });
  void transcript.watch({ kind: "tool", name: "t", input: [huge, 1, null], output: huge, ok: true, duration_ms: 1 });
  await transcript.watch({ kind: "answer", repair: 0, text: huge, usage: NO_USAGE, model: null, duration_ms: 1 });
  const { digest } = await transcript.keep();
  const [, raw, tool, answer] = await all(objects.pathOf(digest!));
  expect(raw).toMatchObject({ line: expect.stringMatching(/x… \(37856 characters are left out\)$/) });
  expect(tool).toMatchObject({ input: [expect.stringMatching(/left out\)$/), 1, null], output: expect.stringMatching(/left out\)$/) });
  expect(answer).toMatchObject({ text: huge });
});

describe("without an outcome", () => {
  test("a stop or a temporary failure leaves the file in place, and the next attempt has its own", async () => {
    const { root, folder, transcript } = await open();
    void transcript.watch({ kind: "text", text: "half a sen" });
    transcript.leave(`killed; ${SECRET}`);
    transcript.leave("twice");
    void transcript.watch({ kind: "text", text: "too late" });
    const again = await open(root);
    again.transcript.leave("agent_failed: down");
    const files = await openTranscripts(folder);
    expect(files.map((file) => file.split("/").at(-1))).toEqual(["feature%3Ax%2Fbuilder%3A1.1.jsonl", "feature%3Ax%2Fbuilder%3A1.2.jsonl"]);
    expect((await all(files[0]!)).slice(1)).toMatchObject([
      { kind: "text", text: "half a sen" },
      { kind: "stopped", reason: "killed; [redacted]" },
    ]);
    expect(await headOf(files[1]!)).toMatchObject(HEAD);
  });

  test("a crash in the middle of a line loses only that line", async () => {
    const { folder, transcript } = await open();
    void transcript.watch({ kind: "raw", line: "first" });
    const [file] = await openTranscripts(folder);
    appendFileSync(file!, '{"kind":"raw","line":"sec');
    expect((await all(file!)).map(({ kind }) => kind)).toEqual(["invocation", "raw"]);
  });

  test("a folder without transcripts, a foreign file, a damaged and a missing one", async () => {
    const { folder, objects, transcript } = await open();
    expect(await openTranscripts(join(folder, "nowhere"))).toEqual([]);
    writeFileSync(join(folder, "other.jsonl"), '{"kind":"other"}\n');
    expect(await headOf(join(folder, "other.jsonl"))).toBeNull();
    writeFileSync(join(folder, "empty.jsonl"), "");
    expect(await headOf(join(folder, "empty.jsonl"))).toBeNull();
    expect((await refusalOf(() => all(join(folder, "other.jsonl")))).message).toContain("line 1 is not a line of a transcript");
    expect(await refusalOf(() => all(join(folder, "gone.jsonl")))).toMatchObject({ code: "object_missing" });
    const { digest } = await transcript.keep();
    const path = objects.pathOf(digest!);
    appendFileSync(path, `${JSON.stringify({ kind: "raw", line: "forged", at: 1 })}\n`);
    expect(await refusalOf(() => all(path, digest!))).toMatchObject({ code: "object_corrupt", details: { file: path } });
    truncateSync(path, 0);
    expect(await refusalOf(() => all(path, digest!))).toMatchObject({ code: "object_corrupt" });
  });
});

test("a failed write is reported with the missing digest, and not thrown into the provider", async () => {
  const { transcript } = await open();
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  void transcript.watch({ kind: "usage", usage: { ...NO_USAGE, cost_usd: 1n as unknown as number }, model: null });
  void transcript.watch({ kind: "raw", line: "after" });
  expect(await transcript.keep()).toMatchObject({ digest: null, reason: expect.stringContaining("BigInt") });
  const root = scratch("transcript");
  mkdirSync(join(root, "open"));
  writeFileSync(join(root, "in-the-way"), "");
  const place = { objects: objectStore(nodeFileSystem, root), redactor: createRedactor({ secrets: [] }), clock: tickingClock() };
  expect(await refusalOf(() => openTranscript(HEAD, { folder: join(root, "in-the-way", "x"), ...place }))).toMatchObject({
    code: "io_error",
  });
});

test("several observers see every event; only the slow ones are waited for", async () => {
  const seen: string[] = [];
  const quick = watchedBy((moment) => void seen.push(moment.kind));
  expect(quick(ENDED)).toBeUndefined();
  await watchedBy(quick, async (moment) => void seen.push(`slow ${moment.kind}`))(ENDED);
  expect(seen).toEqual(["ended", "ended", "slow ended"]);
});

test("memory stays flat over a stream of 100 MB", { timeout: 120_000 }, () => {
  const flood = (megabytes: number) => {
    const script = join(import.meta.dirname, "testing", "flood.ts");
    const out = execFileSync(process.execPath, [
      "--conditions=slipway-source",
      "--disable-warning=ExperimentalWarning",
      script,
      String(megabytes),
    ]);
    return JSON.parse(out.toString()) as { peak: number; bytes: number };
  };
  const [little, much] = [flood(10), flood(100)];
  expect(much.bytes).toBeGreaterThan(100 * 1024 * 1024);
  expect(much.peak - little.peak).toBeLessThan(70 * 1024 * 1024);
});
