import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { POLICY } from "@slipway/kernel/change/testing/scratch-kernel";
import { describe, expect, test } from "vitest";
import { git } from "../init/testing/scratch.ts";
import { serve } from "../testing/mcp-client.ts";
import { letters, patchOf, planFor } from "../testing/project.ts";

const LETTERS = { feature_id: "letters" };
const MERGE = { ...LETTERS, commit_message: "Two", merge_strategy: "squash" };

/** A feature that an MCP client alone brought to `ready_to_merge`, in the default folder for worktrees. */
async function driven() {
  const project = letters({
    "slipway/policy.yaml": POLICY.replace(", root: .worktrees", "").replace(
      /allowed_strategies: \[[^\]]*\]/,
      "allowed_strategies: [squash]",
    ),
  });
  project.write(".slipway/features/letters/spec.md", "# Letters\n");
  const tools = serve(project, "--role", "system");
  const call = (name: string, given: object) => tools(name, { actor_type: "system", actor_id: "client", ...given });
  const well = async (name: string, given: object) => {
    const answer = await call(name, given);
    expect([name, answer.error]).toEqual([name, undefined]);
    return answer;
  };
  const patchStatus = async (status: string) => {
    const { data } = await well("feature.state_get", LETTERS);
    await well("feature.state_patch", { ...LETTERS, expected_version: data?.state?.version, patch: { status, status_reason: "passed" } });
  };
  await well("feature.init", LETTERS);
  await well("plan.submit", { ...LETTERS, plan_json: planFor("letters").plan });
  await well("repo.apply_patch", { ...LETTERS, unified_diff: patchOf("src/a.txt", "one", "two").unified_diff });
  const gate = (mode: string) => well("gates.run", { ...LETTERS, profile: "default", mode });
  await gate("fast");
  await patchStatus("qa");
  await gate("full");
  await patchStatus("ready_to_merge");
  const worktree = join(project.ungated.worktrees, "letters");
  return { project, call, well, gate, worktree };
}

const edit = (worktree: string) => writeFileSync(join(worktree, "src/b.txt"), "by hand\n");

function commitByHand(worktree: string): void {
  edit(worktree);
  git(worktree, "commit", "--all", "--quiet", "--message=by hand");
}

/** A merge without an approval leaves its message for the person, who approves it with the change. */
async function tokenFrom({ project, call }: Awaited<ReturnType<typeof driven>>): Promise<string> {
  expect((await call("feature.ready_to_merge", MERGE)).error?.code).toBe("user_approval_required");
  const { code, stdout, stderr } = await project.slipway(["approve", "letters"]);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout.split("\n")[1] ?? "";
}

const DECIDE = [expect.stringContaining("slipway adopt letters"), expect.stringContaining("slipway set-aside letters")];

