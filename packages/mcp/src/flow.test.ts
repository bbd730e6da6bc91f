import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@modelcontextprotocol/client";
import type { ActorRole } from "@slipway/kernel/config/rbac";
import { POLICY, replaceLine, scratchPlan } from "@slipway/kernel/change/testing/scratch-kernel";
import { ALL_TOOLS } from "@slipway/kernel/tools/all";
import { loadDocumentSchemas } from "@slipway/kernel/tools/documents";
import type { ToolEnvelope } from "@slipway/kernel/tools/envelope";
import { describe, expect, test } from "vitest";
import { openBench, scratchPlace, SHIPPED, type Bench, type Place } from "./testing/bench.ts";
import { connect, ERAS, serveOverHttp, type Era } from "./testing/client.ts";

/** Writes its process id, then runs forever. */
const SLOW_GATES = `version: 1
profiles:
  default:
    modes:
      fast: [{ name: slow, cmd: [sh, slow.sh] }]
      full: [{ name: slow, cmd: [sh, slow.sh] }]
`;
const slowFiles = (pidFile: string) => ({ "slipway/gates.yaml": SLOW_GATES, "slow.sh": `echo $$ > ${pidFile}\nsleep 600\n` });

async function open(place: Place = scratchPlace()): Promise<Bench> {
  return openBench(ALL_TOOLS, { ...SHIPPED, place, transport: "streamable_http", documents: loadDocumentSchemas() });
}

/** A client in a role, and its calls. */
async function worker(bench: Bench, role: ActorRole, { era = "modern", feature = null }: { era?: Era; feature?: string | null } = {}) {
  const client: Client = await connect(await serveOverHttp(bench), bench.token({ role, actorId: role, feature }), era);
  return {
    client,
    async call(name: string, args: Record<string, unknown> = {}): Promise<ToolEnvelope> {
      const { structuredContent } = await client.callTool({ name, arguments: { actor_type: role, actor_id: role, ...args } });
      return structuredContent as unknown as ToolEnvelope;
    },
  };
}

const letters = { feature_id: "letters" };
const spec = ({ write }: Place, feature = "letters") =>
  write(`.slipway/features/${feature}/spec.md`, "# Letters\n\nThe first file says two.\n");
const patch = { ...letters, unified_diff: replaceLine("src/a.txt", "one", "two") };
const ok = { ok: true };

describe.each(ERAS)("%s clients in their roles", (era) => {
  test("take a feature by tools alone from its specification to the approval, which only a person can give", async () => {
    const bench = await open();
    spec(bench.place);
    const orchestrator = await worker(bench, "orchestrator", { era });
    const planner = await worker(bench, "planner", { era, feature: "letters" });
    const builder = await worker(bench, "builder", { era, feature: "letters" });
    const qa = await worker(bench, "qa", { era, feature: "letters" });
    expect(await orchestrator.call("feature.init", letters)).toMatchObject({ data: { state: { status: "planning" } } });
    expect(await planner.call("plan.submit", { ...letters, plan_json: scratchPlan("letters") })).toMatchObject(ok);
    expect(await builder.call("repo.apply_patch", patch)).toMatchObject({ data: { changed_files: [{ path: "src/a.txt", status: "M" }] } });
    expect(await builder.call("gates.run", { ...letters, mode: "fast" })).toMatchObject({
      data: { passed: true },
      evidence: { command: ["sh", "check.sh"], exit_code: 0, log_path: expect.any(String) },
    });
    const { data } = (await qa.call("qa.test_index_get", letters)) as { data: { index: { version: number } } };
    expect(data.index.version).toBeGreaterThan(0);
    for (const [status, mode] of [
      ["qa", "full"],
      ["ready_to_merge", null],
    ] as const) {
      const state = (await orchestrator.call("feature.state_get", letters)) as { data: { state: { version: number } } };
      const version = state.data.state.version;
      const moved = { ...letters, patch: { status, status_reason: "passed" }, expected_version: version };
      expect(await orchestrator.call("feature.state_patch", moved)).toMatchObject(ok);
      if (mode !== null) expect(await qa.call("gates.run", { ...letters, mode })).toMatchObject(ok);
    }
    const merge = { ...letters, commit_message: "Letters", merge_strategy: "squash" };
    expect(await orchestrator.call("feature.ready_to_merge", merge)).toMatchObject({
      ok: false,
      error: { code: "user_approval_required", details: { requires_human: true } },
    });
    expect(bench.place.git("show", "main:src/a.txt")).toBe("one\n");
    expect(await orchestrator.call("report.dashboard")).toMatchObject(ok);
  });
});

