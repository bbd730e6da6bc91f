import type { InvocationFacts } from "../invocation-book.ts";
import type { Watch } from "../transcripts/line.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Spans of invocations, sent to whoever collects them. It never fails and is never waited for, except a moment at the end. */
export interface Tracing {
  /** What follows belongs to this run: every process that carries it on adds to one trace. */
  carry(runId: string): void;
  begin(facts: InvocationFacts): Trace;
  /** Sends what is left, within a bounded time. */
  close(): Promise<void>;
}

export interface Trace {
  readonly watch: Watch;
  /** With a reason when the invocation came to no outcome. */
  end(reason?: string): void;
}

/** Only where an OTLP endpoint is named is any of OpenTelemetry loaded. */
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

/** As OpenTelemetry's own specification has it: the endpoint of the signal as it is, the general one with a path below it. */
export function tracesUrl(env: Environment): string | null {
  if (env["OTEL_SDK_DISABLED"]?.toLowerCase() === "true" || env["OTEL_TRACES_EXPORTER"] === "none") return null;
  const own = env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];
  if (own !== undefined && own !== "") return own;
  const general = env["OTEL_EXPORTER_OTLP_ENDPOINT"];
  return general === undefined || general === "" ? null : `${general.replace(/\/+$/, "")}/v1/traces`;
}
