import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startSlipway } from "../testing/child.ts";
import { holdBack, letGo, slow } from "../testing/slow-gate.ts";
import {
  answersFor,
  FILES,
  letters,
  lettersToApprove,
  nothingMissing,
  patchOf,
  planFor,
  projectIn,
  type Ended,
  type Project,
} from "../testing/project.ts";

/** Number of paid calls per role, over all runs. */
function paid(project: Project): Record<string, number> {
  const rows = project.sql("SELECT role, count(*) AS n FROM telemetry WHERE input_tokens > 0 GROUP BY role ORDER BY role");
  return Object.fromEntries(rows.map(({ role, n }) => [String(role), Number(n)]));
}

const ALL_ONCE = { builder: 1, planner: 1, qa: 1 };
const status = (project: Project, id = "letters") => project.sql(`SELECT status FROM features WHERE id = '${id}'`)[0]?.["status"];
const tree = (project: Project) => String(project.sql("SELECT tree FROM features")[0]?.["tree"]);

function retry(project: Project, ...more: readonly string[]): Promise<Ended> {
  return project.slipway(["retry", "letters", "--cassette", project.cassette, ...more]);
}

/** Gives the feature up at its run's open question. */
async function givenUp(project: Project): Promise<Project> {
  expect((await project.run()).code).toBe(23);
  await project.slipway(["answer", "Q1", "give_up"]);
  expect((await project.slipway(["resume", "--cassette", project.cassette])).code).toBe(3);
  expect(status(project)).toBe("failed");
  return project;
}

function without(...answers: readonly string[]): Project {
  const project = letters();
  for (const answer of answers) rmSync(join(project.cassette, answer), { recursive: true });
  return project;
}

async function rejected(): Promise<Project> {
  const project = await lettersToApprove();
  await project.slipway(["answer", "Q1", "reject", "--comment", "not now"]);
  expect((await project.slipway(["resume"])).code).toBe(3);
  return project;
}

async function landed(project: Project): Promise<void> {
  expect((await project.slipway(["approve", "letters"])).code).toBe(0);
  expect((await project.slipway(["merge", "letters"])).code).toBe(0);
  expect(status(project)).toBe("merged");
  expect(project.git("show", "main:src/a.txt")).toBe("two\n");
  expect((await project.slipway(["journal", "verify"])).code).toBe(0);
}

