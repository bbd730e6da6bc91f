import { existsSync } from "node:fs";
import { layoutAt } from "@slipway/kernel/host/layout";
import { formerPlaces } from "@slipway/kernel/record/relocation/former";
import { formerRepository } from "@slipway/kernel/record/relocation/testing/former";
import { expect, test } from "vitest";
import { projectIn } from "./testing/project.ts";

/** A repository that Slipway 0.1 left, and this program's commands in it. */
function former() {
  const { root, home } = formerRepository();
  const project = projectIn(root, home);
  return { ...project, run: (...argv: readonly string[]) => project.slipway(argv) };
}

test("A5: a feature that waited for its approval under Slipway 0.1 is approved and merged, with its evidence and transcripts", async () => {
  const { run, ...project } = former();
  const { root, cassette } = project;
  expect((await run("doctor")).stdout).toContain("was written by an older Slipway; the next command moves it");
  const { stdout } = await run("status");
  expect(stdout).toMatch(/^letters +merged/m);
  expect(stdout).toMatch(/^more +ready_to_merge .*needs you: slipway approve more$/m);
  expect(existsSync(layoutAt(root).database)).toBe(true);
  expect(existsSync(formerPlaces(layoutAt(root)).database)).toBe(false);
  expect((await run("inbox")).stdout).toContain("Merge more into main?");
  // The policy now has other defaults than when the question was asked: nothing is signed, and it is asked again.
  expect((await run("approve", "more", "--yes")).stdout).toContain("Nothing was signed for more: the policy or the gates have changed");
  // The protocol's steps have changed, so a person accepts the new version.
  const refused = await run("resume", "2026-11-18_more", "--cassette", cassette);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("--accept-version") });
  expect(await run("resume", "2026-11-18_more", "--cassette", cassette, "--accept-version")).toMatchObject({ code: 23 });
  expect(await run("approve", "more", "--yes")).toMatchObject({ code: 0 });
  expect(await run("merge", "more", "--cassette", cassette)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("more is merged into main"),
  });
  expect(project.git("show", "main:src/b.txt")).toBe("two\n");
  expect(await run("journal", "verify")).toMatchObject({ code: 0 });
  for (const feature of ["letters", "more"]) expect((await run("evidence", feature)).stdout).toContain("Merged");
  expect((await run("transcript", "2026-11-18_letters", "builder:1")).stdout).toContain("one to two");
});

test("A5: a factory project that halted under Slipway 0.1 continues", async () => {
  const { cassette, run } = former();
  expect((await run("factory", "status")).stdout).toContain("1 SHIPPED, 1 HALTED");
  expect((await run("factory", "module", "MM-twice")).stdout).toContain("MM-twice@1.0.0");
  expect(await run("answer", "Q4", '{"action":"ABANDON_TASK","rationale":"Nobody needs it."}')).toMatchObject({ code: 0 });
  // Its gates run no test of the release, which no earlier version noticed.
  expect((await run("resume", "--cassette", cassette, "--accept-version")).stdout).toContain("proves nothing\n");
  expect(await run("answer", "Q5", "merge_all_the_same")).toMatchObject({ code: 0 });
  expect((await run("resume", "--cassette", cassette)).stdout).toMatch(/ready to merge\n- rel-\w+: asks: Merge rel-\w+ into main\?/);
});
