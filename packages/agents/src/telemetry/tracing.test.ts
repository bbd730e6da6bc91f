import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { context, trace } from "@opentelemetry/api";
import { expect, onTestFinished, test } from "vitest";
import type { Moment } from "../transcripts/line.ts";
import { vendorOf } from "./conventions.ts";
import { otlpTracing, traceIdOf } from "./otlp.ts";
import { openTracing, tracesUrl, type Tracing } from "./tracing.ts";

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: { readonly code?: number; readonly message?: string };
  readonly durationMs: number;
}

/** A minimal OTLP collector: accepts traces over HTTP as JSON and stores them decoded. */
async function collector(status = 200) {
  const spans: Span[] = [];
  const resources: Record<string, unknown>[] = [];
  const paths: string[] = [];
  const server = createServer(async (request, response) => {
    paths.push(`${request.method} ${request.url} ${request.headers["content-type"]}`);
    const body = JSON.parse(await textOf(request)) as Payload;
    for (const { resource, scopeSpans } of body.resourceSpans) {
      resources.push(attributesOf(resource.attributes));
      for (const { spans: sent } of scopeSpans) spans.push(...sent.map(decoded));
    }
    response.writeHead(status, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { spans, resources, paths, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface Wire {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Attribute[];
  readonly status: Span["status"];
}
interface Payload {
  readonly resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Wire[] }[] }[];
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function attributesOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

function decoded({ attributes, startTimeUnixNano, endTimeUnixNano, ...span }: Wire): Span {
  const durationMs = Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1e6;
  return { ...span, attributes: attributesOf(attributes), durationMs };
}

const FACTS = {
  run: "2026-01-01_x/feature:x",
  step: "builder:1",
  role: "builder",
  subject: "x",
  attempt: "1",
  provider: "claude",
  model: "opus",
};
const usage = { input_tokens: 10, output_tokens: 5, cost_usd: 0.25 };
const SENT: Moment = { kind: "sent", repair: 0, system: "the system prompt", prompt: "the prompt", prompt_digest: "d" };
const ENDED: Moment = { kind: "ended", ok: true, usage: { ...usage, duration_ms: 1, calls: 1, model: "opus-4" }, failure: null };

async function told(tracing: Tracing | undefined, moments: readonly Moment[], reason?: string): Promise<void> {
  const begun = tracing!.begin(FACTS);
  for (const moment of moments) await begun.watch(moment);
  begun.end(reason);
}

test("an invocation is invoke_agent with its chats and tools below it, named by the conventions, and without message texts", async () => {
  const { spans, resources, paths, url } = await collector();
  const tracing = await openTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/`, OTEL_SERVICE_NAME: "ours" }, expect.fail);
  tracing?.carry("2026-01-01_x");
  await told(tracing, [
    SENT,
    { kind: "text", text: "thinking" },
    { kind: "tool", name: "read", input: { path: "a" }, output: "secret text", ok: true, duration_ms: 40 },
    { kind: "tool", name: "write", input: {}, output: "denied", ok: false, duration_ms: 0 },
    { kind: "answer", repair: 0, text: "the answer", usage, model: "opus-4", duration_ms: 3 },
    { kind: "refused", repair: 0, errors: ["no"] },
    { ...SENT, repair: 1 },
    { kind: "answer", repair: 1, text: "the answer", usage, model: null, duration_ms: 3 },
    ENDED,
  ]);
  await tracing?.close();
  expect(paths).toEqual(["POST /v1/traces application/json"]);
  expect(resources).toEqual([{ "service.name": "ours" }]);
  const agent = spans.find(({ name }) => name === "invoke_agent builder")!;
  expect(agent).toMatchObject({
    traceId: traceIdOf("2026-01-01_x"),
    kind: 1,
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.provider.name": "anthropic",
      "gen_ai.agent.name": "builder",
      "gen_ai.conversation.id": "2026-01-01_x/feature:x/builder:1",
      "gen_ai.request.model": "opus",
      "gen_ai.response.model": "opus-4",
      "gen_ai.output.type": "json",
      "gen_ai.usage.input_tokens": 10,
      "gen_ai.usage.output_tokens": 5,
      "slipway.cost_usd": 0.25,
      "slipway.run.id": FACTS.run,
      "slipway.step.name": "builder:1",
    },
  });
  expect(agent.parentSpanId ?? "").toBe("");
  const below = spans.filter(({ parentSpanId }) => parentSpanId === agent.spanId);
  expect(below.map(({ name, kind, attributes }) => [name, kind, attributes["gen_ai.operation.name"]]).toSorted()).toEqual([
    ["chat opus", 3, "chat"],
    ["chat opus", 3, "chat"],
    ["execute_tool read", 1, "execute_tool"],
    ["execute_tool write", 1, "execute_tool"],
  ]);
  const read = below.find(({ name }) => name === "execute_tool read")!;
  expect(read).toMatchObject({ attributes: { "gen_ai.tool.name": "read", "gen_ai.tool.type": "function" }, durationMs: 40 });
  expect(below.find(({ name }) => name === "execute_tool write")).toMatchObject({
    attributes: { "error.type": "tool_error" },
    status: { code: 2 },
  });
  expect(JSON.stringify(spans)).not.toMatch(/the system prompt|the prompt|the answer|secret text|thinking/);
});

test("failures have their code, and a stopped invocation is marked", async () => {
  const { spans, url } = await collector();
  const tracing = await openTracing({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/own` }, expect.fail);
  const failure = { code: "rate_limited", message: "later", details: {} };
  await told(tracing, [SENT, { kind: "failed", repair: 0, failure, duration_ms: 1 }, { ...ENDED, ok: false, failure }]);
  await told(tracing, [SENT], "killed");
  await tracing?.close();
  expect(spans.map(({ name, attributes, status }) => [name, attributes["error.type"], status.code, status.message])).toEqual([
    ["chat opus", "rate_limited", 2, undefined],
    ["invoke_agent builder", "rate_limited", 2, undefined],
    ["chat opus", "stopped", 2, undefined],
    ["invoke_agent builder", "stopped", 2, "killed"],
  ]);
});

test("an invocation inside a step's span is below it, also after an await; afterwards nothing is registered", async () => {
  const { spans, url } = await collector();
  const tracing = await openTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: url }, expect.fail);
  const step = trace.getTracer("engine").startSpan("builder:1");
  await context.with(trace.setSpan(context.active(), step), async () => {
    await Promise.resolve();
    await told(tracing, [ENDED]);
  });
  const bound = context.bind(trace.setSpan(context.active(), step), () => trace.getActiveSpan());
  expect(bound()).toBe(step);
  expect(context.bind(context.active(), "no function")).toBe("no function");
  step.end();
  await tracing?.close();
  const [agent, engine] = spans;
  expect(agent).toMatchObject({ name: "invoke_agent builder", parentSpanId: engine?.spanId, traceId: engine?.traceId });
  expect(trace.getTracer("engine").startSpan("after").isRecording()).toBe(false);
});

