import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startSlipway } from "../testing/child.ts";
import { letters, lettersToApprove, type Project } from "../testing/project.ts";

const SLOW = { "check.sh": "sleep 60\n" };

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

/** Refs, worktrees, the rows of the database and every other file under .slipway. */
function everything(project: Project): unknown {
  const state = join(project.root, ".slipway");
  const files = readdirSync(state, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.startsWith("slipway.db"),
  );
  // What a full-text table knows is in tables of its own; it cannot be read from beginning to end itself.
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

describe("without a word", () => {
  test.each([[[]], [["--dry-run"]], [["--dry-run", "--force"]]])(
    "[FEA-168] %j shows what would go and every reason against it, and changes nothing",
    async (options) => {
      const project = await ready();
      const before = everything(project);
      const { code, stdout } = await project.slipway(["delete", "letters", ...options]);
      expect(code).toBe(0);
      expect(stdout).toMatch(
        /^Deleting letters would remove\n {2}worktree {2}\.worktrees\/letters\n {2}branch {4}letters\n {2}locks {5}none\n {2}queue {5}none\n {2}files {5}\.slipway\/features\/letters\/decisions\.md\n/,
      );
      expect(stdout).toContain("            .slipway/features/letters/spec.md\n");
      expect(stdout).toMatch(/^What speaks against it\n.*uncommitted changes, such as src\/a\.txt\n.*the feature is ready_to_merge$/m);
      expect(stdout).toContain(
        "Nothing was changed. `slipway delete letters --force` deletes it all the same; its bytes stay reachable under refs/slipway.\n",
      );
      expect(everything(project)).toEqual(before);
    },
  );

  test("as JSON, and with nothing against it", async () => {
    const project = await merged();
    expect((await project.slipway(["delete", "letters", "--json"])).json()).toMatchObject([
      { ok: true, feature_id: "letters", dry_run: true, removes: { branch: "letters", locks: [], queue: [] }, reasons: [], steps: [] },
    ]);
    expect((await project.slipway(["delete", "letters"])).stdout).toMatch(
      /\n\nNothing was changed\. Delete it with `slipway delete letters --yes`\.\n$/,
    );
  });
});

describe("for good", () => {
  test("[FEA-167] a merged feature goes, its commit stays; a second time there is no such feature", async () => {
    const project = await merged();
    const main = project.git("rev-parse", "main");
    const { code, stdout } = await project.slipway(["delete", "letters", "--yes"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^removed +worktree .*\nremoved +branch +letters\nremoved +files .*\nremoved +index +letters\nletters is deleted\.\n$/,
    );
    expect(project.git("rev-parse", "main")).toBe(main);
    expect(project.git("branch", "--format=%(refname:short)").trim()).toBe("main");
    expect(existsSync(join(project.root, ".worktrees", "letters"))).toBe(false);
    expect(existsSync(join(project.root, ".slipway", "features", "letters"))).toBe(false);
    const again = await project.slipway(["delete", "letters", "--yes"]);
    expect(again.code).toBe(2);
    expect(again.stderr).toMatch(/^feature_not_found: There is no feature "letters"\.\n {2}next: Run `slipway status`/);
    // The name is free again.
    expect((await project.slipway(["status"])).stdout).not.toContain("letters  ");
  });

  test("with something against it: refused with all of it; by force it goes, and its bytes can still be reached", async () => {
    const project = await ready();
    const [row] = project.sql("SELECT tree FROM features");
    const refused = await project.slipway(["delete", "letters", "--yes"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(
      /^delete_refused: "letters" was not deleted: .*uncommitted changes.*; the feature is ready_to_merge\.\n {2}next: `slipway delete letters --force`/,
    );
    const { code, stdout } = await project.slipway(["delete", "letters", "--force"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/letters is deleted\.\nIts run had not ended: `slipway resume \S+_letters` goes on without it\.\n$/);
    expect(project.git("for-each-ref", "--format=%(tree)", "refs/slipway").split("\n")).toContain(row?.["tree"]);
    expect((await project.slipway(["delete", "letters", "--dry-run", "--yes"])).stderr).toMatch(
      /^invalid_cli_args: --dry-run and --yes contradict/,
    );
    // Nobody can answer for it any more: its question is closed, and its run ends without it.
    expect((await project.slipway(["inbox", "--json"])).stdout).not.toContain("letters");
    expect((await project.slipway(["resume", "--cassette", project.cassette])).code).toBe(3);
    expect((await project.run()).code).toBe(23);
  });

  test("[FEA-171] not even by force while a run works on it", async () => {
    const project = letters(SLOW);
    const child = startSlipway(project, ["run", "letters.spec.md", "--cassette", project.cassette]);
    await child.says("patch applied");
    const look = await project.slipway(["delete", "letters"]);
    expect(look.stdout).toMatch(/process \d+ is carrying out run \S+_letters \(not even with --force\)\n/);
    expect(look.stdout).toContain("Nothing was changed. Put right what is named above, then look again.\n");
    const { code, stderr } = await project.slipway(["delete", "letters", "--force"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^run_lease_held: /);
    expect(existsSync(join(project.root, ".worktrees", "letters"))).toBe(true);
  });
});

test("where nothing has run: says so, and makes nothing", async () => {
  const project = letters();
  expect((await project.slipway(["delete", "letters", "--yes"])).stderr).toMatch(/^run_not_found: Nothing has run/);
  expect(existsSync(join(project.root, ".slipway"))).toBe(false);
});