describe("a failed feature continues, and results that still hold are not paid for again", () => {
  test("A1: without an accepted plan it is planned", async () => {
    const project = await givenUp(without("planner"));
    answersFor(project, "letters", "src/a.txt");
    const { code, stdout } = await retry(project);
    expect(code).toBe(23);
    expect(stdout).toMatch(/^letters: keeps nothing; plans again\nrun \S+_letters-2\n[^]*\+ letters: retried/);
    expect(paid(project)).toEqual(ALL_ONCE);
    await landed(project);
  });

  test("A1: the plan still holds: it is built", async () => {
    const project = await givenUp(without("builder"));
    answersFor(project, "letters", "src/a.txt");
    const { code, stdout } = await retry(project, "--comment", "one word is enough", "--from", "build");
    expect(code).toBe(23);
    expect(stdout).toMatch(/^letters: keeps plan 1; builds again\n/);
    expect(paid(project)).toEqual(ALL_ONCE);
    await landed(project);
  });

  test("A1: the built tree still holds: it is gated, and QA finishes its work", async () => {
    const project = await givenUp(without("qa"));
    answersFor(project, "letters", "src/a.txt");
    const { code, stdout } = await retry(project);
    expect(code).toBe(23);
    expect(stdout.split("\n")[0]).toBe(`letters: keeps plan 1 and tree ${tree(project).slice(0, 10)}; runs the gates again`);
    expect(stdout).not.toContain("builder");
    expect(paid(project)).toEqual(ALL_ONCE);
    await landed(project);
  });

  test("A1: the gates fail on the kept tree: the builder gets the reason and continues from that tree", async () => {
    const project = letters();
    project.record("builder", "1", patchOf("src/a.txt", "one", "BUG"));
    await givenUp(project);
    project.record("builder", "2", patchOf("src/a.txt", "BUG", "two"));
    const { code, stdout } = await retry(project);
    expect(code).toBe(23);
    expect(stdout).toMatch(/runs the gates again\n[^]*fast gates failed[^]*patch applied/);
    expect(paid(project)).toEqual({ builder: 2, planner: 1, qa: 1 });
    await landed(project);
  });

  test("A1: everything still holds: only the approval is asked again, and no agent is called", async () => {
    const project = await rejected();
    const { code, stdout } = await retry(project);
    expect(code).toBe(23);
    expect(stdout).toMatch(/^letters: keeps plan 1, tree \w{10} and its gate results; asks for the approval again and lands\n/);
    expect(paid(project)).toEqual(ALL_ONCE);
    await landed(project);
  });

  test("A7: features ended by stop --cancel continue", async () => {
    const project = await lettersToApprove();
    await project.slipway(["stop", "--cancel", "--yes"]);
    expect(status(project)).toBe("failed");
    expect((await retry(project)).code).toBe(23);
    expect(paid(project)).toEqual(ALL_ONCE);
    await landed(project);
  });

  test("A1: worktree and branch are gone: both are recreated as recorded", async () => {
    const project = await rejected();
    const [row] = project.sql("SELECT worktree FROM features");
    project.git("worktree", "remove", "--force", String(row?.["worktree"]));
    project.git("branch", "-D", "letters");
    expect((await retry(project)).code).toBe(23);
    expect(existsSync(join(String(row?.["worktree"]), "src", "a.txt"))).toBe(true);
    expect(paid(project)).toEqual(ALL_ONCE);
    await landed(project);
  });

  test("the base has moved: the change is rebuilt and gated there, and no agent is called", async () => {
    const project = await rejected();
    project.write("src/b.txt", "moved\n");
    project.git("commit", "-qam", "moved");
    expect((await retry(project)).code).toBe(23);
    expect(paid(project)).toEqual(ALL_ONCE);
    await landed(project);
    expect(project.git("show", "main:src/b.txt")).toBe("moved\n");
  });

  test("--from plan: the old plan and tree stay reachable, and the new plan revises the old one", async () => {
    const project = await rejected();
    const before = tree(project);
    project.write("src/b.txt", "moved\n");
    project.git("commit", "-qam", "moved");
    const more = { plan_version: 2, revision_of: 1, revision_reason: "again" };
    project.record("planner", "1", planFor("letters", more));
    const { code, stdout } = await retry(project, "--from", "plan");
    expect(code).toBe(23);
    expect(stdout).toMatch(/^letters: plans again; plan 1 and tree \w{10} stay reachable\n/);
    expect(project.git("for-each-ref", "--format=%(tree)", "refs/slipway").split("\n")).toContain(before);
    expect(project.sql("SELECT plan_version FROM plans ORDER BY 1")).toEqual([{ plan_version: 1 }, { plan_version: 2 }]);
    expect(paid(project)).toEqual({ builder: 2, planner: 2, qa: 2 });
    await landed(project);
  });

  test("--from gates repeats gates that had passed", async () => {
    const project = await rejected();
    const gates = () => Number(project.sql("SELECT count(*) AS n FROM gate_runs")[0]?.["n"]);
    const before = gates();
    expect((await retry(project, "--from", "gates")).code).toBe(23);
    expect(gates()).toBe(2 * before);
    expect(paid(project)).toEqual(ALL_ONCE);
  });
});

