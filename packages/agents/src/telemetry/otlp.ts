import { hash } from "node:crypto";
import { context, SpanKind, SpanStatusCode, trace, type Context, type Span, type Tracer } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor, RandomIdGenerator, type SpanExporter } from "@opentelemetry/sdk-trace-base";
import type { InvocationFacts } from "../invocation-book.ts";
import type { Moment } from "../transcripts/line.ts";
import { asyncContext } from "./async-context.ts";
import { agentAttributes, chatAttributes, toolAttributes, usageAttributes } from "./conventions.ts";
import type { Trace, Tracing } from "./tracing.ts";

export interface OtlpOptions {
  readonly url: string;
  readonly serviceName: string;
  readonly onWarning: (warning: string) => void;
  readonly closeWithinMs?: number;
}

/** A collector that does not answer must not delay the end of a command. */
const CLOSE_WITHIN_MS = 2000;

export function otlpTracing({ url, serviceName, onWarning, closeWithinMs = CLOSE_WITHIN_MS }: OtlpOptions): Tracing {
  const ids = new RandomIdGenerator();
  let traceId = ids.generateTraceId();
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ "service.name": serviceName }),
    spanProcessors: [
      new BatchSpanProcessor(tellingOnce(new OTLPTraceExporter({ url, timeoutMillis: closeWithinMs }), url, onWarning), {
        exportTimeoutMillis: closeWithinMs,
      }),
    ],
    idGenerator: { generateSpanId: () => ids.generateSpanId(), generateTraceId: () => traceId },
  });
  // For the engine's spans of runs and steps, and so that invocations find their parents.
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(asyncContext());
  const tracer = provider.getTracer("@slipway/agents");
  return {
    carry(runId) {
      traceId = traceIdOf(runId);
    },
    begin: (facts) => traceOf(tracer, facts),
    async close() {
      trace.disable();
      context.disable();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, closeWithinMs)));
      // The exporter has reported failures already.
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
      clearTimeout(timer);
    },
  };
}

export function traceIdOf(run: string): string {
  return hash("sha256", run.split("/")[0] ?? run, "hex").slice(0, 32);
}

function traceOf(tracer: Tracer, facts: InvocationFacts): Trace {
  const step = context.active();
  const agent = tracer.startSpan(`invoke_agent ${facts.role}`, { kind: SpanKind.INTERNAL, attributes: agentAttributes(facts) }, step);
  const within = trace.setSpan(step, agent);
  let chat: Span | null = null;
  const answered = (failure: string | null, attributes: Readonly<Record<string, string | number | boolean>> = {}) => {
    chat?.setAttributes(attributes);
    if (failure !== null) fail(chat, failure);
    chat?.end();
    chat = null;
  };
  return {
    watch(moment) {
      switch (moment.kind) {
        case "sent":
          chat = startChat(tracer, facts, moment.repair, within);
          break;
        case "tool":
          toolSpan(tracer, moment, within);
          break;
        case "answer":
          answered(null, usageAttributes({ ...moment.usage, model: moment.model }));
          break;
        case "failed":
          answered(moment.failure.code);
          break;
        case "ended":
          agent.setAttributes(usageAttributes(moment.usage));
          if (moment.failure !== null) fail(agent, moment.failure.code);
          break;
      }
    },
    end(reason) {
      answered(reason === undefined ? null : "stopped");
      if (reason !== undefined) fail(agent, "stopped", reason);
      agent.end();
    },
  };
}

function startChat(tracer: Tracer, facts: InvocationFacts, repair: number, within: Context): Span {
  const name = facts.model === null ? "chat" : `chat ${facts.model}`;
  return tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes: chatAttributes(facts, repair) }, within);
}

/** Reported at its end, with its duration. */
function toolSpan(tracer: Tracer, moment: Moment & { kind: "tool" }, within: Context): void {
  const ended = Date.now();
  const startTime = ended - moment.duration_ms;
  const span = tracer.startSpan(
    `execute_tool ${moment.name}`,
    { kind: SpanKind.INTERNAL, attributes: toolAttributes(moment), startTime },
    within,
  );
  if (!moment.ok) fail(span, "tool_error");
  span.end(ended);
}

function fail(span: Span | null, type: string, message?: string): void {
  span?.setAttribute("error.type", type);
  span?.setStatus({ code: SpanStatusCode.ERROR, ...(message === undefined ? {} : { message }) });
}

/** Only the first failed batch is reported, not one every five seconds. */
function tellingOnce(exporter: SpanExporter, url: string, onWarning: (warning: string) => void): SpanExporter {
  let reported = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.error !== undefined && !reported) {
          reported = true;
          onWarning(`sending traces to ${url} failed: ${result.error.message}`);
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}
