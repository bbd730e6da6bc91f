import { join } from "node:path";
import { POLICY } from "@slipway/kernel/change/testing/scratch-kernel";
import { expect, test } from "vitest";
import { scratchFolder } from "../init/testing/scratch.ts";
import { startSlipway } from "../testing/child.ts";
import { answersFor, letters, lettersToApprove, slipway } from "../testing/project.ts";

const ONE_AT_A_TIME = POLICY.replace("supervisor: {", "supervisor: { max_active_features: 1,");
const SLOW = { "check.sh": "sleep 60\n" };

test("before any run it says so, and creates nothing", async () => {
  const project = letters();
  const { code, stdout } = await project.slipway(["status"]);
  expect(code).toBe(0);
  expect(stdout).toBe("Nothing has run here yet. Start with `slipway run SPEC.md`, or look around with `slipway doctor`.\n");
  expect((await project.slipway(["status", "--json"])).json()).toEqual([
    { repository: project.root, features: [], runs: [], questions: [], locks: [], budgets: [], notifications: [] },
  ]);
  expect(project.git("status", "--porcelain", "--ignored")).toBe("");
});

test("shows the process of a live run, and can be called repeatedly", async () => {
  const project = letters(SLOW);
  const child = startSlipway(project, ["run", "letters.spec.md", "--cassette", project.cassette, "--skip-base-gates"]);
  await child.says("patch applied");
  for (let round = 0; round < 3; round++) {
    const { code, stdout } = await project.slipway(["status"]);
    expect(code).toBe(0);
    expect(stdout).toContain(`is running (process ${child.process.pid})`);
    expect(stdout).toMatch(/^letters +building +\$0\.02/m);
  }
});

test("shows open questions and the command that answers each", async () => {
  const project = await lettersToApprove();
  const { stdout } = await project.slipway(["status"]);
  expect(stdout).toMatch(/^letters +ready_to_merge +full pass +\$0\.03 +needs you: slipway approve letters$/m);
  expect(stdout).toContain("Waiting for a person\nQ1 Merge letters into main?  → slipway approve letters\n");
  const [board] = (await project.slipway(["status", "--json"])).json<{ features: object[]; runs: object[]; questions: object[] }>();
  expect(board).toMatchObject({
    features: [{ id: "letters", status: "ready_to_merge", gates: { fast: "pass", full: "pass" }, merged_as: null }],
    runs: [{ protocol: "features", status: "waiting", owner_pid: null }],
    questions: [{ kind: "approval", feature: "letters" }],
  });
});

test("[FEA-161] lists every feature of a run, also one that waits for a free slot, and changes nothing", async () => {
  const project = letters({ "other.spec.md": "# Other\n\nThe second letter file says two.\n", "slipway/policy.yaml": ONE_AT_A_TIME });
  answersFor(project, "other", "src/b.txt");
  await project.slipway(["run", "letters.spec.md", "other.spec.md", "--cassette", project.cassette]);
  const before = project.sql("SELECT max(seq) AS seq, count(*) AS events FROM events");
  const { stdout } = await project.slipway(["status"]);
  expect(stdout).toMatch(
    /^letters +ready_to_merge +full pass +\$0\.03 +needs you: slipway approve letters\nother +waiting +\$0\.00 +waits for a free slot$/m,
  );
  const [seen] = (await project.slipway(["status", "--json"])).json<{ features: object[] }>();
  expect(seen?.features).toMatchObject([
    { id: "letters", waits_for: { for: "person", kind: "approval" }, last_gate: { mode: "full", passed: true, current: true } },
    { id: "other", status: "waiting", waits_for: { for: "slot" } },
  ]);
  expect(project.sql("SELECT max(seq) AS seq, count(*) AS events FROM events")).toEqual(before);
});

test("a blocked feature: the reason, and the options of its question", async () => {
  const project = letters({ "slipway/gates.yaml": blockedGates() });
  await project.run("--skip-base-gates");
  const { stdout } = await project.slipway(["status"]);
  expect(stdout).toMatch(/^letters: .*gate_command_missing.*no-such-program/m);
  expect(stdout).toMatch(/^Q1 letters is blocked in building {2}→ slipway answer Q1 retry --comment/m);
});

test("after the merge: the commit", async () => {
  const project = await lettersToApprove();
  await project.slipway(["approve"]);
  await project.slipway(["merge"]);
  const { stdout } = await project.slipway(["status"]);
  const commit = project.git("rev-parse", "main").slice(0, 10);
  expect(stdout).toMatch(new RegExp(`^letters +merged .* ${commit}$`, "m"));
  expect(stdout).toContain("is completed\n");
  expect(stdout).not.toContain("Waiting for a person");
});

test("works in a folder below, in the feature's worktree, and not outside the repository", async () => {
  const project = await lettersToApprove();
  const here = (await project.slipway(["status"])).stdout;
  for (const folder of ["src", ".worktrees/letters", ".worktrees/letters/src", ".slipway/features"]) {
    expect((await project.slipway(["status"], { cwd: join(project.root, folder) })).stdout).toBe(here);
  }
  const outside = await slipway(["status"], scratchFolder());
  expect(outside.code).toBe(2);
  expect(outside.stderr).toMatch(/^not_a_repository: .*\n {2}next: /);
});

test("a submodule is a repository of its own", async () => {
  const [outer, inner] = [letters(), letters()];
  outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.root, "part");
  await outer.run();
  const { stdout } = await outer.slipway(["status"], { cwd: join(outer.root, "part") });
  expect(stdout).toMatch(/^Nothing has run here yet/);
});

test("colour on a terminal", async () => {
  const project = await lettersToApprove();
  const { stdout } = await project.slipway(["status"], { terminal: true, color: true });
  expect(stdout).toContain("\u001b[1mWaiting for a person\u001b[22m");
});

test("refuses a database that a newer Slipway wrote", async () => {
  const project = await lettersToApprove();
  project.sql("INSERT INTO schema_version VALUES (99, 'from the future')");
  const { code, stderr } = await project.slipway(["status"]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^database_newer: .*slipway\.db .*\n {2}next: Use the Slipway that wrote the file/);
});

function blockedGates(): string {
  const step = "[{ name: check, cmd: [no-such-program] }]";
  return `version: 1\nprofiles: { default: { modes: { fast: ${step}, full: ${step} } } }\n`;
}