describe("mishaps", () => {
  test("kill -9 during a retry: resume continues it, and no call is paid twice", async () => {
    const project = slow();
    letGo(project);
    await project.run();
    await project.slipway(["answer", "Q1", "reject", "--comment", "no"]);
    await project.slipway(["resume"]);
    holdBack(project);
    const child = startSlipway(project, ["retry", "letters", "--from", "gates", "--cassette", project.cassette]);
    await child.says("retried");
    expect((await retry(project)).stderr).toMatch(/^run_lease_held: Run \S+_letters-2 is supervised by process \d+/);
    child.process.kill("SIGKILL");
    await child.ended;
    letGo(project);
    const again = await retry(project);
    expect(again.code).toBe(2);
    expect(again.stderr).toMatch(/^run_exists: "letters" is part of run (\S+), which has not ended\.\n {2}next: slipway resume \1\n/);
    expect((await project.slipway(["resume", "--cassette", project.cassette])).code).toBe(23);
    expect(paid(project)).toEqual(ALL_ONCE);
    expect((await project.slipway(["journal", "verify"])).code).toBe(0);
    await project.slipway(["approve"]);
    expect((await project.slipway(["merge"])).code).toBe(0);
  });

  test("a second retry is refused while the first waits; after the first has failed it continues", async () => {
    const project = await rejected();
    expect((await retry(project)).code).toBe(23);
    expect((await retry(project)).stderr).toMatch(/^run_exists: "letters" is part of run \S+_letters/);
    await project.slipway(["answer", "Q2", "reject", "--comment", "no"]);
    await project.slipway(["resume"]);
    expect((await retry(project)).code).toBe(23);
    expect(paid(project)).toEqual(ALL_ONCE);
    await landed(project);
    const merged = await retry(project);
    expect(merged.code).toBe(2);
    expect(merged.stderr).toBe('run_exists: "letters" is merged; there is nothing to retry.\n  next: slipway evidence letters\n');
  });

  test("a run that was recorded but never driven keeps its feature", async () => {
    const project = await lettersToApprove();
    const { code, stderr } = await retry(project);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^run_exists: "letters" is part of run \S+_letters, which has not ended\.\n {2}next: slipway resume /);
  });

  test("a phase whose input is missing is refused with the possible one, and nothing is written", async () => {
    const project = await givenUp(without("qa"));
    const before = project.sql("SELECT * FROM features");
    const land = await retry(project, "--from", "land");
    expect(land.code).toBe(2);
    expect(land.stderr).toMatch(
      /cannot be retried from land: full gates have not passed on tree \w{10}\.\n {2}next: slipway retry letters --from gates\n$/,
    );
    expect((await retry(project, "--from", "test")).stderr).toMatch(
      /^invalid_cli_args: --from takes plan, build, gates, land, not 'test'\./,
    );
    expect((await retry(project, "--comment", "x")).stderr).toMatch(/^invalid_cli_args: --comment is for the planner or the builder/);
    expect((await project.slipway(["retry", "lettres"])).stderr).toMatch(/^feature_not_found: .*did you mean "letters"\?/);
    expect(project.sql("SELECT * FROM features")).toEqual(before);
    expect(project.sql("SELECT count(*) AS n FROM runs WHERE parent_run_id IS NULL")).toEqual([{ n: 1 }]);
  });

  test("of two retried features that want the same file, the second waits for the first", async () => {
    const project = letters({ "other.spec.md": "# Other\n\nThe first letter file says three.\n" });
    project.record("planner", "1", planFor("other"), "other");
    project.record("builder", "1", patchOf("src/a.txt", "two", "three"), "other");
    project.record("qa", "1", nothingMissing("src/a.txt"), "other");
    await project.slipway(["run", "letters.spec.md", "other.spec.md", "--cassette", project.cassette]);
    await project.slipway(["answer", "Q1", "reject", "--comment", "no"]);
    project.record("builder", "1", patchOf("src/a.txt", "one", "three"), "other");
    expect((await project.slipway(["resume", "--cassette", project.cassette])).code).toBe(23);
    await project.slipway(["answer", "Q2", "reject", "--comment", "no"]);
    expect((await project.slipway(["resume"])).code).toBe(3);
    const [run] = project.sql("SELECT run_id FROM runs WHERE parent_run_id IS NULL");
    const { code, stdout } = await project.slipway(["retry", String(run?.["run_id"]), "--cassette", project.cassette]);
    expect(code).toBe(23);
    expect(stdout).toMatch(/^letters: keeps plan 1.*\nother: keeps plan 1.*\nrun \S+_2-features-2\n/);
    const [first, second] = status(project) === "failed" ? (["other", "letters"] as const) : (["letters", "other"] as const);
    expect([status(project, first), status(project, second)]).toEqual(["ready_to_merge", "failed"]);
    await project.slipway(["approve", first]);
    // Its merge conflicts with the other's lines, which is a question as always.
    await project.slipway(["resume", "--cassette", project.cassette]);
    expect(status(project, first)).toBe("merged");
    expect((await project.slipway(["inbox"])).stdout).toContain(`${second} conflicts with main`);
    expect(paid(project)).toEqual({ builder: 2, planner: 2, qa: 2 });
  });
});

