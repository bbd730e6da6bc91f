import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { POLICY } from "@slipway/kernel/change/testing/scratch-kernel";
import { APPROVE, challengeOf, contractOf, planOf } from "@slipway/protocols/factory/engineering/testing/modules";
import { sampleSpec } from "@slipway/protocols/factory/product/testing/specs";
import { deliver, FIRST, NUMBERS } from "@slipway/protocols/factory/testing/numbers";
import { describe, expect, test } from "vitest";
import { startSlipway } from "../testing/child.ts";
import { letters, type Project } from "../testing/project.ts";

const [double] = NUMBERS.pillars[0]!.epics[0]!.stories[0]!.tasks;
const SPEC = sampleSpec([double!]);

/** Approving and merging a release is tested in factory-release.test.ts. */
const WITHOUT_APPROVAL = POLICY.replace("merge_policy: {", "merge_policy: { require_user_approval: false,");

/** One page, one task, one module; the answer of every role is recorded. */
function numbers(): Project {
  const project = letters({ "numbers.md": "# Numbers\n\nDouble numbers.\n", "slipway/policy.yaml": WITHOUT_APPROVAL });
  project.record("product-owner", "1.1", { calls: [{ tool: "emit_structured_spec", spec: SPEC }] }, "numbers");
  project.record("planner", "1", planOf(["MM-twice"]), FIRST);
  project.record("proposer", "1", deliver({ "module contract": JSON.stringify(contractOf()) }), "MM-twice");
  project.record("challenger", "1", challengeOf(), "MM-twice");
  project.record("arbiter", "1", APPROVE, "MM-twice");
  return project;
}

const factory = (project: Project, ...more: readonly string[]) =>
  project.slipway(["factory", "numbers.md", "--cassette", project.cassette, ...more]);

describe("slipway factory", () => {
  test("waits with the spec for a person; after the approval it ends with a release", async () => {
    const project = numbers();
    const asked = await factory(project);
    expect(asked).toMatchObject({ code: 23, stderr: "" });
    expect(asked.stdout).toContain("- product: asks: Build Ledger from this spec?\n");
    expect(asked.stdout).toContain("Build Ledger from this spec?\n    slipway answer Q1 APPROVE\n");
    expect((await project.slipway(["factory", "status"])).stdout).toContain("No project yet");
    expect((await project.slipway(["inbox", "Q1"])).stdout).toContain("raises NegativeError for a negative number");

    const again = await factory(project);
    expect(again.code).not.toBe(0);
    expect(again.stderr).toContain("The factory is working on another project");

    expect((await project.slipway(["answer", "Q1", "APPROVE"])).code).toBe(0);
    const ended = await project.slipway(["resume", "--cassette", project.cassette, "--json"]);
    const last = ended.json<{ status: string; value: { release_id: string } }>().at(-1)!;
    expect(last).toMatchObject({ status: "completed", value: { status: "released", modules: ["MM-twice@1.0.0"] } });
    expect(ended.code).toBe(0);
    const store = join(project.root, ".slipway/state_store");
    expect(existsSync(join(store, "modules/MM-twice/1.0.0/ship.json"))).toBe(true);
    expect(existsSync(join(store, `releases/${last.value.release_id}.json`))).toBe(true);

    const status = await project.slipway(["factory", "status"]);
    expect(status.stdout).toContain("1 of 1 tasks shipped; complete");
    expect((await project.slipway(["factory", "status", "--json"])).json()).toMatchObject([{ summary: { complete: true } }]);
    expect(project.git("status", "--porcelain")).toBe("");
  });

  test("[FAC-199] killed in the middle of a debate, it resumes there: roles that have answered are not asked again", async () => {
    const project = numbers();
    await factory(project);
    await project.slipway(["answer", "Q1", "APPROVE"]);
    const child = startSlipway(project, ["resume", "--cassette", project.cassette, "--json"]);
    await child.says('"name":"MM-twice/challenge:1"');
    child.process.kill("SIGKILL");
    await child.ended;
    expect(existsSync(join(project.root, ".slipway/state_store/modules"))).toBe(false);
    for (const role of ["product-owner", "planner", "proposer"]) rmSync(join(project.cassette, role), { recursive: true });
    const { code, stdout } = await project.slipway(["resume", "--cassette", project.cassette]);
    expect(stdout).toContain("+ MM-twice: tested, sealed and indexed\n");
    expect(stdout).toMatch(/REL-[0-9a-f]{8} releases 1 module: MM-twice@1\.0\.0\.\n/);
    expect(code).toBe(0);
  });

  test("a halt names the command that answers it; --comment fills the field that the choice needs", async () => {
    const project = numbers();
    project.record("planner", "1", planOf(["MM-twice", ["MM-twice@^1.0.0"]]), FIRST);
    for (const attempt of ["2", "3"]) project.record("planner", attempt, planOf(["MM-twice", ["MM-twice@^1.0.0"]]), FIRST);
    await factory(project);
    await project.slipway(["answer", "Q1", "APPROVE"]);
    const halted = await project.slipway(["resume", "--cassette", project.cassette]);
    expect(halted.code).toBe(23);
    expect(halted.stdout).toContain(`${FIRST} has halted`);
    expect((await project.slipway(["factory", "status"])).stdout).toMatch(
      /halted: T-\S+ \(ESC-[0-9a-f]{8}\): The planner gave no valid micro plan/,
    );
    expect((await project.slipway(["answer", "Q2", "ABANDON_TASK", "--comment", "not needed"])).code).toBe(0);
    const ended = await project.slipway(["resume", "--cassette", project.cassette]);
    expect(ended.stdout).toContain("there is nothing to release.");
    expect(ended.code).toBe(3);
  });

  test("passes comments to the spec gate's choices, and refuses a page that does not exist", async () => {
    const project = numbers();
    await factory(project);
    expect((await project.slipway(["answer", "Q1", "REJECT"])).stderr).toContain("reasons");
    expect((await project.slipway(["answer", "Q1", "AMEND", "--comment", "one more task"])).code).toBe(0);
    const refused = await project.slipway(["factory", "missing.md"]);
    expect(refused.stderr).toContain("There is no file missing.md.");
    expect(refused.code).not.toBe(0);
  });
});
