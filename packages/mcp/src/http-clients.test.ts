import { sampleTools } from "@slipway/kernel/tools/testing/sample-tools";
import { describe, expect, test } from "vitest";
import type { HttpServing } from "./http.ts";
import { openBench, type Bench } from "./testing/bench.ts";
import { ACTOR, connect, ERAS, serveOverHttp } from "./testing/client.ts";
import { slowTool } from "./testing/slow-tool.ts";

async function open(): Promise<{ bench: Bench; serving: HttpServing }> {
  const bench = await openBench(sampleTools(), { transport: "streamable_http" });
  return { bench, serving: await serveOverHttp(bench) };
}

describe.each(ERAS)("a %s client", (era) => {
  test("lists every tool with its schemas and annotations, and calls them", async () => {
    const { bench, serving } = await open();
    const client = await connect(serving, bench.token(), era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["feature.log_append", "feature.state_patch", "plan.get"]);
    expect(tools[2]).toMatchObject({
      description: "A sample read tool.",
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      inputSchema: { type: "object", required: ["actor_type", "actor_id", "feature_id"] },
      outputSchema: { type: "object", anyOf: expect.any(Array) },
    });
    expect(client.getInstructions()).toContain('actor_type "orchestrator"');
    const answer = { ok: true, data: { feature_id: "a", plan: null } };
    const result = await client.callTool({ name: "plan.get", arguments: { ...ACTOR, feature_id: "a" } });
    expect(result).toMatchObject({ structuredContent: answer, content: [{ type: "text", text: JSON.stringify(answer) }] });
    expect(result.isError).toBeUndefined();
  });

  test("gets structured errors for a missing argument, a wrong type and an unknown tool", async () => {
    const { bench, serving } = await open();
    const client = await connect(serving, bench.token(), era);
    const missing = await client.callTool({ name: "plan.get", arguments: { ...ACTOR } });
    expect(missing).toMatchObject({
      isError: true,
      structuredContent: {
        ok: false,
        error: { code: "schema_validation_failed", details: { violations: [{ pointer: "/feature_id", rule: "required" }] } },
      },
    });
    const wrong = await client.callTool({ name: "plan.get", arguments: { ...ACTOR, feature_id: 7 } });
    expect(wrong).toMatchObject({
      isError: true,
      structuredContent: { error: { details: { violations: [{ pointer: "/feature_id", rule: "type" }] } } },
    });
    const unknown = client.callTool({ name: "plan.gett", arguments: { ...ACTOR } });
    await expect(unknown).rejects.toMatchObject({ code: -32602, data: { ok: false, error: { code: "schema_validation_failed" } } });
  });

  test("[FEA-118] [FEA-180] is held to the role, name and feature of its token", async () => {
    const { bench, serving } = await open();
    const client = await connect(serving, bench.token({ role: "builder", actorId: "b1", feature: "search" }), era);
    const own = { actor_type: "builder", actor_id: "b1", feature_id: "search" };
    const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
    expect(await call("plan.get", own)).toMatchObject({ structuredContent: { ok: true } });
    const forbidden = { isError: true, structuredContent: { ok: false, error: { code: "forbidden_tool_for_role" } } };
    expect(await call("feature.log_append", { ...own, text: "x" })).toMatchObject(forbidden);
    expect(await call("plan.get", { ...own, actor_type: "system" })).toMatchObject(forbidden);
    expect(await call("plan.get", { ...own, actor_id: "b2" })).toMatchObject(forbidden);
    expect(await call("plan.get", { ...own, feature_id: "other" })).toMatchObject(forbidden);
  });

  test("gets the progress of a long call, and can cancel it", async () => {
    const { definition, started, stopped } = slowTool();
    const bench = await openBench([definition], { transport: "streamable_http", keepAliveMs: 20 });
    const client = await connect(await serveOverHttp(bench), bench.token(), era);
    const heard: { progress: number; message?: string | undefined }[] = [];
    const cancel = new AbortController();
    const enough = Promise.withResolvers<void>();
    const call = client.callTool(
      { name: "gates.run", arguments: ACTOR },
      {
        signal: cancel.signal,
        onprogress(note) {
          heard.push(note);
          if (note.progress > 1) enough.resolve();
        },
      },
    );
    const refused = expect(call).rejects.toThrow();
    await started;
    await enough.promise;
    cancel.abort();
    await Promise.all([stopped, refused]);
    expect(heard).toContainEqual({ progress: 1, total: 3, message: "one step done" });
    expect(heard.at(-1)).toMatchObject({ total: 3, message: "gates.run is still running" });
    const values = heard.map(({ progress }) => progress);
    expect(values).toEqual([...new Set(values)].toSorted((a, b) => a - b));
    expect(values.every((value) => value < 2)).toBe(true);
  });

  test("gets answers to several calls at once while a long one runs", async () => {
    const { definition, started } = slowTool();
    const bench = await openBench([...sampleTools(), definition], { transport: "streamable_http" });
    const client = await connect(await serveOverHttp(bench), bench.token(), era);
    const cancel = new AbortController();
    const long = client.callTool({ name: "gates.run", arguments: ACTOR }, { signal: cancel.signal }).catch(() => undefined);
    await started;
    const reads = ["a", "b", "c"].map((feature_id) => client.callTool({ name: "plan.get", arguments: { ...ACTOR, feature_id } }));
    const answers = await Promise.all(reads);
    expect(answers.map(({ structuredContent }) => structuredContent)).toMatchObject(
      ["a", "b", "c"].map((feature_id) => ({ data: { feature_id } })),
    );
    cancel.abort();
    await long;
  });

  test("that disconnects in the middle of a call aborts it", async () => {
    const { definition, started, stopped } = slowTool();
    const bench = await openBench([definition], { transport: "streamable_http" });
    const client = await connect(await serveOverHttp(bench), bench.token(), era);
    const call = client.callTool({ name: "gates.run", arguments: ACTOR }).catch(() => undefined);
    await started;
    await client.close();
    await Promise.all([stopped, call]);
  });

  test("gets run_stopped for its call when the server closes", async () => {
    const { definition, started, stopped } = slowTool();
    const bench = await openBench([definition], { transport: "streamable_http" });
    const serving = await serveOverHttp(bench);
    const client = await connect(serving, bench.token(), era);
    const call = client.callTool({ name: "gates.run", arguments: ACTOR });
    await started;
    await Promise.all([serving.close(), stopped]);
    expect(await call).toMatchObject({ structuredContent: { ok: false, error: { code: "run_stopped" } } });
  });
});