describe("a repository that was moved", () => {
  const STATE_FOLDER = { "slipway/policy.yaml": FILES["slipway/policy.yaml"]!.replace(", root: .worktrees", "") };

  async function moved(files: Readonly<Record<string, string>>): Promise<Project> {
    const before = letters(files);
    expect((await before.run()).code).toBe(23);
    const root = join(before.home, "elsewhere");
    renameSync(before.root, root);
    return projectIn(root, before.home);
  }

  test.each([
    ["in the state folder", STATE_FOLDER],
    ["in the checkout", {}],
  ])("with its worktrees %s: the run says what to do, and retry recreates them in the new folder", async (_where, files) => {
    const project = await moved(files);
    const former = String(project.sql("SELECT worktree FROM features")[0]?.["worktree"]);
    expect(await project.slipway(["status"])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^letters +ready_to_merge/m) });
    expect((await project.slipway(["approve"])).stderr).toMatch(/^path_out_of_bounds: [^]*moved: .*`slipway stop RUN --cancel`/);
    expect((await project.slipway(["stop", "--cancel", "--yes"])).code).toBe(0);
    expect((await retry(project)).code).toBe(23);
    const worktree = String(project.sql("SELECT worktree FROM features")[0]?.["worktree"]);
    expect(project.read(join(worktree, "src/a.txt"))).toBe("two\n");
    expect(worktree.startsWith(files === STATE_FOLDER ? project.ungated.worktrees : project.root)).toBe(true);
    // The old folder may belong to a repository that this one is a copy of.
    expect(existsSync(join(former, "src/a.txt"))).toBe(files === STATE_FOLDER);
    await landed(project);
    expect(paid(project)).toEqual(ALL_ONCE);
  });
});

describe("where retry is mentioned", () => {
  test("without a name it lists the features that can be retried, from which phase, and why they ended", async () => {
    const project = await rejected();
    expect((await project.slipway(["retry"])).stdout).toMatch(
      /^letters: keeps plan 1, tree \w{10} and its gate results; asks.*\n {2}ended: rejected: not now\n {2}next: slipway retry letters\n$/,
    );
    expect((await project.slipway(["retry", "--json"])).json()).toMatchObject([
      { ok: true, features: [{ id: "letters", status: "failed", from: "land", plan: 1, missingModes: [], untested: 0 }] },
    ]);
    const waiting = await lettersToApprove().then((other) => other.slipway(["retry"]));
    expect(waiting.stdout).toBe("No feature has ended without a merge; there is nothing to retry.\n");
  });

  test("the end of a run, status and a second `run` name it", async () => {
    const project = await lettersToApprove();
    await project.slipway(["answer", "Q1", "reject", "--comment", "no"]);
    expect((await project.slipway(["resume"])).stdout).toMatch(/refs\/slipway\.\n {2}next: slipway retry letters\n$/);
    expect((await project.slipway(["status"])).stdout).toContain("letters: rejected: no → slipway retry letters\n");
    expect((await project.run()).stderr).toMatch(/^run_exists: .*\n {2}next: Retry it: `slipway retry letters`\.\n/);
  });
});
