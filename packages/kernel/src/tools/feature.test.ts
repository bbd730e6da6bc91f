import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ActorRole, Tool } from "../config/rbac.ts";
import { lettersOn } from "../change/testing/letters.ts";
import { openScratchKernel, POLICY, type ScratchKernel } from "../change/testing/scratch-kernel.ts";
import { callTool } from "./dispatch.ts";
import { featureTools } from "./feature.ts";
import { repoTools } from "./repo.ts";
import { reportTools } from "./report.ts";
import { served } from "./testing/sample-tools.ts";

const tools = served([...featureTools, ...repoTools, ...reportTools]);
let scratch: ScratchKernel;
beforeEach(async () => {
  scratch = await openScratchKernel();
});
afterEach(() => scratch.close());

async function use(name: Tool, args: Record<string, unknown> = {}, role: ActorRole = "system") {
  const bugs: unknown[] = [];
  const credential = { role, actorId: null, feature: null };
  const envelope = await callTool(
    scratch.kernel,
    tools,
    credential,
    name,
    { actor_type: role, actor_id: "kim", ...args },
    {
      onBug: (error) => bugs.push(error),
    },
  );
  expect(bugs).toEqual([]);
  return envelope;
}

async function data(name: Tool, args: Record<string, unknown> = {}, role?: ActorRole) {
  const envelope = await use(name, args, role);
  expect(envelope).toMatchObject({ ok: true });
  return (envelope as { data: Record<string, unknown> }).data;
}

const code = async (name: Tool, args: Record<string, unknown> = {}, role?: ActorRole) => {
  const envelope = await use(name, args, role);
  return envelope.ok ? "ok" : envelope.error.code;
};

const letters = { feature_id: "letters" };
const spec = () => scratch.write(".slipway/features/letters/spec.md", "# Letters\n");

describe("a feature driven by tools alone", () => {
  test("[FEA-069] discover_specs finds it; [FEA-070] init creates folder, branch, worktree and the first state", async () => {
    expect(await data("feature.discover_specs")).toEqual({ specs: [] });
    spec();
    expect(await data("feature.discover_specs")).toEqual({
      specs: [{ feature_id: "letters", spec_path: ".slipway/features/letters/spec.md" }],
    });
    const made = await data("feature.init", letters, "orchestrator");
    expect(made).toMatchObject({
      state: {
        feature_id: "letters",
        status: "planning",
        version: 1,
        branch: "letters",
        gates: { plan: "na", fast: "na", full: "na" },
        locks: { held: [] },
        collisions: { files: [], areas: [], contracts: [] },
        source: { spec_path: ".slipway/features/letters/spec.md" },
      },
      body: expect.stringContaining("# letters"),
    });
    for (const part of ["state.md", "decisions.md", "qa_test_index.json", "logs", "evidence"])
      expect(existsSync(join(scratch.root, ".slipway/features/letters", part))).toBe(true);
    expect(await data("feature.init", letters, "orchestrator")).toEqual(made);
  });

  test("init needs a specification and a usable id", async () => {
    expect(await code("feature.init", letters)).toBe("input_path_not_found");
    expect(await code("feature.init", { feature_id: "../letters" })).toBe("invalid_feature_slug");
    scratch.write(".slipway/features/main/spec.md", "# Main\n");
    expect(await code("feature.init", { feature_id: "main" })).toBe("invalid_feature_slug");
    scratch.git("branch", "letters");
    scratch.git("commit", "--quiet", "--allow-empty", "--message=more");
    spec();
    expect(await code("feature.init", letters)).toBe("feature_slug_collision");
  });

  test("[FEA-071] get_context suffices to continue; state_get has front matter and body", async () => {
    await lettersOn(scratch).built();
    await scratch.kernel.features.runGates({ actor: { type: "system", id: "t" }, operationId: "g" }, { ...letters, mode: "fast" });
    expect(await data("feature.get_context", letters, "qa")).toMatchObject({
      spec: "# Letters\n",
      state: { status: "building" },
      plan: { feature_id: "letters", plan_version: 1 },
      evidence: { gate: { mode: "fast", passed: true } },
      qa_index: { feature_id: "letters", items: [{ path: "src/a.txt" }] },
      diff_stat: expect.stringContaining("src/a.txt"),
    });
    const { state, body } = await data("feature.state_get", letters, "planner");
    expect(state).toMatchObject({ feature_id: "letters", status: "building" });
    expect(scratch.read(".slipway/features/letters/state.md").endsWith(String(body))).toBe(true);
    expect(await code("feature.get_context", { feature_id: "nobody" })).toBe("feature_not_found");
  });

  test("[FEA-072] state_patch needs the version, and changes the state; [FEA-073] log_append adds a note", async () => {
    spec();
    await data("feature.init", letters);
    const patch = { ...letters, patch: { role_status: { planner: "running" } } };
    expect(await code("feature.state_patch", patch, "orchestrator")).toBe("schema_validation_failed");
    expect(await code("feature.state_patch", { ...patch, expected_version: 9 }, "orchestrator")).toBe("version_conflict");
    expect(await data("feature.state_patch", { ...patch, expected_version: 1 }, "orchestrator")).toMatchObject({
      state: { version: 2, role_status: { planner: "running" } },
    });
    expect(await data("feature.log_append", { ...letters, note: "because" }, "orchestrator")).toEqual({ appended: true });
    expect(scratch.read(".slipway/features/letters/decisions.md")).toMatch(/orchestrator \(kim\)\n\n> because\n$/);
  });

  test("[FEA-167] delete has its catalog entry: a dry run changes nothing, without it the feature is deleted", async () => {
    spec();
    await data("feature.init", letters);
    expect(await data("feature.delete", { ...letters, dry_run: true })).toMatchObject({ removes: { branch: "letters" }, steps: [] });
    expect(await code("feature.delete", letters, "orchestrator")).toBe("forbidden_tool_for_role");
    expect(await data("feature.delete", letters)).toMatchObject({ feature_id: "letters", dry_run: false, reasons: [] });
    expect(await code("feature.delete", letters)).toBe("feature_not_found");
    expect(await code("feature.state_get", letters)).toBe("feature_not_found");
  });
});