describe.each([
  ["edits", edit],
  ["a commit", commitByHand],
] as const)("B24: %s by hand in a worktree that an MCP client drives", (_what, byHand) => {
  test.each<[tool: string, given: object]>([
    ["repo.apply_patch", { ...LETTERS, unified_diff: patchOf("src/a.txt", "two", "three").unified_diff }],
    ["gates.run", { ...LETTERS, profile: "default", mode: "full" }],
    ["repo.rebase_onto_main", LETTERS],
    ["feature.ready_to_merge", MERGE],
  ])("B24: %s is refused with the commands for the person, and changes nothing", async (tool, given) => {
    const site = await driven();
    const { call, worktree, project } = site;
    // A token issued earlier is only valid for the tree that was shown then.
    const token = tool === "feature.ready_to_merge" ? { user_approval_token: await tokenFrom(site) } : {};
    byHand(worktree);
    const { error } = await call(tool, { ...given, ...token });
    expect(error).toMatchObject({ code: "worktree_edited", details: { requires_human: true } });
    expect(error?.details["suggested_next_actions"]).toEqual(expect.arrayContaining(DECIDE));
    expect(readFileSync(join(worktree, "src/b.txt"), "utf8")).toBe("by hand\n");
    expect(project.git("show", "main:src/a.txt")).toBe("one\n");
  });

  test("B24: slipway approve signs nothing, and names the commands", async () => {
    const { worktree, project } = await driven();
    byHand(worktree);
    const { code, stdout, stderr } = await project.slipway(["approve", "letters"]);
    expect([code, stdout]).toEqual([23, ""]);
    expect(stderr).toMatch(/^worktree_edited: [\s\S]+next: `slipway adopt letters`[\s\S]+next: `slipway set-aside letters`/);
  });

  test("B24: slipway adopt: the edit is gated and approved again, and merges with the change", async () => {
    const site = await driven();
    const { worktree, project, call, gate, well } = site;
    const before = await tokenFrom(site);
    byHand(worktree);
    const adopted = await project.slipway(["adopt", "letters"]);
    expect([adopted.code, adopted.stderr]).toEqual([0, ""]);
    expect(adopted.stdout).toMatch(/src\/b\.txt[\s\S]+next: .*gates\.run/);
    expect((await call("feature.ready_to_merge", { ...MERGE, user_approval_token: before })).error?.code).toBe("gate_failed");
    await gate("full");
    expect((await call("feature.ready_to_merge", { ...MERGE, user_approval_token: before })).error?.code).toBe("user_approval_required");
    await well("feature.ready_to_merge", { ...MERGE, user_approval_token: await tokenFrom(site) });
    expect(project.git("show", "main:src/a.txt", "main:src/b.txt")).toBe("two\nby hand\n");
    expect((await project.slipway(["evidence", "letters"])).stdout).toContain("edited by hand");
  });

  test("B24: slipway set-aside: the edit is kept on a branch, and the repeated call continues with the gated and approved tree", async () => {
    const site = await driven();
    const { worktree, project, call, well } = site;
    const merge = { ...MERGE, operation_id: "land-1", user_approval_token: await tokenFrom(site) };
    byHand(worktree);
    expect((await call("feature.ready_to_merge", merge)).error?.code).toBe("worktree_edited");
    const { code, stdout } = await project.slipway(["set-aside", "letters"]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("slipway/kept/letters-1")]);
    expect(project.git("show", "slipway/kept/letters-1:src/b.txt")).toBe("by hand\n");
    await well("feature.ready_to_merge", merge);
    expect(project.git("show", "main:src/a.txt", "main:src/b.txt")).toBe("two\none\n");
  });
});

describe("B24: deciding on edits by hand", () => {
  test.each(["adopt", "set-aside"])("slipway %s without edits by hand says so and changes nothing", async (command) => {
    const { project } = await driven();
    const [before] = project.sql("SELECT version, tree FROM features");
    expect(await project.slipway([command, "letters"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^There are no edits by hand in /),
    });
    expect(project.sql("SELECT version, tree FROM features")).toEqual([before]);
    expect(project.git("branch", "--list", "slipway/kept/*")).toBe("");
  });

  test("a feature of a run is decided by the run's question", async () => {
    const project = letters();
    await project.run();
    writeFileSync(join(project.root, ".worktrees/letters/src/b.txt"), "by hand\n");
    expect(await project.slipway(["adopt", "letters"])).toMatchObject({
      code: 23,
      stderr: expect.stringMatching(/^worktree_edited: .*run \S+_letters drives letters[\s\S]+next: slipway resume/),
    });
    expect(await project.slipway(["approve", "letters"])).toMatchObject({ code: 23 });
    expect(await project.slipway(["resume", "--cassette", project.cassette])).toMatchObject({ code: 23 });
    expect(await project.slipway(["set-aside", "letters"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("next: slipway resume"),
    });
    expect(await project.slipway(["resume", "--cassette", project.cassette])).toMatchObject({ code: 23 });
    expect(project.git("show", "slipway/kept/letters-1:src/b.txt")).toBe("by hand\n");
    expect(readFileSync(join(project.root, ".worktrees/letters/src/b.txt"), "utf8")).toBe("one\n");
  });

  test("a feature that has ended is refused, with the command that continues it", async () => {
    const { project, well } = await driven();
    const { data } = await well("feature.state_get", LETTERS);
    const patch = { status: "failed", status_reason: "given up" };
    await well("feature.state_patch", { ...LETTERS, expected_version: data?.state?.version, patch });
    expect(await project.slipway(["adopt", "letters"])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^invalid_status_transition: "letters" is failed/),
    });
    expect(existsSync(join(project.ungated.worktrees, "letters"))).toBe(true);
  });
});