test("a collector that refuses or is missing is reported once, and blocks nothing", async () => {
  const refusing = await collector(400);
  for (const url of [refusing.url, "http://127.0.0.1:9"]) {
    const warnings: string[] = [];
    const tracing = otlpTracing({
      url: `${url}/v1/traces`,
      serviceName: "x",
      onWarning: (text) => void warnings.push(text),
      // The missing one is tried again and again.
      closeWithinMs: url === refusing.url ? 20_000 : 300,
    });
    await told(tracing, [SENT, ENDED]);
    await tracing.close();
    expect(warnings.every((text) => text.startsWith(`sending traces to ${url}/v1/traces failed: `))).toBe(true);
    if (url === refusing.url) expect(warnings).toHaveLength(1);
  }
});

test.each([
  [{}, null],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "" }, null],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://h:4318" }, "http://h:4318/v1/traces"],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://h:4318/base/", OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "" }, "http://h:4318/base/v1/traces"],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://h", OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://t/x" }, "http://t/x"],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://h", OTEL_SDK_DISABLED: "TRUE" }, null],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://h", OTEL_TRACES_EXPORTER: "none" }, null],
])("%j: traces go to %s", async (env, url) => {
  expect(tracesUrl(env)).toBe(url);
  if (url === null) expect(await openTracing(env, expect.fail)).toBeUndefined();
});

test("an invalid endpoint is reported, and no traces are sent", async () => {
  const warnings: string[] = [];
  const tracing = await openTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: "nonsense" }, (text) => void warnings.push(text));
  expect(tracing).toBeUndefined();
  expect(warnings).toEqual([expect.stringMatching(/^no traces are sent to nonsense\/v1\/traces: /)]);
});

test.each([
  ["claude", null, "anthropic"],
  ["codex", "gpt-5", "openai"],
  ["gemini", null, "gcp.gemini"],
  ["api", "anthropic/claude-sonnet", "anthropic"],
  ["api", "google/gemini", "gcp.gemini"],
  ["api", "local/qwen3", "local"],
  ["api", null, "api"],
  ["replay", null, "replay"],
])("%s with %s is %s in traces", (provider, model, vendor) => expect(vendorOf(provider, model)).toBe(vendor));
