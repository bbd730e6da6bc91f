import { describe, expect, test } from "vitest";
import { startSlipway } from "../testing/child.ts";
import { letters, lettersToApprove, type Project } from "../testing/project.ts";
import { letGo, slow } from "../testing/slow-gate.ts";

const runId = (project: Project) => String(project.sql("SELECT run_id FROM runs WHERE parent_run_id IS NULL")[0]?.["run_id"]);
const status = (project: Project) => project.sql("SELECT status FROM runs WHERE parent_run_id IS NULL")[0]?.["status"];

async function live(project: Project) {
  const child = startSlipway(project, ["run", "letters.spec.md", "--cassette", project.cassette]);
  await child.says("patch applied");
  return child;
}

describe("slipway resume", () => {
  test("nothing to resume: no run yet, or all runs have ended", async () => {
    const project = letters();
    expect((await project.slipway(["resume"])).stderr).toMatch(/^nothing_to_resume: .*\n {2}next: Start one with `slipway run SPEC\.md`/);
    await project.run();
    await project.slipway(["stop", "--cancel", "--yes"]);
    const { code, stderr } = await project.slipway(["resume"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^nothing_to_resume: /);
  });

  test("a wrong run id, and a child run", async () => {
    const project = await lettersToApprove();
    expect(await project.slipway(["resume", "2020-01-01_nothing"])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^run_not_found: There is no run 2020-01-01_nothing\.\n {2}next: `slipway status`/),
    });
    expect(await project.slipway(["resume", `${runId(project)}/feature:letters`])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`slipway resume ${runId(project)}`),
    });
  });

  test("a waiting run still waits; a run that has ended prints its result", async () => {
    const project = await lettersToApprove();
    expect(await project.slipway(["resume"])).toMatchObject({ code: 23, stdout: expect.stringContaining("slipway approve letters") });
    await project.slipway(["approve"]);
    expect(await project.slipway(["resume"])).toMatchObject({ code: 0, stdout: expect.stringContaining("letters is merged into main") });
    expect(await project.slipway(["resume", runId(project)])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("letters is merged into main"),
    });
  });

  test("after a kill it continues where it was; no recorded step happens twice", async () => {
    const project = slow();
    const child = await live(project);
    child.process.kill("SIGKILL");
    await child.ended;
    letGo(project);
    const { code, stdout } = await project.slipway(["resume", "--cassette", project.cassette]);
    expect(code, stdout).toBe(23);
    expect(stdout).not.toContain("planner proposes");
    expect(project.sql("SELECT count(*) AS n FROM events WHERE name = 'planner:1' AND kind = 'step'")).toEqual([{ n: 1 }]);
    expect(project.sql("SELECT kind FROM events WHERE kind = 'taken_over'")).toHaveLength(1);
  });

  test("a run whose protocol's code changed is not resumed silently; --accept-version records who accepted that", async () => {
    const project = await lettersToApprove();
    const events = project.sql("SELECT count(*) AS n FROM events");
    project.sql("UPDATE runs SET version = '0'");
    const refused = await project.slipway(["resume"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/^workflow_version_changed: .*\n[^]*next: .*--accept-version/);
    expect(project.sql("SELECT count(*) AS n FROM events")).toEqual(events);
    const { code, stdout, stderr } = await project.slipway(["resume", "--accept-version"]);
    expect(code, stdout + stderr).toBe(23);
    expect(String(project.sql("SELECT payload FROM events WHERE kind = 'repinned'")[0]?.["payload"])).toContain('"by":"kim"');
  });

  test("--after-crashes: a run that repeatedly kills its process is not resumed without it", async () => {
    const project = await lettersToApprove();
    project.sql(
      "UPDATE runs SET status = 'running', crashes = 5, crash_mark = 1000000, lease_engine = 'gone', lease_host = 'elsewhere', lease_pid = 1, lease_process_start = '', lease_until = 1 WHERE parent_run_id IS NULL",
    );
    const refused = await project.slipway(["resume"]);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toMatch(/^run_crashed_too_often: .*\n[^]*next: .*slipway resume \S+ --after-crashes/);
    expect((await project.slipway(["resume", "--after-crashes"])).code).toBe(23);
    expect((await project.slipway(["journal", "show", runId(project)])).stdout).toContain("crashes_reset");
  });

  test("two at once: the second names the process that has the run", async () => {
    const project = slow();
    const child = await live(project);
    const { code, stderr } = await project.slipway(["resume"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`^run_lease_held: .*[Pp]rocess ${child.process.pid} .*\\n {2}next: .*slipway watch`));
    letGo(project);
    expect((await child.ended).code).toBe(23);
  });
});

