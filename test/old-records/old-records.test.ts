import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sandboxWorksHere } from "@slipway/kernel/host/sandbox/testing/scratch";
import { afterAll, describe, expect, test } from "vitest";
import { leavePlace, takePlace, unpack, type OldRepository } from "./unpack.ts";

const taken = sandboxWorksHere() ? takePlace() : "there is no sandbox for gates here";
if (taken !== null) console.log(`skipped: ${taken}`);
afterAll(() => (taken === null ? leavePlace() : undefined));

const FEATURES = join(import.meta.dirname, "features", "cassette");
const DEMO = join(import.meta.dirname, "..", "..", "packages", "protocols", "demos", "factory");
const HOURS = ["--cassette", join(DEMO, "cassette")];
const nextActions = (run: string) => [
  `next: Continue it with this version: \`slipway resume ${run} --accept-version\`.`,
  `next: End it; what it has built stays recorded: \`slipway stop ${run} --cancel\`.`,
];

interface Node {
  readonly id: string;
  readonly status: string;
  readonly waits_for: readonly { readonly what: string }[];
}

async function nodes({ slipway }: OldRepository, run: string): Promise<string[]> {
  const { stdout } = await slipway("status", run, "--json");
  const view = JSON.parse(stdout) as { readonly nodes: readonly Node[] };
  return view.nodes.map(({ id, status, waits_for }) => [id, status, ...waits_for.map(({ what }) => what)].join(" "));
}

async function expectRefused({ slipway }: OldRepository, run: string, versions: string): Promise<void> {
  const { code, stderr } = await slipway("resume", run, ...HOURS);
  expect(stderr).toMatch(new RegExp(`^workflow_version_changed: Run ${run} was started with ${versions}\\.\\n`));
  for (const next of nextActions(run)) expect(stderr).toContain(next);
  expect(code).toBe(2);
}

describe.skipIf(taken !== null)("features of an earlier version", () => {
  const RUN = "2026-11-18_2-features";
  let repository: OldRepository;

  test("are all shown, with what they wait for, and their records move out of the checkout", async () => {
    repository = unpack("features");
    const { slipway, root } = repository;
    const { code, stdout } = await slipway("status");
    expect(stdout.split("\n").slice(1, 5)).toEqual([
      expect.stringMatching(/^letters +merged +full pass +\$0\.03 +as 5adb14409b$/),
      expect.stringMatching(/^more +ready_to_merge +full pass +\$0\.03 +needs you: slipway approve more$/),
      expect.stringMatching(/^narrow +blocked +fast fail +\$0\.02 +needs you: slipway answer Q3 \(blocked\)$/),
      expect.stringMatching(/^refused +failed +full pass +\$0\.03 +rejected: not now$/),
    ]);
    expect(code).toBe(0);
    expect(existsSync(join(root, ".git/slipway/slipway.db"))).toBe(true);
    expect(existsSync(join(root, ".slipway/slipway.db"))).toBe(false);
    expect(await nodes(repository, RUN)).toEqual([
      `${RUN} waiting`,
      "feature:more ready_to_merge Q4 (approval)",
      "feature:narrow blocked Q3 (blocked)",
    ]);
    expect(await nodes(repository, "2026-11-18_letters")).toEqual(["2026-11-18_letters completed", "feature:letters merged"]);
    expect((await slipway("inbox")).stdout).toMatch(/^Q3 {2}narrow is blocked in building\n[^]*^Q4 {2}Merge more into main\?\n/m);
    expect((await slipway("evidence", "letters")).stdout).toMatch(/^Merged into main as `5adb14409b\w+` .* approved by kim /m);
  });

  test("have a journal that verifies up to the heads kept at that time", async () => {
    const { code, stdout } = await repository.slipway("journal", "verify");
    expect(stdout).toContain("ok      2026-11-18_letters/feature:letters: 40 events, head 067094b477c56df5\n");
    expect(stdout).toContain(`ok      ${RUN}/feature:more: 32 events, head 588991d09e3c1f1e\n`);
    expect(stdout).toMatch(/The journal is intact \(8 streams\)\.\n$/);
    expect(code).toBe(0);
  });

  test("are neither approved under the current policy nor resumed without a person's consent", async () => {
    const { slipway, git } = repository;
    expect(await slipway("approve", "more", "--yes")).toMatchObject({
      code: 23,
      stdout: expect.stringMatching(/^Nothing was signed for more: the policy .*\n {2}next: slipway resume/),
    });
    await expectRefused(repository, RUN, "features version 3; this program has features version 4");
    expect(await slipway("merge", "more")).toMatchObject({ code: 2, stderr: expect.stringMatching(/^workflow_version_changed: /) });
    expect(git("log", "-1", "--format=%s", "main")).toBe('Merge "letters: src/a.txt says two"\n');
  });

  test("land after the version is accepted, the blocked one after another attempt, and no call is paid twice", async () => {
    const { slipway, git } = repository;
    const cassette = ["--cassette", FEATURES];
    await slipway("answer", "Q3", "retry");
    const accepted = await slipway("resume", RUN, "--accept-version", ...cassette);
    expect(accepted.stdout).toContain("- narrow: builder proposes a patch: src/c.txt says two (attempt 2)\n");
    expect(accepted.stdout).not.toContain("planner proposes");
    expect(accepted.stdout).not.toContain("more: builder");
    expect(accepted.code).toBe(23);
    expect(await slipway("approve", "more", "narrow", "--yes")).toMatchObject({ code: 0 });
    const landed = await slipway("resume", ...cassette);
    expect(landed.stdout).toMatch(/\nmore is merged into main as \w+\.\nnarrow is merged into main as \w+\.\n$/);
    expect(landed.code).toBe(0);
    expect(git("show", "main:src/b.txt", "main:src/c.txt")).toBe("two\ntwo\n");
  });

  test("that had failed are retried from their valid results, and land", async () => {
    const { slipway, git } = repository;
    const again = await slipway("retry", "refused", "--cassette", FEATURES);
    expect(again.stdout).toMatch(/^refused: keeps plan 1 and tree d253c34636; runs the gates again\n/);
    expect(again.stdout).not.toContain("proposes");
    expect(again.code).toBe(23);
    expect(await slipway("approve", "refused", "--yes")).toMatchObject({ code: 0 });
    expect(await slipway("merge", "refused", "--cassette", FEATURES)).toMatchObject({ code: 0 });
    expect(git("show", "main:src/d.txt")).toBe("two\n");
    expect((await slipway("status")).stdout.match(/^\w+ +merged/gm)).toHaveLength(4);
    expect(await slipway("journal", "verify")).toMatchObject({ code: 0 });
  });
});

