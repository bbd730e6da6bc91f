import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { refusalOf } from "@slipway/kernel/host/file-views/testing/yard";
import { agentTools, ARTIFACT_TOOLS, type AgentContext, type AgentToolsOptions } from "./agent-tools.ts";
import { refOf } from "./envelope.ts";
import { openStoreBench, type StoreBench } from "./testing/store-bench.ts";

let bench: StoreBench;
beforeEach(async () => void (bench = await openStoreBench()));
afterEach(() => bench.close());

const CONTEXT: AgentContext = {
  role: "proposer",
  runId: "run1",
  contextPackRef: "CP-0a1b2c3d",
  pillar: "core",
  tools: ARTIFACT_TOOLS,
  creates: ["IMPLEMENTATION"],
  sees: new Set(),
};
const PASS = { kind: "code", result: "PASS", fingerprint: "a".repeat(64), lockedFingerprint: "a".repeat(64) } as const;

function tools(context: Partial<AgentContext> = {}, shipGround: AgentToolsOptions["shipGround"] = async () => null) {
  const search = async (input: unknown) => ({ searched: input });
  return agentTools({ artifacts: bench.artifacts, context: { ...CONTEXT, ...context }, call: () => bench.call(), shipGround, search });
}
const wish = { artifact_type: "IMPLEMENTATION", body: { "a.ts": "a\n" } };

describe("an agent", () => {
  test("has four tools, limited to those of its role", async () => {
    expect(ARTIFACT_TOOLS).toEqual(["create_artifact", "ship_artifact", "query_artifacts", "search_code_index"]);
    const use = tools({ tools: ["query_artifacts"] });
    for (const tool of ["create_artifact", "ship_artifact", "search_code_index", "delete_artifact", "constructor"]) {
      expect(await refusalOf(() => use(tool, {}))).toMatchObject({ code: "forbidden_tool_for_role" });
    }
    expect(await use("query_artifacts", {})).toEqual([]);
    expect(await tools()("search_code_index", { query: "x" })).toEqual({ searched: { query: "x" } });
  });

  test("creates artifacts of its role, and gets the id", async () => {
    const made = (await tools()("create_artifact", wish)) as { artifact_id: string };
    const { envelope } = await bench.artifacts.get(made.artifact_id);
    expect(envelope).toMatchObject({ created_by: { role: "proposer", run_id: "run1" }, context_pack_ref: "CP-0a1b2c3d" });
    const refusal = await refusalOf(() => tools()("create_artifact", { ...wish, artifact_type: "ADJUDICATION" }));
    expect(refusal.message).toMatch(/may not create an artifact of type ADJUDICATION/);
  });

  test.each(["artifact_id", "created_by", "context_pack_ref", "status", "version", "follows", "pillar"])(
    "cannot set the %s itself",
    async (field) => {
      expect((await refusalOf(() => tools()("create_artifact", { ...wish, [field]: "IMPL-0a1b2c3d" }))).code).toBe(
        "schema_validation_failed",
      );
      expect(await bench.artifacts.query({})).toEqual([]);
    },
  );

  test("finds only what its context pack includes", async () => {
    const [seen] = [await bench.create(), await bench.create()];
    const use = tools({ sees: new Set([refOf(seen)]) });
    expect(await use("query_artifacts", { artifact_type: "IMPLEMENTATION", status: "DRAFT" })).toEqual([seen]);
    expect(await use("query_artifacts", { status: "SHIPPED" })).toEqual([]);
  });
});

describe("ship_artifact", () => {
  const ground = async () => ({ to: "SHIPPED" as const, amendmentsApplied: true, evidence: PASS });

  test("ships nothing early: without evidence, without an approval, with failing evidence", async () => {
    const draft = await bench.create();
    const rejected = await bench.adjudicated("REJECT");
    const approved = await bench.adjudicated("APPROVE");
    const failing = async () => ({ to: "SHIPPED" as const, amendmentsApplied: true, evidence: { ...PASS, result: "FAIL" as const } });
    const other = async () => ({ to: "SHIPPED" as const, amendmentsApplied: true, evidence: { ...PASS, fingerprint: "b".repeat(64) } });
    for (const [{ artifact_id }, found] of [
      [draft, ground],
      [rejected, ground],
      [approved, async () => null],
      [approved, failing],
      [approved, other],
    ] as const) {
      expect((await refusalOf(() => tools({}, found)("ship_artifact", { artifact_id }))).code).toBe("invalid_status_transition");
    }
    expect(await bench.artifacts.query({ status: "SHIPPED" })).toEqual([]);
  });

  test("ships after the ship step has passed", async () => {
    const { artifact_id } = await bench.adjudicated("APPROVE");
    expect(await tools({}, ground)("ship_artifact", { artifact_id })).toEqual({ artifact_id, status: "SHIPPED" });
  });
});