describe("slipway stop", () => {
  test("without a live run it says so and changes nothing", async () => {
    const project = await lettersToApprove();
    const before = project.sql("SELECT * FROM runs");
    expect(await project.slipway(["stop"])).toMatchObject({ code: 0, stdout: "No run is live; nothing was changed.\n" });
    expect((await project.slipway(["stop", "--json"])).json()).toEqual([{ ok: true, stopped: null }]);
    expect(project.sql("SELECT * FROM runs")).toEqual(before);
  });

  test("a live run stops, says that nothing is lost, and can be resumed", async () => {
    const project = slow();
    const child = await live(project);
    const { code, stdout } = await project.slipway(["stop"]);
    expect(code).toBe(0);
    expect(stdout).toBe(`Run ${runId(project)} ends its current call and stops; nothing is lost. Continue with \`slipway resume\`.\n`);
    const ended = await child.ended;
    expect(ended.code).toBe(23);
    expect(ended.stdout).toMatch(/Run \S+ is stopped \(stopped by kim\)\. Nothing is lost; continue with `slipway resume`\.\n$/);
    expect(status(project)).toBe("stopped");
    letGo(project);
    expect((await project.slipway(["resume", "--cassette", project.cassette])).code).toBe(23);
    expect(status(project)).toBe("waiting");
  });

  test("Ctrl-C does the same", async () => {
    const project = slow();
    const child = await live(project);
    child.process.kill("SIGINT");
    const ended = await child.ended;
    expect(ended.code).toBe(23);
    expect(ended.stdout).toContain("is stopped (interrupted at the keyboard). Nothing is lost");
    expect(status(project)).toBe("stopped");
  });

  test("--cancel ends it for good: a waiting run at once, a live one through its process", async () => {
    const project = await lettersToApprove();
    const head = project.git("rev-parse", "letters");
    expect(await project.slipway(["stop", "--cancel", "--yes"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /\nRun \S+_letters is ended for good; its work stays under refs\/slipway\.\n {2}next: slipway retry letters\n$/,
      ),
    });
    expect(status(project)).toBe("cancelled");
    expect(project.git("rev-parse", "letters")).toBe(head);
    expect(await project.slipway(["stop", "--cancel", "--yes"])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^nothing_to_resume/),
    });
    const living = slow();
    const child = await live(living);
    expect((await living.slipway(["stop", "--cancel", "--yes", "--json"])).json()).toEqual([
      { ok: true, cancelled: runId(living), ended: ["letters"] },
    ]);
    expect(await child.ended).toMatchObject({ code: 3, stdout: expect.stringContaining("was cancelled: cancelled by kim") });
  });

  test("by id: a waiting run is stopped, a finished one is unchanged, an unknown one is an error", async () => {
    const project = await lettersToApprove();
    expect((await project.slipway(["stop", runId(project), "--json"])).json()).toEqual([{ ok: true, stopped: runId(project) }]);
    expect(status(project)).toBe("stopped");
    await project.slipway(["stop", runId(project), "--cancel", "--yes"]);
    expect((await project.slipway(["stop", runId(project)])).stdout).toBe(`Run ${runId(project)} is cancelled; nothing was changed.\n`);
    expect((await project.slipway(["stop", runId(project), "--json"])).json()).toEqual([{ ok: true, stopped: null }]);
    expect((await project.slipway(["stop", "nothing"])).stderr).toMatch(/^run_not_found: /);
  });
});

describe("slipway watch", () => {
  test("follows the live run of another process until a person is needed", async () => {
    const project = slow();
    const child = await live(project);
    const watching = project.slipway(["watch"]);
    letGo(project);
    const { code, stdout } = await watching;
    expect(code).toBe(23);
    expect(stdout).toMatch(
      /^(?:.*\n)?\+ letters: worktree and branch are ready\n[^]*\+ letters: ready to merge\n[^]*run \S+ is waiting\nA person is needed:\n {2}Merge letters into main\?\n {4}slipway approve letters\nThen continue with `slipway resume`\.\n$/,
    );
    expect((await child.ended).code).toBe(23);
  });

  test("as JSON: the journal's events, then the status", async () => {
    const project = await lettersToApprove();
    const lines = (await project.slipway(["watch", runId(project), "--json"])).json<Record<string, unknown>>();
    expect(lines[0]).toMatchObject({ event: "started" });
    expect(lines.at(-1)).toEqual({ run: runId(project), status: "waiting", abandoned: false, next: ["slipway approve letters"] });
  });

  test("exit code 0 for a merged run, 3 for one without a merge, 3 for a cancelled one", async () => {
    const merged = letters();
    await merged.run();
    await merged.slipway(["approve"]);
    await merged.slipway(["merge"]);
    expect(await merged.slipway(["watch"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/is completed\nletters is merged into main as [0-9a-f]{10}\.\n$/),
    });
    const rejected = letters();
    await rejected.run();
    await rejected.slipway(["answer", "Q1", "reject", "--comment", "no"]);
    await rejected.slipway(["resume"]);
    expect((await rejected.slipway(["watch"])).code).toBe(3);
    const cancelled = letters();
    await cancelled.run();
    await cancelled.slipway(["stop", "--cancel", "--yes"]);
    expect((await cancelled.slipway(["watch"])).code).toBe(3);
  });

  test("a run whose process is dead is reported with the command that continues it", async () => {
    const project = slow();
    const child = await live(project);
    child.process.kill("SIGKILL");
    await child.ended;
    expect((await project.slipway(["status"])).stdout).toMatch(
      /run \S+ was cut off \(process \d+ is gone\); continue with `slipway resume`\n$/,
    );
    const { code, stdout } = await project.slipway(["watch"]);
    expect(code).toBe(23);
    expect(stdout).toMatch(/run (\S+) is running, but no process drives it any more\n {2}Continue it: slipway resume \1\n$/);
    project.sql("UPDATE runs SET status = 'pending', created_at = 1");
    expect((await project.slipway(["watch", "--json"])).json<object>().at(-1)).toMatchObject({ status: "pending", abandoned: true });
  });

  test("without a run there is nothing to watch", async () => {
    expect((await letters().slipway(["watch"])).stderr).toMatch(/^run_not_found: Nothing has run/);
  });
});
