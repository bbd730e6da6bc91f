import { confirm } from "@clack/prompts";
import { afterEach, describe, expect, test, vi } from "vitest";
import { answersFor, letters, lettersToApprove, type Project } from "../testing/project.ts";

vi.mock("@clack/prompts", () => ({
  isCancel: (value: unknown) => typeof value === "symbol",
  confirm: vi.fn(),
  note: vi.fn(),
  select: vi.fn(),
  text: vi.fn(),
}));
afterEach(() => void vi.resetAllMocks());

/** Two unfinished runs, each with a feature that waits for its approval. */
async function twoRuns(): Promise<Project> {
  const project = letters({ "other.spec.md": "# Other\n\nThe second letter file says two.\n" });
  answersFor(project, "other", "src/b.txt");
  await project.run();
  await project.slipway(["run", "other.spec.md", "--cassette", project.cassette]);
  return project;
}

const standing = (project: Project) => project.sql("SELECT id, status FROM features ORDER BY id").map(({ id, status }) => [id, status]);
const runs = (project: Project) =>
  project.sql("SELECT run_id, status FROM runs WHERE parent_run_id IS NULL ORDER BY run_id").map(({ run_id, status }) => [run_id, status]);
const WAITING = [
  ["letters", "ready_to_merge"],
  ["other", "ready_to_merge"],
];

describe("stop --cancel", () => {
  test("A7: with two unfinished runs it ends none and names both", async () => {
    const project = await twoRuns();
    for (const more of [[], ["--yes"]]) {
      const { code, stderr } = await project.slipway(["stop", "--cancel", ...more]);
      expect(code).toBe(2);
      expect(stderr).toMatch(/^invalid_cli_args: 2 runs have not ended, and none was named: \S+ \(waiting\), \S+ \(waiting\)\.\n/);
      expect(stderr).toMatch(/next: slipway stop \S+_letters --cancel\n/);
      expect(stderr).toMatch(/next: slipway stop \S+_other --cancel\n/);
    }
    expect(standing(project)).toEqual(WAITING);
  });

  test("A7: without a terminal it shows what it would end and what to type, and ends nothing", async () => {
    const project = await twoRuns();
    const { code, stdout, stderr } = await project.slipway(["stop", "other", "--cancel"]);
    expect(code).toBe(2);
    expect(stdout).toMatch(
      /^Cancelling run \S+_other \(waiting\) would end\n {2}other: ready_to_merge, full gate passed, waits for a person\n/,
    );
    expect(stdout).toMatch(/\nLost\n {2}the current calls of agents and gates; 1 open question\nKept\n/);
    expect(stderr).toMatch(/^invalid_cli_args: Cancelling run \S+_other ends other \(ready_to_merge\)\. Nothing was changed\.\n/);
    expect(stderr).toMatch(/next: slipway stop \S+_other --cancel --yes\n/);
    expect(standing(project)).toEqual(WAITING);
    const asJson = await project.slipway(["stop", "other", "--cancel", "--json"]);
    expect(asJson.code).toBe(2);
    expect(JSON.parse(asJson.stdout + asJson.stderr)).toMatchObject({
      error: { code: "invalid_cli_args", details: { features: [{ feature_id: "other", status: "ready_to_merge" }] } },
    });
  });

  test("a feature's name ends its run, and the other run continues", async () => {
    const project = await twoRuns();
    const { code, stdout } = await project.slipway(["stop", "other", "--cancel", "--yes"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/ is ended for good; its work stays under refs\/slipway\.\n {2}next: slipway retry other\n$/);
    expect(standing(project)).toEqual([
      ["letters", "ready_to_merge"],
      ["other", "failed"],
    ]);
    expect(runs(project).map(([, status]) => status)).toEqual(["waiting", "cancelled"]);
    expect((await project.slipway(["stop", "other", "--cancel", "--yes"])).stdout).toMatch(/is cancelled; nothing was changed\.\n$/);
    // Only one run is left, so it needs no name.
    expect((await project.slipway(["stop", "--cancel", "--yes"])).code).toBe(0);
  });

  test.each([[false], [Symbol("cancel")]])("on a terminal it asks, and %o changes nothing", async (answer) => {
    const project = await lettersToApprove();
    vi.mocked(confirm).mockResolvedValueOnce(answer as never);
    const { code, stdout } = await project.slipway(["stop", "--cancel"], { interactive: true });
    expect(code).toBe(0);
    expect(stdout).toMatch(/Nothing was changed\.\n$/);
    expect(vi.mocked(confirm).mock.calls).toEqual([[{ message: expect.stringMatching(/^End run \S+ for good\?$/), initialValue: false }]]);
    expect(standing(project)).toEqual([["letters", "ready_to_merge"]]);
  });

  test("on a terminal, yes ends it", async () => {
    const project = await lettersToApprove();
    vi.mocked(confirm).mockResolvedValueOnce(true);
    expect((await project.slipway(["stop", "--cancel"], { interactive: true })).code).toBe(0);
    expect(standing(project)).toEqual([["letters", "failed"]]);
  });
});

test("stop accepts a feature's name for its run", async () => {
  const project = await twoRuns();
  expect((await project.slipway(["stop", "letters"])).code).toBe(0);
  expect(runs(project).map(([, status]) => status)).toEqual(["stopped", "waiting"]);
});
