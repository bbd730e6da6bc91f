import { statSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { runUntilApproval, slipway } from "./cli.ts";
import { adding, addingBinary, moving, replacing, rewriting } from "./patches.ts";
import { REFUSED_PATCHES } from "./refused-patches.ts";
import { openSite, planFor, type Site } from "./site.ts";
import { unharmed } from "./surroundings.ts";
import { makeYard, OPEN_POLICY } from "./yard.ts";

interface Applied {
  readonly flags: Readonly<Record<string, readonly string[]>>;
}

describe("without an enforced plan and without protected areas, the patch itself is still judged", () => {
  let site: Site;
  let feature: string;

  beforeAll(async () => {
    const limits = "{ enforce_plan: false, enforce_allowed_areas: false, max_bytes: 50000, max_files: 20 }";
    site = await openSite({
      files: {
        "slipway/policy.yaml": OPEN_POLICY.replace(/patch_policy: .*/, `patch_policy: ${limits}`),
        "docs/caf\u00e9.md": "x\n",
        "dos.txt": "one\r\ntwo\r\n",
      },
      links: { escape: "../../../outside" },
    });
    feature = await site.feature();
  });
  afterAll(() => site.close());

  const apply = (unified_diff: string) => site.builder.ok<Applied>("repo.apply_patch", { feature_id: feature, unified_diff });

  // One feature for all: a refused patch leaves it unchanged.
  test.each(REFUSED_PATCHES.map((refused) => [refused.attack, refused] as const))(
    "attack %s: refused",
    async (_attack, { diff, rules }) => {
      const { yard, builder } = site;
      const before = await site.state(feature);
      const files = yard.git("-C", yard.worktree(feature), "status", "--porcelain", "--ignored");
      const error = await unharmed(yard, [feature], () =>
        builder.refused("repo.apply_patch", { feature_id: feature, unified_diff: diff(yard) }),
      );
      expect(error.code).toBe(rules.includes("path_out_of_bounds") ? "path_out_of_bounds" : "patch_rejected");
      expect((error.details["offences"] as { rule: string }[]).map(({ rule }) => rule)).toEqual(rules);
      // No text that hides or reorders characters reaches the screen through the message.
      expect(error.message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(await site.state(feature)).toEqual(before);
      expect(yard.git("-C", yard.worktree(feature), "status", "--porcelain", "--ignored")).toBe(files);
    },
  );

  test("attack 12: a new executable bit is flagged", async () => {
    const { flags } = await unharmed(site.yard, [feature], () =>
      apply("diff --git a/src/a.txt b/src/a.txt\nold mode 100644\nnew mode 100755\n"),
    );
    expect(flags["executable"]).toEqual(["src/a.txt"]);
  });

  test("attack 16: a binary file is flagged, and applied byte for byte", async () => {
    const bytes = Uint8Array.from({ length: 300 }, (_, index) => index % 256);
    const { flags } = await unharmed(site.yard, [feature], () => apply(addingBinary("data.bin", bytes)));
    expect(flags["binary"]).toEqual(["data.bin"]);
    expect(statSync(site.yard.worktree(feature, "data.bin")).size).toBe(300);
  });

  test("attack 17: CRLF is kept byte for byte, whatever the user's git settings for line ends", async () => {
    const { yard } = site;
    yard.git("config", "core.autocrlf", "input");
    await unharmed(yard, [feature], () => apply("--- a/dos.txt\n+++ b/dos.txt\n@@ -1,2 +1,2 @@\n-one\r\n+1\r\n two\r\n"));
    expect(yard.read(yard.worktree(feature, "dos.txt"))).toBe("1\r\ntwo\r\n");
    const unified_diff = "--- a/dos.txt\n+++ b/dos.txt\n@@ -1,2 +1,2 @@\n-1\n+one\n two\n";
    expect(await site.builder.refused("repo.apply_patch", { feature_id: feature, unified_diff })).toMatchObject({
      code: "patch_apply_failed",
    });
    expect(yard.read(yard.worktree(feature, "dos.txt"))).toBe("1\r\ntwo\r\n");
  });

  test("attack 18: a patch to the gates is not judged by them: they are read from the base", async () => {
    const { yard, builder } = site;
    const attacked = await site.feature();
    const loosened = yard.read("slipway/gates.yaml").replaceAll("[sh, check.sh]", '["true"]');
    const unified_diff = replacing("src/a.txt", "one", "BUG") + rewriting("slipway/gates.yaml", yard.read("slipway/gates.yaml"), loosened);
    await unharmed(yard, [attacked], async () => {
      const { flags } = await builder.ok<Applied>("repo.apply_patch", { feature_id: attacked, unified_diff });
      expect(flags["configuration"]).toEqual(["slipway/gates.yaml"]);
      expect(yard.read(yard.worktree(attacked, "slipway/gates.yaml"))).toBe(loosened);
      const gate = await builder.refused("gates.run", { feature_id: attacked, profile: "default", mode: "fast" });
      expect(gate.code).toBe("gate_failed");
    });
  });
});

describe("with an enforced plan, the real targets are compared with it", () => {
  let site: Site;
  let feature: string;
  beforeAll(async () => {
    site = await openSite({ files: { "src/dark/x.txt": "secret\n" } });
    feature = await site.feature({ forbidden_areas: ["src/dark"], files: { create: ["src/new.txt"], modify: ["src/a.txt"], delete: [] } });
  });
  afterAll(() => site.close());

  const PROSE = "\nAnd that is all, thank you.\n-- \n2.39\n\n";
  const HIDDEN = "--- /dev/null\n+++ b/src/hidden.txt\n@@ -0,0 +1 @@\n+evil\n";
  const MISNAMED = replacing("src/b.txt", "one", "evil").replace(
    "diff --git a/src/b.txt b/src/b.txt",
    "diff --git a/src/a.txt b/src/a.txt",
  );

  test.each<[string, string, string[]]>([
    ["04: a second file hidden after prose is seen", replacing("src/a.txt", "one", "two") + PROSE + HIDDEN, ["src/hidden.txt"]],
    ["05: a header that names another file is judged by the real target", MISNAMED, ["src/b.txt"]],
    ["06: both ends of a rename are checked", moving("rename", "src/a.txt", "lib/a.txt"), ["lib/a.txt", "src/a.txt"]],
    ["06: the new end of a copy is checked", moving("copy", "src/a.txt", "lib/a.txt"), ["lib/a.txt"]],
    ["06: [FEA-053] a copy out of a forbidden area is seen", moving("copy", "src/dark/x.txt", "src/new.txt"), ["src/dark/x.txt"]],
    ["06: [FEA-053] a copy from outside the allowed areas is seen", moving("copy", "README.md", "src/new.txt"), ["README.md"]],
    ["18: a test that is not in the plan", replacing("src/a.test.txt", "expects one", "expects nothing"), ["src/a.test.txt"]],
    ["18: a workflow of the CI", adding(".github/workflows/ci.yml", "on: push\n"), [".github/workflows/ci.yml"]],
  ])("attack %s", async (_attack, diff, paths) => {
    const before = await site.state(feature);
    const error = await unharmed(site.yard, [feature], () =>
      site.builder.refused("repo.apply_patch", { feature_id: feature, unified_diff: diff }),
    );
    expect(error.code).toBe("policy_violation");
    const named = (error.details["violations"] as { path: string }[]).map(({ path }) => path);
    expect([...new Set(named)].toSorted()).toEqual(paths);
    expect(await site.state(feature)).toEqual(before);
    expect(site.yard.git("-C", site.yard.worktree(feature), "status", "--porcelain")).toBe("");
  });

  test.each(["slipway/gates.yaml", "slipway/policy.yaml"])(
    "attack 18: %s is protected: a plan needs its lock, which does not exist",
    async (path) => {
      const { yard, orchestrator } = site;
      const planned = await site.feature();
      const plan_json = planFor(planned, { allowed_areas: ["slipway"], files: { create: [], modify: [path], delete: [] } });
      const error = await unharmed(yard, [planned], () => orchestrator.refused("plan.submit", { feature_id: planned, plan_json }));
      expect(error.code).toBe("lock_not_held");
    },
  );
});

test("attack 18: a change to tests, gates, policy and CI waits for a person, with a warning", async () => {
  const yard = await makeYard({ files: { "slipway/policy.yaml": OPEN_POLICY } });
  onTestFinished(() => yard.remove());
  const policy = OPEN_POLICY.replace("required_modes: [fast, full]", "required_modes: []");
  const diff = [
    replacing("src/a.txt", "one", "two"),
    replacing("src/a.test.txt", "expects one", "expects nothing"),
    adding(".github/workflows/ci.yml", "on: push\n"),
    rewriting("slipway/policy.yaml", OPEN_POLICY, policy),
  ].join("");
  const changed = OPEN_POLICY.split("\n").indexOf("required_modes: [fast, full]") + 1;
  const lines = { "src/a.txt": 1, "src/a.test.txt": 1, ".github/workflows/ci.yml": 1, "slipway/policy.yaml": changed };
  await runUntilApproval(yard, { diff, lines });
  const { stdout } = await slipway(yard, ["inbox"]);
  for (const path of ["src/a.test.txt", ".github/workflows/ci.yml", "slipway/policy.yaml"])
    expect(stdout).toContain(`Look closely: ${path}`);
  await unharmed(yard, ["letters"], async () => expect((await slipway(yard, ["merge"])).code).toBe(23));
});
