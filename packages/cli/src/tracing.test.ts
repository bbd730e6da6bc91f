import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { letters } from "./testing/project.ts";

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
}

test("a run under OTEL_EXPORTER_OTLP_ENDPOINT is one trace, from the run down to each call, and a resume adds to it", async () => {
  const spans: Span[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const project = letters();
  const env = { ...project.env, OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  const argv = ["run", "letters.spec.md", "--cassette", project.cassette];
  expect((await project.slipway(argv, { env })).code).toBe(23);
  await project.slipway(["resume", "--cassette", project.cassette], { env });
  const above = (span: Span): string[] => {
    const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
    return parent === undefined ? [span.name] : [...above(parent), span.name];
  };
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  const chats = spans.filter(({ name }) => name === "chat").map(above);
  expect(chats.toSorted()).toEqual(
    ["builder", "planner", "qa"].map((role) => [
      "invoke_workflow features",
      "invoke_workflow feature",
      `${role}:1`,
      `invoke_agent ${role}`,
      "chat",
    ]),
  );
  expect(spans.filter(({ name }) => name === "invoke_workflow features")).toHaveLength(2);
});
