import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { layoutAt } from "@slipway/kernel/host/layout";
import { describe, expect, test } from "vitest";
import { startSlipway } from "../testing/child.ts";
import { letters, lettersToApprove, type Project } from "../testing/project.ts";

/** Slow on a change; passes at once on the base. */
const SLOW = { "check.sh": "grep -q one src/a.txt || sleep 60\n" };

async function ready(): Promise<Project> {
  const project = await lettersToApprove();
  return project;
}

async function merged(): Promise<Project> {
  const project = await ready();
  await project.slipway(["approve"]);
  await project.slipway(["merge"]);
  return project;
}

/** Refs, worktrees, the rows of the database, every object and every file under .slipway. */
function everything(project: Project): unknown {
  const { state, objects } = layoutAt(project.root);
  const files = [state, objects]
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile());
  // The contents of a full-text table are in tables of their own, and it cannot be read row by row.
  const plain = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name";
  const tables = project.sql(plain).map(({ name }) => String(name));
  return {
    refs: project.git("for-each-ref"),
    worktrees: project.git("worktree", "list", "--porcelain"),
    status: project.git("status", "--porcelain", "--ignored"),
    rows: tables.map((name) => project.sql(`SELECT * FROM ${name}`)),
    files: files.map((entry) => [
      entry.name,
      createHash("sha256")
        .update(readFileSync(join(entry.parentPath, entry.name)))
        .digest("hex"),
    ]),
  };
}

describe("no option", () => {
  test.each([[[]], [["--dry-run"]], [["--dry-run", "--force"]]])(
    "[FEA-168] with %j it shows what would be removed and every reason against it, and changes nothing",
    async (options) => {
      const project = await ready();
      const before = everything(project);
      const { code, stdout } = await project.slipway(["delete", "letters", ...options]);
      expect(code).toBe(0);
      expect(stdout).toMatch(
        /^Deleting letters would remove\n {2}worktree {2}\.worktrees\/letters\n {2}branch {4}letters\n {2}locks {5}none\n {2}queue {5}none\n {2}files {5}\.slipway\/features\/letters\/decisions\.md\n/,
      );
      expect(stdout).toContain("            .slipway/features/letters/spec.md\n");
      expect(stdout).toMatch(/^Reasons against it\n.*uncommitted changes, such as src\/a\.txt\n.*the feature is ready_to_merge$/m);
      expect(stdout).toContain(
        "Nothing was changed. `slipway delete letters --force` deletes it anyway; its bytes stay reachable under refs/slipway.\n",
      );
      expect(everything(project)).toEqual(before);
    },
  );

  test("the same as JSON, and for a feature with no reason against it", async () => {
    const project = await merged();
    expect((await project.slipway(["delete", "letters", "--json"])).json()).toMatchObject([
      { ok: true, feature_id: "letters", dry_run: true, removes: { branch: "letters", locks: [], queue: [] }, reasons: [], steps: [] },
    ]);
    expect((await project.slipway(["delete", "letters"])).stdout).toMatch(
      /\n\nNothing was changed\. Delete it with `slipway delete letters --yes`\.\n$/,
    );
  });
});

describe("A6: what a deletion keeps", () => {
  test("the preview lists what is kept and the command that shows it", async () => {
    const project = await merged();
    const commit = project.git("rev-parse", "main").slice(0, 10);
    expect((await project.slipway(["delete", "letters"])).stdout).toMatch(
      new RegExp(
        `\\nand keep\\n {2}evidence  [1-9]\\d* checks, 3 calls of agents, approval and merge ${commit} \\(slipway evidence letters\\)\\n {2}anchors   [1-9]\\d* below refs/slipway \\(slipway restore letters --list\\)\\n {2}journal `,
      ),
    );
    expect((await project.slipway(["delete", "letters", "--json"])).json()).toMatchObject([
      { keeps: { invocations: 3, merged_as: expect.stringContaining(commit) } },
    ]);
  });

  test("evidence, signed statement, transcripts, receipts and journal of a merged feature stay as they were, and say that it was deleted", async () => {
    const project = await merged();
    type Shown = {
      checks: unknown[];
      telemetry: unknown[];
      merge: unknown;
      approval: { by: string };
      feature: { deleted?: { by: string } };
    };
    const evidence = async () => (await project.slipway(["evidence", "letters", "--json"])).json<Shown>()[0];
    const before = await evidence();
    await project.slipway(["delete", "letters", "--yes"]);
    const after = await evidence();
    const unlabelled = (rows: unknown[] = []) => rows.map((row) => ({ ...(row as object), feature_id: "letters" }));
    expect(before?.checks.length).toBeGreaterThan(0);
    expect({ ...after, checks: unlabelled(after?.checks), telemetry: unlabelled(after?.telemetry) }).toMatchObject({
      checks: before?.checks,
      telemetry: before?.telemetry,
      merge: before?.merge,
      approval: before?.approval,
      feature: { id: "letters", status: "merged", deleted: { by: "kim", at: expect.any(Number) } },
    });
    expect((await project.slipway(["evidence", "letters"])).stdout).toMatch(
      /\nDeleted at 20\d\d-\S+Z by kim\. `slipway restore letters --list` shows/,
    );
    const [envelope] = (await project.slipway(["evidence", "letters", "--format", "in-toto"])).json<{ payload: string }>();
    const statement = JSON.parse(Buffer.from(envelope?.payload ?? "", "base64").toString()) as { subject: unknown; predicate: object };
    expect(statement).toMatchObject({
      subject: [{ digest: { gitCommit: project.git("rev-parse", "main").trim() } }, { name: "tree" }],
      predicate: { feature: "letters", deleted_at: expect.any(Number), approval: { by: "kim" } },
    });
    const transcripts = await project.slipway(["transcript", "letters"]);
    expect(transcripts.stdout).toMatch(
      /^letters was deleted at \S+ by kim\.\nrun \S+_letters\n[^]*letters\/planner:1[^]*letters\/builder:1[^]*letters\/qa:1/,
    );
    expect((await project.slipway(["transcript", "letters", "builder:1"])).stdout).toContain("two");
    const [{ run_id } = {}] = project.sql("SELECT run_id FROM runs WHERE parent_run_id IS NOT NULL");
    expect((await project.slipway(["journal", "show", String(run_id)])).stdout).toContain("merge:2");
    expect((await project.slipway(["journal", "verify"])).code).toBe(0);
  });

  test("the name can be used again; evidence shows the newest feature, and the others by number", async () => {
    const project = await merged();
    await project.slipway(["delete", "letters", "--yes"]);
    project.write("src/a.txt", "one\n");
    project.git("commit", "-qam", "back");
    expect((await project.run()).code).toBe(23);
    const now = await project.slipway(["evidence", "letters"]);
    expect(now.stdout).toMatch(/Status ready\\_to\\_merge[^]*\nDeleted features had this name before: `slipway evidence letters@1`\.\n/);
    const before = await project.slipway(["evidence", "letters@1"]);
    expect(before.stdout).toMatch(/Status merged[^]*Deleted at /);
    expect((await project.slipway(["transcript", "letters"])).stdout).toMatch(
      /^A deleted feature had this name before: slipway transcript letters@1\n/,
    );
    await project.slipway(["delete", "letters", "--force"]);
    expect((await project.slipway(["evidence", "letters"])).stdout).toMatch(/Status ready\\_to\\_merge[^]*`slipway evidence letters@1`/);
    expect((await project.slipway(["evidence", "letters@3"])).stderr).toMatch(
      /^feature_not_found: There is no deleted feature "letters@3"\.\n {2}next: There are letters@1, letters@2\./,
    );
    expect((await project.slipway(["evidence", "other@1"])).stderr).toMatch(/^feature_not_found: There is no feature "other"\./);
  });
});

