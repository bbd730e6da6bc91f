import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { callAs, LETTERS, lettersOn } from "../change/testing/letters.ts";
import { GATES, openScratchKernel, replaceLine, type ScratchKernel } from "../change/testing/scratch-kernel.ts";
import type { ActorRole } from "../config/rbac.ts";
import { callTool, type CallOptions } from "./dispatch.ts";
import type { ToolEnvelope, FailureEnvelope, SuccessEnvelope } from "./envelope.ts";
import { evidenceTools } from "./evidence.ts";
import { gatesTools } from "./gates.ts";
import { mergeTools } from "./merge.ts";
import { patchTools } from "./patch.ts";
import { qaTools } from "./qa.ts";
import { served } from "./testing/sample-tools.ts";
import type { ProgressNote } from "./tool.ts";

const tools = served([...patchTools, ...gatesTools, ...evidenceTools, ...qaTools, ...mergeTools]);
const TWO = replaceLine("src/a.txt", "one", "two");

let scratch: ScratchKernel;
let feature: ReturnType<typeof lettersOn>;
beforeEach(async () => {
  scratch = await openScratchKernel();
  feature = lettersOn(scratch);
});
afterEach(() => scratch.close());

function call(role: ActorRole, name: string, args: object = LETTERS, options: CallOptions = {}): Promise<ToolEnvelope> {
  const onBug = (error: unknown) => expect.unreachable(String(error));
  const credential = { role, actorId: null, feature: null };
  return callTool(scratch.kernel, tools, credential, name, { actor_type: role, actor_id: "me", ...args }, { onBug, ...options });
}
const good = async (answer: Promise<ToolEnvelope>) => {
  const envelope = await answer;
  expect(envelope).toMatchObject({ ok: true });
  return envelope as SuccessEnvelope & { data: Record<string, never> };
};
const bad = async (answer: Promise<ToolEnvelope>) => {
  const envelope = await answer;
  expect(envelope).toMatchObject({ ok: false });
  return envelope as FailureEnvelope;
};
const head = () => scratch.git("rev-parse", "main").trim();

describe("repo.apply_patch", () => {
  test("[FEA-082] returns git's status and the changed files", async () => {
    await feature.planned();
    const { data } = await good(call("builder", "repo.apply_patch", { ...LETTERS, unified_diff: TWO }));
    expect(data).toMatchObject({
      changed_files: [{ path: "src/a.txt", status: "M" }],
      porcelain: " M src/a.txt\n",
      qa_index_version: 1,
      empty: false,
    });
  });

  test("[FEA-015] honours the version that the caller has read", async () => {
    await feature.planned();
    const { version } = await feature.row();
    const stale = { ...LETTERS, unified_diff: TWO, expected_version: version - 1 };
    expect((await bad(call("builder", "repo.apply_patch", stale))).error).toMatchObject({
      code: "version_conflict",
      details: { expected_version: version - 1, actual_version: version },
    });
    await good(call("builder", "repo.apply_patch", { ...stale, expected_version: version }));
  });
});

