import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { runUntilApproval, slipway } from "./cli.ts";
import { unharmed } from "./surroundings.ts";
import { makeYard, type Yard, type YardOptions } from "./yard.ts";

async function yardFor(options: YardOptions = {}): Promise<Yard> {
  const yard = await makeYard(options);
  onTestFinished(() => yard.remove());
  return yard;
}

/** The files that a merge of `src/a.txt` may change while the base branch is checked out. */
const MERGED = ["refs/heads/main", "repository/src/a.txt", "staged src/a.txt"];

/** All uses of git: worktree, patch, anchors, approval, merge into the user's checkout. */
async function runAndMerge(yard: Yard): Promise<void> {
  await runUntilApproval(yard);
  expect((await slipway(yard, ["approve"])).code).toBe(0);
  await unharmed(yard, ["letters"], async () => expect(await slipway(yard, ["merge"])).toMatchObject({ code: 0 }), MERGED);
  expect(yard.git("show", "main:src/a.txt")).toBe("two\n");
}

const HOOKS = [
  "applypatch-msg",
  "commit-msg",
  "fsmonitor-watchman",
  "post-applypatch",
  "post-checkout",
  "post-commit",
  "post-index-change",
  "post-merge",
  "post-rewrite",
  "pre-applypatch",
  "pre-auto-gc",
  "pre-commit",
  "pre-merge-commit",
  "prepare-commit-msg",
  "reference-transaction",
  "update",
];

test("attack 20: planted hooks do not run", async () => {
  const yard = await yardFor();
  const pwned = join(yard.outside, "pwned");
  for (const hook of HOOKS) yard.write(`.git/hooks/${hook}`, `#!/bin/sh\necho ${hook} >> ${pwned}\n`, 0o755);
  await runAndMerge(yard);
  expect(existsSync(pwned)).toBe(false);
});

/** Settings that name a program. */
const PROGRAMS = [
  "core.alternateRefsCommand",
  "core.askPass",
  "core.editor",
  "core.fsmonitor",
  "core.gitProxy",
  "core.pager",
  "core.sshCommand",
  "credential.helper",
  "diff.evil.command",
  "diff.evil.textconv",
  "diff.external",
  "filter.evil.clean",
  "filter.evil.process",
  "filter.evil.smudge",
  "gpg.program",
  "merge.evil.driver",
  "trailer.x.command",
];

test("attack 21: filters, external diff, merge drivers and hooks of the repository's configuration do not run", async () => {
  const yard = await yardFor({ files: { ".gitattributes": "* filter=evil diff=evil merge=evil text\n" } });
  const pwned = join(yard.outside, "pwned");
  for (const key of PROGRAMS) yard.git("config", key, `sh -c 'echo ${key} >> ${pwned}; cat'`);
  for (const hook of HOOKS) yard.write(join(yard.home, "hooks", hook), `#!/bin/sh\necho ${hook} >> ${pwned}\n`, 0o755);
  for (const [key, value] of [
    ["core.hooksPath", join(yard.home, "hooks")],
    ["filter.evil.required", "true"],
    ["commit.gpgSign", "true"],
    ["gc.auto", "1"],
  ] as const)
    yard.git("config", key, value);
  await runAndMerge(yard);
  expect(existsSync(pwned)).toBe(false);
});

describe("attack 25: the base moves after the approval", () => {
  const BEFORE = "one\nsecond\nthird\nfourth\nfifth\nsixth\n";
  const DIFF = "--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1,4 +1,4 @@\n-one\n+two\n second\n third\n fourth\n";
  let yard: Yard;
  let putBack: () => void;

  beforeAll(async () => {
    yard = await makeYard({ files: { "src/a.txt": BEFORE } });
    await runUntilApproval(yard, { diff: DIFF });
    expect((await slipway(yard, ["approve"])).code).toBe(0);
    putBack = yard.keep();
  });
  afterEach(() => putBack());
  afterAll(() => yard.remove());

  function commitToBase(path: string, text: string): void {
    yard.write(path, text);
    yard.git("add", path);
    yard.git("commit", "--quiet", "--message=moved", "--", path);
  }
  const merge = (code: number, changed: readonly string[]) =>
    unharmed(yard, ["letters"], async () => expect(await slipway(yard, ["merge"])).toMatchObject({ code }), changed);

  test("attack 25: elsewhere: the candidate is rebuilt, gated again, and merged as approved", async () => {
    commitToBase("src/c.txt", "moved\n");
    await merge(0, MERGED);
    expect(yard.git("show", "main:src/a.txt", "main:src/c.txt")).toBe(`${BEFORE.replace("one", "two")}moved\n`);
    const tree = yard.git("rev-parse", "main^{tree}").trim();
    const gated = yard.sql(`SELECT name, status FROM checks WHERE kind = 'mode' AND tree = '${tree}'`);
    expect(gated).toEqual(expect.arrayContaining([{ name: "full", status: "pass" }]));
  });

  test("attack 25: in a file of the change: the result differs from the approved one, so the person is asked again", async () => {
    const moved = BEFORE.replace("sixth", "moved");
    commitToBase("src/a.txt", moved);
    await merge(23, []);
    expect(yard.sql("SELECT id FROM approvals")).toEqual([]);
    expect((await slipway(yard, ["approve"])).code).toBe(0);
    await merge(0, MERGED);
    expect(yard.git("show", "main:src/a.txt")).toBe(moved.replace("one", "two"));
  });
});