describe("a client that disconnects in the middle of a gate", () => {
  test.each(ERAS)("leaves no process and a consistent state (%s)", async (era) => {
    const place = scratchPlace();
    const pidFile = join(place.home, "pid");
    for (const [path, text] of Object.entries(slowFiles(pidFile))) place.write(path, text);
    place.git("add", "--all");
    place.git("commit", "--quiet", "--message=slow");
    const bench = await open(place);
    spec(place);
    const system = await worker(bench, "system");
    await system.call("feature.init", letters);
    await system.call("plan.submit", { ...letters, plan_json: scratchPlan("letters") });
    await system.call("repo.apply_patch", patch);
    const before = await system.call("feature.state_get", letters);
    const leaving = await worker(bench, "builder", { era });
    const call = leaving.call("gates.run", { ...letters, mode: "fast", operation_id: "gate-1" }).catch(() => null);
    await until(() => existsSync(pidFile) && readFileSync(pidFile, "utf8").trim() !== "");
    const pid = Number(readFileSync(pidFile, "utf8"));
    await leaving.client.close();
    await call;
    await until(() => !existsSync(`/proc/${pid}`));
    const after = (await system.call("feature.state_get", letters)) as { data: { state: { gates: Record<string, string> } } };
    expect(after.data.state.gates["fast"]).toBe("na");
    expect(after).toMatchObject({ data: { state: { status: (before as { data: { state: { status: string } } }).data.state.status } } });
    expect(await system.call("evidence.latest", letters)).toMatchObject({ data: { gate: null } });
  });
});

describe("two clients at once", () => {
  test("[FEA-014] of two changes from the same version one wins, and the other gets the current version", async () => {
    const bench = await open();
    spec(bench.place);
    const [first, second] = [await worker(bench, "orchestrator"), await worker(bench, "orchestrator", { era: "legacy" })];
    const { data } = (await first.call("feature.init", letters)) as unknown as { data: { state: { version: number } } };
    const change = (note: string) => ({ ...letters, patch: { note }, expected_version: data.state.version });
    const answers = await Promise.all([first.call("feature.state_patch", change("a")), second.call("feature.state_patch", change("b"))]);
    expect(answers.filter((answer) => answer.ok)).toHaveLength(1);
    expect(answers.find((answer) => !answer.ok)).toMatchObject({
      error: {
        code: "version_conflict",
        details: { retryable: true, expected_version: data.state.version, actual_version: data.state.version + 1 },
      },
    });
  });

  test("of two features that want the same lock one gets it, and the other learns the holder", async () => {
    const bench = await open();
    for (const feature of ["letters", "numbers"]) spec(bench.place, feature);
    const [first, second] = [await worker(bench, "orchestrator"), await worker(bench, "orchestrator", { era: "legacy" })];
    for (const feature_id of ["letters", "numbers"]) expect(await first.call("feature.init", { feature_id })).toMatchObject(ok);
    const lock = (feature_id: string) => ({ feature_id, resource: "openapi", wait_timeout_seconds: 0 });
    const answers = await Promise.all([first.call("locks.acquire", lock("letters")), second.call("locks.acquire", lock("numbers"))]);
    const winner = answers[0]?.ok === true ? "letters" : "numbers";
    expect(answers.filter((answer) => answer.ok)).toHaveLength(1);
    expect(answers.find((answer) => !answer.ok)).toMatchObject({
      error: { code: "lock_conflict", details: { conflicting_feature_ids: [winner] } },
    });
  });
});

test("[FEA-174] a repeated operation id is answered from the record, also by another server after a restart", async () => {
  const place = scratchPlace();
  const first = await open(place);
  spec(place);
  const before = await worker(first, "orchestrator");
  await before.call("feature.init", letters);
  const note = { ...letters, note: "Two, not three.", operation_id: "note-1" };
  const answer = await before.call("feature.log_append", note);
  expect(answer).toMatchObject(ok);
  const after = await worker(await open(place), "orchestrator", { era: "legacy" });
  expect(await after.call("feature.log_append", note)).toEqual(answer);
  expect(await after.call("feature.log_append", { ...note, note: "Three." })).toMatchObject({ error: { code: "operation_conflict" } });
  const decisions = readFileSync(join(place.root, ".slipway", "features", "letters", "decisions.md"), "utf8");
  expect(decisions.split("Two, not three.")).toHaveLength(2);
});

test("a policy that is committed while the server runs applies from the next call on", async () => {
  const bench = await open();
  const { write, git } = bench.place;
  const planner = await worker(bench, "planner");
  expect(await planner.call("gates.list")).toMatchObject(ok);
  const commit = (policy: string) => {
    write("slipway/policy.yaml", policy);
    git("commit", "--quiet", "--all", "--message=policy");
  };
  commit(`${POLICY}rbac: { planner: [plan.get] }\n`);
  expect(await planner.call("gates.list")).toMatchObject({ error: { code: "forbidden_tool_for_role" } });
  commit("version: 1\n");
  expect(await planner.call("gates.list")).toMatchObject({ error: { code: "config_invalid" } });
  commit(POLICY);
  expect(await planner.call("gates.list")).toMatchObject(ok);
});

/** Waits for something outside this process; only the timeout of the test limits it. */
async function until(met: () => boolean): Promise<void> {
  while (!met()) await sleep(10);
}
