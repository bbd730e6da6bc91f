import { isThrownByModule, writeResult } from "./remote-module.ts";

interface DescribedError {
  readonly name: string;
  readonly code: string | null;
  readonly message: string;
  readonly stack: string;
  /** The module's own process threw it. */
  readonly by_module: boolean;
}

/** One line of JSON for the harness. */
export function report(line: Readonly<Record<string, unknown>> & { readonly error?: unknown }): void {
  writeResult(JSON.stringify({ ...line, error: line.error === undefined || line.error === null ? null : describeError(line.error) }));
}

/** Any value can be thrown, and reading its properties may throw, too. */
function describeError(error: unknown): DescribedError {
  const read = (key: string): unknown => {
    try {
      return typeof error === "object" && error !== null ? Reflect.get(error, key) : undefined;
    } catch {
      return undefined;
    }
  };
  const code = read("code");
  const message = typeof error === "object" && error !== null ? text(read("message")) : text(error);
  const name = text(read("name") ?? "Error");
  return { name, code: typeof code === "string" ? code : null, message, stack: text(read("stack")), by_module: isThrownByModule(error) };
}

const MAX_TEXT = 20_000;

function text(value: unknown): string {
  return typeof value === "string" ? value.slice(0, MAX_TEXT) : typeof value === "object" ? "" : String(value).slice(0, MAX_TEXT);
}

interface TestEvent {
  readonly type: string;
  readonly data: {
    readonly name: string;
    readonly nesting: number;
    readonly skip?: unknown;
    readonly todo?: unknown;
    readonly counts?: Readonly<Record<string, number>>;
    readonly details?: { readonly type?: string; readonly duration_ms?: number; readonly error?: { readonly cause?: unknown } };
  };
}

/** A reporter for Node's test runner: reports every finished test to the harness, and the end. */
export default async function* reporter(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const path: string[] = [];
  for await (const { type, data } of events) {
    if (type === "test:start") path[data.nesting] = data.name;
    if (type === "test:summary") report({ counts: data.counts });
    if (type !== "test:pass" && type !== "test:fail") continue;
    const { name, nesting, skip, todo, details } = data;
    report({
      test: [...path.slice(0, nesting), name],
      suite: details?.type === "suite",
      ran: skip === undefined && todo === undefined,
      passed: type === "test:pass",
      duration_ms: details?.duration_ms ?? 0,
      error: type === "test:pass" ? null : (details?.error?.cause ?? details?.error ?? "no reason was given"),
    });
  }
  yield "";
}
