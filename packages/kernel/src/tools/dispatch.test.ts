import { SlipwayError } from "../schema/errors.ts";
import type { ErrorCode } from "@slipway/durable/errors";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { openScratchKernel, type ScratchKernel } from "../change/testing/scratch-kernel.ts";
import type { Credential } from "./credential.ts";
import { callTool, type CallOptions } from "./dispatch.ts";
import { failureSchema, type ToolEnvelope } from "./envelope.ts";
import { sampleTools, served } from "./testing/sample-tools.ts";
import { tool, type AnyTool, type ToolCall } from "./tool.ts";

const ORCHESTRATOR: Credential = { role: "orchestrator", actorId: null, feature: null };
const ACTOR = { actor_type: "orchestrator", actor_id: "kim" };

let scratch: ScratchKernel;
const seen = vi.fn<(call: ToolCall, input: unknown) => void>();
const tools = served(sampleTools((call, input) => seen(call, input)));

beforeAll(async () => {
  scratch = await openScratchKernel();
});
afterAll(() => scratch.close());
beforeEach(() => void seen.mockClear());

function call(name: string, args: unknown, credential = ORCHESTRATOR, options: CallOptions = {}): Promise<ToolEnvelope> {
  return callTool(scratch.kernel, tools, credential, name, args, options);
}

function calling(definition: AnyTool, options: CallOptions = {}): Promise<ToolEnvelope> {
  return callTool(scratch.kernel, served([definition]), ORCHESTRATOR, definition.name, ACTOR, options);
}

/** A read tool with this result. */
const ending = (end: () => Promise<{ data: { ok: boolean } }>) =>
  tool({
    name: "plan.get",
    kind: "read",
    description: "x",
    input: z.strictObject({}),
    output: z.strictObject({ ok: z.boolean() }),
    call: end,
  });

function violationsIn(envelope: ToolEnvelope): unknown[] {
  return envelope.ok ? [] : (envelope.error.details["violations"] as { pointer: string }[]).map(({ pointer }) => pointer);
}

describe("a response", () => {
  test("[FEA-061] carries `data` exactly when ok, and evidence where a log exists", async () => {
    const read = await call("plan.get", { ...ACTOR, feature_id: "search" });
    expect(read).toEqual({ ok: true, data: { feature_id: "search", plan: null } });
    const appended = await call("feature.log_append", { ...ACTOR, feature_id: "search", text: "a" });
    expect(appended).toEqual({ ok: true, data: { tags: [] }, evidence: { log_path: "log.txt", exit_code: 0 } });
    const refused = await call("plan.get", { ...ACTOR });
    expect(Object.keys(refused)).toEqual(["ok", "error"]);
  });

  test("[FEA-164] a failure has code, message, retryable, requires_human and next actions, and the log's path as evidence", async () => {
    const failed = await calling(
      ending(() => Promise.reject(new SlipwayError("gate_failed", "The tests failed.", { log_path: ".slipway/log", exit_code: 1 }))),
    );
    expect(failed).toEqual({
      ok: false,
      error: {
        code: "gate_failed",
        message: "The tests failed.",
        details: { retryable: false, requires_human: false, suggested_next_actions: [], log_path: ".slipway/log", exit_code: 1 },
      },
      evidence: { log_path: ".slipway/log", exit_code: 1 },
    });
  });

  test.each<ErrorCode>(["lock_conflict", "collision_detected", "blocked_by_collision_policy"])(
    "[FEA-164] %s names the conflicting features",
    async (code) => {
      const named = await calling(ending(() => Promise.reject(new SlipwayError(code, "In the way.", { conflicting_feature_ids: ["b"] }))));
      expect(named).toMatchObject({ error: { code, details: { conflicting_feature_ids: ["b"] } } });
      const unnamed = await calling(ending(() => Promise.reject(new SlipwayError(code, "In the way."))));
      expect(unnamed).toMatchObject({ error: { details: { conflicting_feature_ids: [] } } });
    },
  );

  test.each([
    ["an error", new TypeError("secret internals at /home/kim/x.ts:1")],
    ["a thrown value that is not an error", "secret internals"],
    ["an error of Slipway with the code internal_error", new SlipwayError("internal_error", "secret internals")],
  ])("[FEA-166] %s is internal_error, without its message", async (_name, thrown) => {
    const onBug = vi.fn();
    const failed = await calling(
      ending(() => Promise.reject(thrown as Error)),
      { onBug },
    );
    expect(failed).toMatchObject({ ok: false, error: { code: "internal_error", details: { retryable: false } } });
    expect(JSON.stringify(failed)).not.toContain("secret");
    const [error, reference] = onBug.mock.calls[0] ?? [];
    expect(error).toBe(thrown);
    expect(JSON.stringify(failed)).toContain(reference);
  });

  test.each([
    ["ENOSPC", "disk_full"],
    ["EACCES", "io_error"],
  ])("a system error (%s) has a code of the enum", async (systemCode, code) => {
    const raw = Object.assign(new Error(`${systemCode}: write`), { code: systemCode, syscall: "write", path: "/repo/x" });
    expect(await calling(ending(() => Promise.reject(raw)))).toMatchObject({
      error: { code, message: expect.stringContaining("/repo/x") },
    });
  });

  test("[FEA-023] an answer that does not match its own schema is internal_error, and none of it is returned", async () => {
    const wrong = await calling(ending(async () => ({ data: { ok: "secret" as unknown as boolean } })));
    expect(wrong).toMatchObject({ ok: false, error: { code: "internal_error" } });
    expect(JSON.stringify(wrong)).not.toContain("secret");
  });

  test("[FEA-023] an answer that does not match the published schema is internal_error as well", async () => {
    const definition = ending(async () => ({ data: { ok: true } }));
    const shown = served([definition]);
    const narrowed = { ...shown, byName: new Map([...shown.byName].map(([name, entry]) => [name, { ...entry, output: z.never() }])) };
    const failed = await callTool(scratch.kernel, narrowed, ORCHESTRATOR, "plan.get", ACTOR);
    expect(failed).toMatchObject({ ok: false, error: { code: "internal_error" } });
  });
});

