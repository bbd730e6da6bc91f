import type { Kernel } from "@slipway/kernel/kernel";
import { trustAnything } from "@slipway/kernel/config/trust/testing/trust-anything";
import { openKernelAt } from "@slipway/kernel/open";
import { expect, test } from "vitest";
import { letters, planFor, patchOf, type Project } from "../testing/project.ts";

let number = 0;

/** Drives the feature as an MCP client does: by tools, without a run. */
async function byTools<T>(project: Project, work: (kernel: Kernel) => Promise<T>): Promise<T> {
  const opened = await openKernelAt({ cwd: project.root, env: project.env, askTrust: trustAnything });
  try {
    return await work(await opened.kernel());
  } finally {
    await opened.close();
  }
}

function next() {
  return { actor: { type: "system", id: "client" } as const, operationId: `client-${(number += 1)}` };
}

async function ready(project: Project): Promise<void> {
  await byTools(project, async ({ features, records }) => {
    const feature_id = "letters";
    const spec_digest = await records.objects.put(Buffer.from("# Letters\n"));
    await features.init(next(), { feature_id, run_id: "mcp", spec_source: "letters.spec.md", spec_digest });
    await features.submitPlan(next(), { feature_id, plan_json: planFor(feature_id).plan });
    await features.applyPatch(next(), { feature_id, unified_diff: patchOf("src/a.txt", "one", "two").unified_diff });
    for (const mode of ["fast", "full"]) {
      await features.runGates(next(), { feature_id, mode });
      await features.changeStatus(next(), { feature_id, to: mode === "fast" ? "qa" : "ready_to_merge", reason: `${mode} passed` });
    }
  });
}

test("a feature without a run is approved by a token, which merges that exact change once", async () => {
  const project = letters();
  await ready(project);
  const approved = await project.slipway(["approve", "letters", "--json"]);
  expect(approved.code).toBe(0);
  const [{ token = "", tree }] = approved.json<{ token: string; tree: string }>() as [{ token: string; tree: string }];
  await byTools(project, async ({ features }) => {
    const merge = () => features.merge(next(), { feature_id: "letters", user_approval_token: token });
    expect(await merge()).toMatchObject({ tree });
    await expect(merge()).rejects.toMatchObject({ code: "invalid_status_transition" });
  });
  expect(project.git("rev-parse", "main^{tree}").trim()).toBe(tree);
});

test("`slipway merge` refuses a feature without a run, and names the command and the tool that merge it", async () => {
  const project = letters();
  await ready(project);
  const { code, stderr } = await project.slipway(["merge", "letters"]);
  expect(code).toBe(23);
  expect(stderr).toMatch(
    /^user_approval_required: "letters" belongs to no run.*\n {2}next: `slipway approve letters` prints a token.*\n {2}next: .*user_approval_token/,
  );
});

test("without --json the token is on its own line; a tree other than the named one is not signed", async () => {
  const project = letters();
  await ready(project);
  expect(await project.slipway(["approve", "letters", "--tree", "0000000"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("that would merge now"),
  });
  const { stdout } = await project.slipway(["approve"]);
  const [said, token, next] = stdout.split("\n");
  expect(said).toMatch(/^Approved tree [0-9a-f]{10} of letters, signed as kim, valid until \S+Z\.$/);
  expect(token).toMatch(/^\S{80,}$/);
  expect(next).toContain("feature.ready_to_merge");
});

test("a candidate on a moved base must be gated first, and a conflict resolved", async () => {
  const project = letters();
  await ready(project);
  project.write("src/b.txt", "three\n");
  project.git("commit", "--all", "--quiet", "--message=moved");
  expect(await project.slipway(["approve", "letters"])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("gate_failed: The full gate has not passed on the tree to merge"),
  });
  project.write("src/a.txt", "mine\n");
  project.git("commit", "--all", "--quiet", "--message=moved again");
  expect(await project.slipway(["approve", "letters"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("conflicts with main: src/a.txt"),
  });
});
