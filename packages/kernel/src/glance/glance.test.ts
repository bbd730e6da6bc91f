import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { layoutOf } from "../layout.ts";
import { openRecords } from "../records.ts";
import { findLayout, glance } from "./glance.ts";

function scratch(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "slipway-glance-")));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe("where the repository is", () => {
  test("found upwards, by git's folder or by the database", () => {
    const root = scratch();
    mkdirSync(join(root, "a", ".git"), { recursive: true });
    mkdirSync(join(root, "a", "b", "c"), { recursive: true });
    expect(findLayout(join(root, "a", "b", "c")).root).toBe(join(root, "a"));
    mkdirSync(join(root, "a", "b", ".slipway"));
    writeFileSync(join(root, "a", "b", ".slipway", "slipway.db"), "");
    expect(findLayout(join(root, "a", "b", "c")).root).toBe(join(root, "a", "b"));
  });

  test("a linked worktree belongs to its repository, a submodule to itself", () => {
    const root = scratch();
    for (const folder of [".git", ".worktrees/letters/src", "part"]) mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, ".worktrees", "letters", ".git"), `gitdir: ${root}/.git/worktrees/letters\n`);
    writeFileSync(join(root, "part", ".git"), "gitdir: ../.git/modules/part\n");
    expect(findLayout(join(root, ".worktrees", "letters", "src")).root).toBe(root);
    expect(findLayout(join(root, "part")).root).toBe(join(root, "part"));
  });

  test("nowhere is an error that says what to do", () => {
    const folder = scratch();
    expect(() => findLayout(folder)).toThrow(
      expect.objectContaining({
        code: "not_a_repository",
        details: expect.objectContaining({ suggested_next_actions: [expect.any(String)] }),
      }),
    );
  });
});

describe("what is in it", () => {
  test("no database: nothing, and none is made", async () => {
    const layout = layoutOf(scratch());
    expect(await glance(layout)).toEqual({ repository: layout.root, features: [], runs: [], questions: [], locks: [], budgets: [] });
    expect(() => rmSync(layout.state)).toThrow("ENOENT");
  });

  test("features with their gates, locks, cost and merge, runs, and open questions with their options", async () => {
    const layout = layoutOf(scratch());
    const records = await openRecords({ layout });
    await records.database.sqlite.exclusive((database) => {
      database.exec(`
        INSERT INTO features (id, run_id, status, status_reason, version, branch, worktree, base_branch, base_commit, tree, spec_source, spec_digest, gate_profile, gates, created_at, updated_at)
          VALUES ('letters', 'r/feature:letters', 'merged', '', 1, 'letters', '', 'main', 'b', 't', 's', 'd', 'default', '{"fast":"pass"}', 1, 2);
        INSERT INTO questions (id, run_id, name, kind, title, body, options, answer_schema, context, answerable_by, remind_at, reminded, asked_at, expires_at, status)
          VALUES ('r#q', 'r', 'q', 'blocked', 'Stuck?', '', '[{"value":"retry","label":"again"}]', '{}', '{"feature_id":"letters"}', '[]', '[]', 0, 3, NULL, 'open');`);
    });
    await records.close();
    expect(await glance(layout)).toMatchObject({
      features: [{ id: "letters", gates: { fast: "pass" }, cost_usd: 0, merged_as: null, locks: [] }],
      questions: [{ id: "r#q", feature: "letters", options: [{ value: "retry", label: "again" }] }],
      runs: [],
    });
  });

  test("a newer program's database is refused", async () => {
    const layout = layoutOf(scratch());
    const records = await openRecords({ layout });
    await records.database.sqlite.exclusive((database) => database.exec("INSERT INTO schema_version VALUES (99, 'future')"));
    await records.close();
    await expect(glance(layout)).rejects.toMatchObject({ code: "database_newer", details: { file: layout.database } });
  });
});