describe("the repository by tools", () => {
  test("[FEA-083] [FEA-084] [FEA-085] status, diff, files, search and the bundle", async () => {
    await lettersOn(scratch).built();
    expect(await data("repo.status", letters, "builder")).toMatchObject({ branch: "letters", porcelain: " M src/a.txt\n" });
    expect(await data("repo.diff", { ...letters, options: ["--name-only"] }, "builder")).toMatchObject({ diff: "src/a.txt\n" });
    for (const option of ["--output=/tmp/x", "--ext-diff", "HEAD", "--no-index"])
      expect(await code("repo.diff", { ...letters, options: [option] })).toBe("schema_validation_failed");
    expect(await data("repo.read_file", { ...letters, path: "src/a.txt" }, "planner")).toMatchObject({ text: "two\n", binary: false });
    expect(await code("repo.read_file", { ...letters, path: "../../slipway/policy.yaml" })).toBe("path_out_of_bounds");
    expect(await data("repo.search", { ...letters, query: "^tw" }, "qa")).toEqual({
      matches: [{ path: "src/a.txt", line: 1, text: "two" }],
      truncated: false,
    });
    expect(await data("repo.diff_bundle", letters, "qa")).toMatchObject({ files: [{ path: "src/a.txt", status: "M" }], last_gate: null });
  });

  test("[FEA-078] [FEA-091] tools for the system only", async () => {
    await lettersOn(scratch).built();
    for (const name of ["repo.ensure_worktree", "repo.rebase_onto_main", "repo.merge"] as const)
      expect(await code(name, letters, "orchestrator")).toBe("forbidden_tool_for_role");
    expect(await data("repo.ensure_worktree", letters)).toMatchObject({ branch: "letters", created: false });
    expect(await data("repo.rebase_onto_main", letters)).toMatchObject({ moved: false });
    expect(await code("repo.commit", { ...letters, message: "x" })).toBe("commit_disabled");
    expect(await code("repo.merge", letters)).toBe("merge_disabled");
  });

  test("commit and merge, if the policy allows them", async () => {
    await scratch.close();
    scratch = await openScratchKernel({
      "slipway/policy.yaml": POLICY.replace("allow_commit: false, allow_merge: false", "allow_commit: true, allow_merge: true"),
    });
    const candidate = await lettersOn(scratch).ready();
    expect(await data("repo.commit", { ...letters, message: "Letters" })).toMatchObject({ branch: "letters", committed: true });
    expect(await code("repo.merge", letters)).toBe("user_approval_required");
    expect(await data("repo.merge", { ...letters, user_approval_token: scratch.sign(candidate) })).toMatchObject({
      base_branch: "main",
      commit: scratch.git("rev-parse", "main").trim(),
    });
  });
});

test("[FEA-103] reports are for orchestrator and system", async () => {
  await lettersOn(scratch).built();
  expect(await data("report.dashboard", {}, "orchestrator")).toMatchObject({
    features: [{ feature_id: "letters" }],
    counts: { building: 1 },
  });
  expect(await data("report.feature_summary", letters)).toMatchObject({ diff: { stat: expect.stringContaining("src/a.txt") } });
  expect(await code("report.dashboard", {}, "qa")).toBe("forbidden_tool_for_role");
});
