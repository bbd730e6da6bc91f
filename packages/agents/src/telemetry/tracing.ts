import type { InvocationFacts } from "../invocation-book.ts";
import type { Watch } from "../transcripts/line.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Sends spans of invocations to a collector. It never throws, and only `close` waits, for a bounded time. */
export interface Tracing {
  /** Spans that follow belong to this run: all its processes add to one trace. */
  carry(runId: string): void;
  begin(facts: InvocationFacts): Trace;
  /** Sends pending spans, within a bounded time. */
  close(): Promise<void>;
}

export interface Trace {
  readonly watch: Watch;
  /** With a reason if the invocation had no outcome. */
  end(reason?: string): void;
}

/** OpenTelemetry is loaded only if an OTLP endpoint is configured. */
export async function openTracing(env: Environment, onWarning: (warning: string) => void): Promise<Tracing | undefined> {
  const url = tracesUrl(env);
  if (url === null) return undefined;
  try {
    const { otlpTracing } = await import("./otlp.ts");
    return otlpTracing({ url, serviceName: env["OTEL_SERVICE_NAME"] || "slipway", onWarning });
  } catch (error) {
    onWarning(`no traces are sent to ${url}: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

/** By the OpenTelemetry specification: the endpoint of the signal as it is, or the general one with a path appended. */
export function tracesUrl(env: Environment): string | null {
  if (env["OTEL_SDK_DISABLED"]?.toLowerCase() === "true" || env["OTEL_TRACES_EXPORTER"] === "none") return null;
  const own = env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];
  if (own !== undefined && own !== "") return own;
  const general = env["OTEL_EXPORTER_OTLP_ENDPOINT"];
  return general === undefined || general === "" ? null : `${general.replace(/\/+$/, "")}/v1/traces`;
}