describe("gates", () => {
  test("[FEA-092] gates.list has profiles, modes and steps, of all or of one profile; an unknown profile is an error", async () => {
    await scratch.close();
    const nightly = `  nightly: { modes: { fast: [{ name: short, cmd: ["true"] }], full: [{ name: long, cmd: ["true"] }] } }\n`;
    scratch = await openScratchKernel({ "slipway/gates.yaml": `${GATES}${nightly}` });
    const step = { name: "check", cmd: ["sh", "check.sh"] };
    const profiles = {
      default: { modes: { fast: [step], full: [step] } },
      nightly: { modes: { fast: [{ name: "short", cmd: ["true"] }], full: [{ name: "long", cmd: ["true"] }] } },
    };
    expect((await good(call("planner", "gates.list", {}))).data).toEqual({ profiles });
    expect((await good(call("qa", "gates.list", { profile: "default" }))).data).toEqual({ profiles: { default: profiles.default } });
    expect((await good(call("qa", "gates.list", { profile: "nightly" }))).data).toEqual({ profiles: { nightly: profiles.nightly } });
    expect((await bad(call("qa", "gates.list", { profile: "weekly" }))).error.code).toBe("unknown_gate_profile_or_mode");
  });

  test("gates.run reports progress and the steps that ran", async () => {
    await feature.built();
    const notes: ProgressNote[] = [];
    const { data, evidence } = await good(
      call("builder", "gates.run", { ...LETTERS, mode: "fast" }, { progress: (note) => notes.push(note) }),
    );
    expect(data).toMatchObject({ profile: "default", mode: "fast", passed: true, steps: [{ name: "check", exit_code: 0 }] });
    expect(evidence).toMatchObject({ command: ["sh", "check.sh"], exit_code: 0, log_paths: [expect.stringContaining("/logs/")] });
    expect(notes).toMatchObject([
      { done: 0, total: 1, message: "check started" },
      { done: 1, total: 1, message: expect.stringMatching(/^check: pass with exit code 0 after \d+ ms$/) },
    ]);
  });

  test("[FEA-061] [FEA-093] a failed gate is a failure with the log, the command and the exit code", async () => {
    await feature.planned();
    await good(call("builder", "repo.apply_patch", { ...LETTERS, unified_diff: replaceLine("src/a.txt", "one", "BUG") }));
    const { error, evidence } = await bad(call("builder", "gates.run", { ...LETTERS, profile: "default", mode: "fast" }));
    expect(error).toMatchObject({
      code: "gate_failed",
      details: {
        mode: "fast",
        steps: [{ name: "check", status: "fail", exit_code: 1 }],
        log_tail: expect.stringContaining("src/a.txt:1:BUG"),
      },
    });
    expect(evidence).toMatchObject({ command: ["sh", "check.sh"], exit_code: 1 });
    expect(readFileSync(evidence?.log_path ?? "", "utf8")).toContain("BUG");
    const latest = await good(call("qa", "evidence.latest"));
    expect(latest.data).toMatchObject({
      gate: { passed: false, failure: { code: "gate_failed" } },
      log: { tail: expect.stringContaining("BUG") },
    });
    expect(latest.evidence?.log_path).toBe(evidence?.log_path);
    expect((await bad(call("builder", "gates.run", { ...LETTERS, mode: "merge" }))).error.code).toBe("unknown_gate_profile_or_mode");
  });

  test("gates.run is cancelled through its signal", async () => {
    await feature.planned();
    const { error } = await bad(call("qa", "gates.run", { ...LETTERS, mode: "fast" }, { signal: () => AbortSignal.abort() }));
    expect(error).toMatchObject({ code: "run_stopped", details: { retryable: true } });
  });

  test("evidence.latest of a feature without a gate run", async () => {
    await feature.init();
    expect(await good(call("planner", "evidence.latest"))).toEqual({ ok: true, data: { gate: null, log: null } });
    expect((await bad(call("planner", "evidence.latest", { feature_id: "nobody" }))).error.code).toBe("feature_not_found");
  });
});

describe("the QA index", () => {
  test("[FEA-097] [FEA-098] is read, and updated at the version that was read", async () => {
    await feature.built();
    const { data } = await good(call("qa", "qa.test_index_get"));
    expect(data).toMatchObject({ index: { version: 1 }, counts: { pending: 1, passed: 0 }, pending: [{ path: "src/a.txt" }] });
    const updates = [{ path: "src/a.txt", hunks: [{ start_line: 1, end_line: 1 }], status: "passed" }];
    const missing = await bad(call("qa", "qa.test_index_update", { ...LETTERS, updates }));
    expect(missing.error).toMatchObject({ code: "schema_validation_failed", details: { violations: [{ pointer: "/expected_version" }] } });
    const stale = await bad(call("qa", "qa.test_index_update", { ...LETTERS, expected_version: 7, updates }));
    expect(stale.error).toMatchObject({ code: "qa_index_version_conflict", details: { expected_version: 7, actual_version: 1 } });
    const updated = await good(call("qa", "qa.test_index_update", { ...LETTERS, expected_version: 1, updates, evidence_refs: ["gate"] }));
    expect(updated.data).toMatchObject({ index: { version: 2, items: [{ status: "passed", evidence_refs: ["gate"] }] }, pending: [] });
    expect((await bad(call("builder", "qa.test_index_update", { ...LETTERS, expected_version: 2, updates }))).error.code).toBe(
      "forbidden_tool_for_role",
    );
  });
});

describe("feature.ready_to_merge", () => {
  const arguments_ = { ...LETTERS, commit_message: "Letters", merge_strategy: "squash" };

  test("[FEA-086] [FEA-087] merges the gated and approved change, and nothing else", async () => {
    await feature.ready();
    const candidate = await scratch.kernel.features.candidate(callAs(), arguments_);
    expect((await bad(call("orchestrator", "feature.ready_to_merge", arguments_))).error.code).toBe("user_approval_required");
    expect(head()).toBe(candidate.base);
    const token = scratch.sign(candidate);
    const answer = await good(call("orchestrator", "feature.ready_to_merge", { ...arguments_, user_approval_token: token }));
    expect(answer.data).toMatchObject({
      commit: head(),
      strategy: "squash",
      approved_by: "kim",
      gate_snapshot: { gates: { full: "pass" } },
    });
    // The token is used up, and does not appear in the tool's answer.
    expect(JSON.stringify(answer)).not.toContain(token);
  });

  test.each([
    ["commit_message", { ...LETTERS, merge_strategy: "squash" }],
    ["merge_strategy", { ...LETTERS, commit_message: "x" }],
  ])("without %s it is refused", async (field, args) => {
    const { error } = await bad(call("orchestrator", "feature.ready_to_merge", args));
    expect(error).toMatchObject({ code: "schema_validation_failed", details: { violations: [{ pointer: `/${field}` }] } });
  });
});
