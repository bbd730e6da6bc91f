import {
  context,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type ContextManager,
  type Span,
  type Tracer,
} from "@opentelemetry/api";
import { AsyncLocalStorage } from "node:async_hooks";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { workflow } from "./ctx.ts";
import { SlipwayError } from "./errors.ts";
import { openPlace, type Place } from "./testing/process.ts";

interface Recorded {
  readonly name: string;
  readonly parent: string | undefined;
  readonly attributes: Attributes;
  status: SpanStatusCode;
  ended: number;
}

/** The minimal provider that the API requires. */
function recordingTracer(spans: Recorded[]): Tracer {
  const names = new WeakMap<object, string>();
  const startSpan = (name: string, options: { attributes?: Attributes } = {}, parent: Context = ROOT_CONTEXT) => {
    const above = trace.getSpan(parent);
    const recorded: Recorded = {
      name,
      parent: above && names.get(above),
      attributes: { ...options.attributes },
      status: SpanStatusCode.UNSET,
      ended: 0,
    };
    spans.push(recorded);
    const span = {
      isRecording: () => true,
      setAttribute: (key: string, value: string) => (recorded.attributes[key] = value),
      setStatus: ({ code }: { code: SpanStatusCode }) => (recorded.status = code),
      end: () => recorded.ended++,
    } as unknown as Span;
    names.set(span, name);
    return span;
  };
  return { startSpan } as Tracer;
}

function contextManager(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  return {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (next: Context, work: (...given: never[]) => unknown, self: unknown, ...given: never[]) =>
      storage.run(next, () => work.apply(self, given)),
    bind: (_context: Context, target: unknown) => target,
    enable: () => contextManager(),
    disable: () => contextManager(),
  } as ContextManager;
}

let place: Place;
const spans: Recorded[] = [];
beforeEach(() => {
  place = openPlace();
  spans.length = 0;
  trace.setGlobalTracerProvider({ getTracer: () => recordingTracer(spans) });
  context.setGlobalContextManager(contextManager());
});
afterEach(async () => {
  trace.disable();
  context.disable();
  await place.dispose();
});

test("runs, children and steps are nested spans, and replayed steps have none", async () => {
  let inside: string | undefined;
  const member = workflow<null, null, undefined>("member", "1", (ctx) => ctx.step("inner", () => Promise.resolve(null)));
  const flow = workflow<null, unknown, undefined>("flow", "1", async (ctx) => {
    await ctx.step("outer", () => {
      inside = spans.find((span) => span.name === "outer")?.name;
      trace.getActiveSpan()?.setAttribute("seen", "by the body");
      return Promise.resolve(1);
    });
    await ctx.child("m", member, null);
    return ctx.ask("q", { kind: "k", title: "t", schema: z.string() });
  });
  const { engine } = await place.open({ workflows: [flow], kernel: undefined });
  const runId = await engine.start("flow", null);
  await engine.drive(runId);
  expect(inside).toBe("outer");
  expect(spans.map(({ name, parent, ended }) => [name, parent, ended])).toEqual([
    ["invoke_workflow flow", undefined, 1],
    ["outer", "invoke_workflow flow", 1],
    ["invoke_workflow member", "invoke_workflow flow", 1],
    ["inner", "invoke_workflow member", 1],
  ]);
  expect(spans[0]!.attributes).toEqual({
    "gen_ai.operation.name": "invoke_workflow",
    "gen_ai.workflow.name": "flow",
    "slipway.run.id": runId,
  });
  expect(spans[1]!.attributes).toEqual({ "slipway.run.id": runId, "slipway.step.name": "outer", seen: "by the body" });
  await engine.signal(runId, "q", "yes");
  await engine.drive(runId);
  expect(spans.slice(4).map((span) => span.name)).toEqual(["invoke_workflow flow"]);
});

test("failures mark their spans", async () => {
  const flow = workflow<null, unknown, undefined>("flow", "1", (ctx) =>
    ctx.step("gate", () => Promise.reject(new SlipwayError("step_failed", "red"))),
  );
  const { engine } = await place.open({ workflows: [flow], kernel: undefined });
  await engine.drive(await engine.start("flow", null));
  expect(spans.map(({ status, attributes, ended }) => [status, attributes["error.type"], ended])).toEqual([
    [SpanStatusCode.ERROR, "step_failed", 1],
    [SpanStatusCode.ERROR, "step_failed", 1],
  ]);
});
