import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openRepository } from "../../../host/git/repository.ts";
import { layoutAt } from "../../../host/layout.ts";
import { openRecords } from "../../../open-records.ts";
import { findLayout, readBoard } from "../../../open-board.ts";

function scratch(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "slipway-board-")));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe("finding the repository", () => {
  test("is found upwards, by its git folder", () => {
    const root = scratch();
    mkdirSync(join(root, "a", ".git"), { recursive: true });
    mkdirSync(join(root, "a", "b", "c"), { recursive: true });
    expect(findLayout(join(root, "a", "b", "c"))).toMatchObject({ root: join(root, "a"), commonDir: join(root, "a", ".git") });
  });

  const git = (cwd: string, ...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=kim", "-c", "user.email=kim@localhost", ...args], { cwd, stdio: "pipe" });

  /** The answer of git itself, through the kernel. */
  async function asGitSays(folder: string): Promise<void> {
    const { root, commonDir } = await openRepository(folder);
    expect(findLayout(folder)).toMatchObject({ root, commonDir });
  }

  test("a linked worktree, a separate git directory and a submodule are resolved as git does", async () => {
    const root = scratch();
    git(root, "init", "-q", "one");
    git(join(root, "one"), "commit", "-q", "--allow-empty", "-m", "start");
    git(join(root, "one"), "worktree", "add", "-q", join(root, "linked"));
    git(root, "clone", "-q", "--separate-git-dir", join(root, "elsewhere"), "one", "separate");
    git(root, "clone", "-q", "--bare", "one", "bare.git");
    git(join(root, "bare.git"), "worktree", "add", "-q", "-b", "more", join(root, "of-bare"));
    git(root, "clone", "-q", "--bare", "one", ".git");
    git(root, "worktree", "add", "-q", "-b", "more", join(root, "of-hidden-bare"));
    git(join(root, "one"), "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", join(root, "elsewhere"), "part");
    for (const name of ["one", "linked", "separate", "of-bare", "of-hidden-bare", "one/part"]) await asGitSays(join(root, name));
  });

  test("outside a repository it is an error with a next action", () => {
    const folder = scratch();
    expect(() => findLayout(folder)).toThrow(
      expect.objectContaining({
        code: "not_a_repository",
        details: expect.objectContaining({ suggested_next_actions: [expect.any(String)] }),
      }),
    );
  });
});

describe("contents", () => {
  test("without a database it is empty, and none is created", async () => {
    const layout = layoutAt(scratch());
    expect(await readBoard(layout)).toEqual({
      repository: layout.root,
      features: [],
      runs: [],
      questions: [],
      locks: [],
      budgets: [],
      notifications: [],
    });
    expect(() => rmSync(layout.state)).toThrow("ENOENT");
  });

  test("[CRI-137] has messages that did not arrive, until a later one to the same receiver does", async () => {
    const layout = layoutAt(scratch());
    const records = await openRecords({ layout });
    const row = { subject: "q", run_id: "r1", reason: null, attempts: 1, ended_at: 2, event: "block" as const };
    const now = Date.now();
    const rows = [
      { ...row, id: "1", channel: "recovered", status: "failed" as const, at: 1 },
      { ...row, id: "2", channel: "recovered", status: "sent" as const, at: 2 },
      { ...row, id: "3", channel: "dead", status: "failed" as const, reason: "it answered with status 500", at: 3 },
      { ...row, id: "4", channel: "cut-off", status: "marked" as const, at: 4 },
      { ...row, id: "5", channel: "on-its-way", status: "marked" as const, at: now },
    ];
    await records.database.db.insertInto("notifications").values(rows).execute();
    await records.close();
    expect((await readBoard(layout)).notifications).toEqual([
      { event: "block", channel: "cut-off", reason: "Slipway ended while it was sent; it may have arrived", at: 4 },
      { event: "block", channel: "dead", reason: "it answered with status 500", at: 3 },
    ]);
  });

  test("has features with their gates, locks, cost and merge, runs, and open questions with their options", async () => {
    const layout = layoutAt(scratch());
    const records = await openRecords({ layout });
    await records.database.sqlite.exclusive((database) => {
      database.exec(`
        INSERT INTO features (id, run_id, status, status_reason, version, branch, worktree, base_branch, base_commit, tree, spec_source, spec_digest, gate_profile, gates, created_at, updated_at)
          VALUES ('letters', 'r/feature:letters', 'merged', '', 1, 'letters', '', 'main', 'b', 't', 's', 'd', 'default', '{"fast":"pass"}', 1, 2);
        INSERT INTO questions (id, run_id, name, kind, title, body, options, answer_schema, context, answerable_by, remind_at, reminded, asked_at, expires_at, status)
          VALUES ('r#q', 'r', 'q', 'blocked', 'Stuck?', '', '[{"value":"retry","label":"again"}]', '{}', '{"feature_id":"letters"}', '[]', '[]', 0, 3, NULL, 'open');`);
    });
    await records.close();
    expect(await readBoard(layout)).toMatchObject({
      features: [{ id: "letters", gates: { fast: "pass" }, cost_usd: 0, merged_as: null, locks: [] }],
      questions: [{ id: "r#q", feature: "letters", options: [{ value: "retry", label: "again" }] }],
      runs: [],
    });
  });

  test("a database of a newer program is refused", async () => {
    const layout = layoutAt(scratch());
    const records = await openRecords({ layout });
    await records.database.sqlite.exclusive((database) => database.exec("INSERT INTO schema_version VALUES (99, 'future')"));
    await records.close();
    await expect(readBoard(layout)).rejects.toMatchObject({ code: "database_newer", details: { file: layout.database } });
  });
});