test.skipIf(taken !== null).concurrent("a repository that was moved since: its run is ended, and its ready feature retried", async () => {
  const { slipway, root } = unpack("features", mkdtempSync(join(tmpdir(), "slipway-moved-records-")));
  expect(await slipway("stop", "2026-11-18_2-features", "--cancel", "--yes")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("\n  next: slipway retry more\n"),
  });
  const again = await slipway("retry", "more", "--cassette", FEATURES);
  expect(again.stdout).toMatch(/^more: keeps plan 1 and tree 5d5046584a; runs the gates again\n[^]*asks: Merge more into main\?\n/);
  expect(again.code).toBe(23);
  expect((await slipway("inbox")).stdout).toContain(`log of full: check: ${root}/.slipway/features/more/logs/`);
});

describe.skipIf(taken !== null).concurrent("a project of an earlier version", () => {
  const RUN = "2026-11-18_spec";
  const VERSIONS = "factory version 3; this program has factory version 4";

  test("whose spec waits for its approval begins when the version is accepted", async () => {
    const repository = unpack("factory-spec");
    const { slipway } = repository;
    expect(await nodes(repository, RUN)).toEqual([`${RUN} waiting Q1 (spec_approval)`]);
    expect((await slipway("inbox")).stdout).toMatch(/^Q1 {2}Build Opening hours from this spec\?\n +# Opening hours\n/);
    expect(await slipway("answer", "Q1", "APPROVE")).toMatchObject({ code: 0 });
    await expectRefused(repository, RUN, VERSIONS);
    // This cassette has no answers for the factory: the project is planned, and its first task waits for a person.
    const { code, stdout } = await slipway("resume", "--accept-version", "--cassette", FEATURES);
    expect(stdout).toContain("+ project: spec planned into tasks\n");
    expect(stdout).toContain("asks: T-hours-clock-reading-001 cannot continue: cassette_answer_missing\n");
    expect(code).toBe(23);
    expect(await slipway("factory", "status")).toMatchObject({ stdout: expect.stringContaining(" 0 of 7 tasks shipped\n") });
    expect(await slipway("journal", "verify")).toMatchObject({ code: 0 });
  });

  test("in the middle of its last debate continues there, and its release lands", async () => {
    const repository = unpack("factory-debate");
    const { slipway, git } = repository;
    const shown = await nodes(repository, RUN);
    expect(shown[0]).toBe(`${RUN} waiting Q4 (mend)`);
    expect(shown.filter((node) => /^task:[^/]+ SHIPPED$/.test(node))).toHaveLength(6);
    expect(shown.at(-1)).toBe("task:T-hours-answers-questions-002 IN_PROGRESS");
    const verified = await slipway("journal", "verify");
    expect(verified.stdout).toContain(`ok      ${RUN}/task:11: 28 events, head fcf76ef58f3f54af\n`);
    expect(verified.code).toBe(0);
    await slipway("answer", "Q4", "retry");
    await expectRefused(repository, RUN, VERSIONS);
    const accepted = await slipway("resume", "--accept-version", ...HOURS);
    expect(accepted.stdout).toContain("+ MM-next_opening: tested, sealed and indexed\n");
    expect(accepted.stdout).toMatch(
      /\n\+ rel-\w+: full gates passed \(33 tests, 100 % of lines\); they fail with a planted failure, as they must \(\d additional runs?, \d+ ms\)\n/,
    );
    expect(accepted.code).toBe(23);
    const { stdout: asked } = await slipway("transcript", RUN);
    const debate = ["propose:1", "challenge:1", "challenge:1^2", "adjudicate:1"].map((step) => `MM-next_opening/${step}`);
    expect(asked.match(/(?<= task:11\/)\S+/g)).toEqual(["plan:1", ...debate]);
    expect(await slipway("approve", "--yes")).toMatchObject({ code: 0 });
    const merged = await slipway("merge", ...HOURS);
    expect(merged.stdout).toMatch(/\nREL-\w+ releases 7 modules: MM-parse_time@1\.1\.0, .*MM-next_opening@1\.0\.0\.\n/);
    expect(merged.code).toBe(0);
    expect(git("ls-tree", "--name-only", "main:modules").match(/^MM-/gm)).toHaveLength(7);
    expect(await slipway("journal", "verify")).toMatchObject({ code: 0 });
  });

  test("that was released is shown completely, and only what an edit of its page changes is built again", async () => {
    const repository = unpack("factory-released");
    const { slipway, root } = repository;
    expect((await slipway("status")).stdout).toMatch(/^rel-24a0a972 +merged +full pass .* as a3d75b0316$/m);
    const shown = await nodes(repository, RUN);
    expect(shown[0]).toBe(`${RUN} completed`);
    expect(shown.filter((node) => /^task:[^/]+ SHIPPED$/.test(node))).toHaveLength(7);
    expect(shown.at(-1)).toBe("feature:rel-24a0a972 merged");
    expect(await slipway("journal", "verify")).toMatchObject({ code: 0, stdout: expect.stringMatching(/\(14 streams\)\.\n$/) });
    expect((await slipway("factory", "release")).stdout).toMatch(
      /^REL-24a0a972 of .*: PASS\n[^]*\nMerged into main as a3d75b0316, .* by kim\.\n$/,
    );
    expect((await slipway("factory", "module", "MM-parse_time")).stdout).toContain("  versions: 1.0.0 SUPERSEDED, 1.1.0 SHIPPED\n");
    // Not in the archive: the program writes it again.
    expect(existsSync(join(root, ".slipway/state_store/modules/MM-parse_time/1.1.0/contract.json"))).toBe(true);
    expect((await slipway("factory", "SPEC.md", ...HOURS)).stdout).toMatch(
      /^Nothing to do: SPEC\.md is unchanged since 2026-11-18_spec was built/,
    );
    const { from, to } = JSON.parse(readFileSync(join(DEMO, "edit.json"), "utf8")) as { from: string; to: string };
    const page = join(root, "SPEC.md");
    writeFileSync(page, readFileSync(page, "utf8").replace(from, to));
    const edited = await slipway("factory", "SPEC.md", "--cassette", join(DEMO, "cassette-edited"));
    expect(edited.stdout).toContain("- product: 1 built again, 3 to be rechecked, 3 kept\n");
    expect(edited.code).toBe(23);
  });
});