describe("slipway delete --yes and --force", () => {
  test("[FEA-167] a merged feature is removed, its commit stays; deleting it again finds no such feature", async () => {
    const project = await merged();
    const main = project.git("rev-parse", "main");
    const { code, stdout } = await project.slipway(["delete", "letters", "--yes"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^removed +worktree .*\nremoved +branch +letters\nremoved +files .*\nremoved +index +letters\nletters is deleted\. Its evidence stays: slipway evidence letters\n$/,
    );
    expect(project.git("rev-parse", "main")).toBe(main);
    expect(project.git("branch", "--format=%(refname:short)").trim()).toBe("main");
    expect(existsSync(join(project.root, ".worktrees", "letters"))).toBe(false);
    expect(existsSync(join(project.root, ".slipway", "features", "letters"))).toBe(false);
    const again = await project.slipway(["delete", "letters", "--yes"]);
    expect(again.code).toBe(2);
    expect(again.stderr).toMatch(/^feature_not_found: There is no feature "letters"\.\n {2}next: Run `slipway status`/);
    // The name can be used again.
    expect((await project.slipway(["status"])).stdout).not.toContain("letters  ");
  });

  test("with reasons against it: refused with all of them; --force deletes it, and its bytes stay reachable", async () => {
    const project = await ready();
    const [row] = project.sql("SELECT tree FROM features");
    const refused = await project.slipway(["delete", "letters", "--yes"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(
      /^delete_refused: "letters" was not deleted: .*uncommitted changes.*; the feature is ready_to_merge\.\n {2}next: `slipway delete letters --force`/,
    );
    const { code, stdout } = await project.slipway(["delete", "letters", "--force"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/letters is deleted\. .*\nIts run had not ended: `slipway resume \S+_letters` continues without it\.\n$/);
    expect(project.git("for-each-ref", "--format=%(tree)", "refs/slipway").split("\n")).toContain(row?.["tree"]);
    expect((await project.slipway(["delete", "letters", "--dry-run", "--yes"])).stderr).toMatch(
      /^invalid_cli_args: --dry-run and --yes contradict/,
    );
    // Its question is closed, because it can no longer be answered, and its run ends without it.
    expect((await project.slipway(["inbox", "--json"])).stdout).not.toContain("letters");
    expect((await project.slipway(["resume", "--cassette", project.cassette])).code).toBe(3);
    expect((await project.run()).code).toBe(23);
  });

  test("[FEA-171] a feature that a run works on is not deleted even with --force", async () => {
    const project = letters(SLOW);
    const child = startSlipway(project, ["run", "letters.spec.md", "--cassette", project.cassette]);
    await child.says("patch applied");
    const look = await project.slipway(["delete", "letters"]);
    expect(look.stdout).toMatch(/process \d+ is driving run \S+_letters \(not even with --force\)\n/);
    expect(look.stdout).toContain("Nothing was changed. Resolve the reasons above, then try again.\n");
    const { code, stderr } = await project.slipway(["delete", "letters", "--force"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^run_lease_held: /);
    expect(existsSync(join(project.root, ".worktrees", "letters"))).toBe(true);
  });
});

test("in a repository without runs it says so and creates nothing", async () => {
  const project = letters();
  expect((await project.slipway(["delete", "letters", "--yes"])).stderr).toMatch(/^run_not_found: Nothing has run/);
  expect(existsSync(join(project.root, ".slipway"))).toBe(false);
});