describe("the input", () => {
  test("[FEA-020] is refused with all violations at once, each with pointer, rule, expectation and message", async () => {
    const refused = await call("feature.log_append", { actor_type: "orchestrator", feature_id: "A!", text: "", tags: [1], more: true });
    expect(refused).toMatchObject({ ok: false, error: { code: "schema_validation_failed" } });
    expect(violationsIn(refused).toSorted()).toEqual(["/actor_id", "/feature_id", "/more", "/tags/0", "/text"]);
    if (refused.ok) return;
    for (const violation of refused.error.details["violations"] as Record<string, unknown>[]) {
      expect(violation).toEqual({
        pointer: expect.any(String),
        rule: expect.stringMatching(/./),
        expected: expect.stringMatching(/./),
        message: expect.stringMatching(/./),
      });
    }
    expect(seen).not.toHaveBeenCalled();
  });

  test("[FEA-060] needs actor_type and actor_id for every tool", async () => {
    expect(violationsIn(await call("plan.get", { feature_id: "a" }))).toEqual(["/actor_type", "/actor_id"]);
    expect(violationsIn(await call("plan.get", { ...ACTOR, actor_type: "person", feature_id: "a" }))).toEqual(["/actor_type"]);
    expect(violationsIn(await call("plan.get", { ...ACTOR, actor_id: 7, feature_id: "a" }))).toEqual(["/actor_id"]);
    expect(seen).not.toHaveBeenCalled();
  });

  test("rules across fields apply although JSON Schema cannot express them", async () => {
    expect(violationsIn(await call("feature.log_append", { ...ACTOR, feature_id: "a", text: "nothing" }))).toEqual(["/text"]);
  });

  test("[FEA-023] is checked against the published schema and against the definition", async () => {
    const input = z.looseObject({ feature_id: z.literal("b") });
    const narrowed = { ...tools, byName: new Map([...tools.byName].map(([name, entry]) => [name, { ...entry, input }])) };
    const refused = await callTool(scratch.kernel, narrowed, ORCHESTRATOR, "plan.get", { ...ACTOR, feature_id: "a" });
    expect(violationsIn(refused)).toEqual(["/feature_id"]);
  });

  test.each([["a text"], [null], [["plan"]], [undefined]])("%j instead of arguments is refused", async (args) => {
    expect(await call("plan.get", args)).toMatchObject({ ok: false, error: { code: "schema_validation_failed" } });
  });

  test.each(["__proto__", "constructor", "prototype"])("a key named %s is refused at any depth", async (key) => {
    const args: unknown = JSON.parse(
      `{"actor_type":"orchestrator","actor_id":"kim","feature_id":"a","text":"b","tags":[{"${key}":{"x":1}}]}`,
    );
    const refused = await call("feature.log_append", args);
    expect(violationsIn(refused)).toEqual([`/tags/0/${key}`]);
    expect(seen).not.toHaveBeenCalled();
  });

  test("excessive nesting is refused", async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(300)}1${"}".repeat(300)}`) as object;
    expect(await call("plan.get", { ...ACTOR, ...deep })).toMatchObject({ error: { code: "schema_validation_failed" } });
  });

  test("an unknown tool is refused with the closest name", async () => {
    const refused = await call("plan.gett", ACTOR);
    expect(refused).toMatchObject({
      ok: false,
      error: { code: "schema_validation_failed", message: expect.stringContaining("plan.get?") },
    });
    expect(await call("toString", ACTOR)).toMatchObject({ ok: false, error: { code: "schema_validation_failed" } });
  });
});

describe("what a tool receives", () => {
  test("the credential's actor, and only the tool's own fields", async () => {
    const signal = () => AbortSignal.abort();
    const progress = vi.fn();
    const args = { ...ACTOR, feature_id: "a", text: "b", operation_id: "mine", expected_version: 3 };
    await call("feature.log_append", args, { ...ORCHESTRATOR, actorId: "kim" }, { signal, progress });
    expect(seen).toHaveBeenCalledExactlyOnceWith(
      { actor: { type: "orchestrator", id: "kim" }, operationId: "call:mine", expectedVersion: 3, signal, progress },
      { feature_id: "a", text: "b", tags: [] },
    );
  });

  test("a call without an operation id gets a new one", async () => {
    await call("feature.log_append", { ...ACTOR, feature_id: "a", text: "b" });
    await call("feature.log_append", { ...ACTOR, feature_id: "a", text: "b" });
    const [first, second] = seen.mock.calls.map(([{ operationId }]) => operationId);
    expect(first).not.toBe(second);
    expect(seen.mock.calls[0]?.[0]).not.toHaveProperty("expectedVersion");
  });

  test("[FEA-015] expected_version is optional except where mandatory, and reads do not accept it", async () => {
    expect(violationsIn(await call("feature.state_patch", { ...ACTOR, feature_id: "a" }))).toEqual(["/expected_version"]);
    expect(await call("feature.state_patch", { ...ACTOR, feature_id: "a", expected_version: 1 })).toMatchObject({ ok: true });
    expect(violationsIn(await call("plan.get", { ...ACTOR, feature_id: "a", expected_version: 1 }))).toEqual(["/expected_version"]);
    expect(violationsIn(await call("plan.get", { ...ACTOR, feature_id: "a", operation_id: "x" }))).toEqual(["/operation_id"]);
  });
});

test("[FEA-023] a failure that does not match errors.schema.json is returned as internal_error", async () => {
  const strict = { ...tools, failure: z.never() };
  const onBug = vi.fn();
  const failed = await callTool(scratch.kernel, strict, ORCHESTRATOR, "plan.get", {}, { onBug });
  expect(failed).toMatchObject({ ok: false, error: { code: "internal_error" } });
  expect(onBug).toHaveBeenCalledOnce();
});

test("[FEA-023] every failed response matches errors.schema.json", async () => {
  const failures = await Promise.all([
    call("nope", ACTOR),
    call("plan.get", {}),
    call("plan.get", { ...ACTOR, actor_type: "qa" }),
    calling(ending(() => Promise.reject(new Error("x")))),
    calling(ending(() => Promise.reject(new SlipwayError("lock_conflict", "")))),
  ]);
  for (const failure of failures) expect(failureSchema.safeParse(failure).error).toBeUndefined();
});

describe("a tool of a protocol's own server", () => {
  const admit = vi.fn<() => Promise<void>>(async () => undefined);
  const [read, mutating] = sampleTools((given, input) => seen(given, input)) as [AnyTool, AnyTool];
  const own = served([read, mutating].map((definition) => ({ ...definition, roles: ["orchestrator"], caller: { id: "auditor", admit } })));
  const callOwn = (name: string, args: object, credential = ORCHESTRATOR) => callTool(scratch.kernel, own, credential, name, args);

  test("takes no actor in its calls, and works under the caller's name", async () => {
    expect(await callOwn("plan.get", { feature_id: "a" })).toMatchObject({ ok: true });
    expect(seen.mock.lastCall?.[0].actor).toEqual({ type: "orchestrator", id: "auditor" });
    expect(violationsIn(await callOwn("plan.get", { feature_id: "a", ...ACTOR }))).toEqual(["/actor_type", "/actor_id"]);
  });

  test("works under the name of the credential if it has one", async () => {
    await callOwn("plan.get", { feature_id: "a" }, { ...ORCHESTRATOR, actorId: "kim" });
    expect(seen.mock.lastCall?.[0].actor.id).toBe("kim");
  });

  test("takes an operation id and no version if it is mutating", async () => {
    await callOwn("feature.log_append", { feature_id: "a", text: "b", operation_id: "o" });
    expect(seen.mock.lastCall?.[0].operationId).toBe("call:o");
    expect(violationsIn(await callOwn("feature.log_append", { feature_id: "a", text: "b", expected_version: 1 }))).toEqual([
      "/expected_version",
    ]);
  });

  test("is refused by its caller before the input is read", async () => {
    admit.mockRejectedValueOnce(new SlipwayError("forbidden_tool_for_role", "Not for you."));
    expect(await callOwn("plan.get", { nonsense: true })).toMatchObject({ error: { code: "forbidden_tool_for_role" } });
    expect(seen).not.toHaveBeenCalled();
  });
});
