import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { openSqlite } from "@slipway/durable/sqlite";
import { layoutAt } from "@slipway/kernel/host/layout";
import { PROGRAM } from "slipway/testing/program";
import { letters, type Project } from "slipway/testing/project";
import { describe, expect, onTestFinished, test } from "vitest";
import { belongings, cannotLosePermissions, expectRefused, giveToNobody, inHere, isRoot, run, runHere, slipway } from "./place.ts";

const database = (project: Project) => layoutAt(project.root).database;

/** Waiting for its approval; made in this process, because it is not under test. */
async function waiting(): Promise<Project> {
  const project = letters();
  expect((await project.run()).code).toBe(23);
  return project;
}

async function expectMerges(project: Project): Promise<void> {
  expect((await inHere(project, ["approve"])).code).toBe(0);
  expect((await inHere(project, ["merge"])).code).toBe(0);
  expect(project.git("show", "main:src/a.txt")).toBe("two\n");
}

/** Another process that has the file open; undefined while there is none. */
function processWith(file: string): string | undefined {
  return readdirSync("/proc").find((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      return readdirSync(`/proc/${pid}/fd`).some((descriptor) => readlinkSync(`/proc/${pid}/fd/${descriptor}`) === file);
    } catch {
      return false;
    }
  });
}

/** SQLite sleeps between its attempts; nothing else in the main thread of Node does. */
function sleeps(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/wchan`, "utf8").includes("nanosleep");
  } catch {
    return false;
  }
}

/** The first answer that is not undefined or false. */
async function until<T>(ask: () => T | undefined | false): Promise<T> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(5)) {
    const answer = ask();
    if (answer !== undefined && answer !== false) return answer;
  }
  throw new Error("nothing happened for a minute");
}

describe("the journal", () => {
  test("edited by hand: verify names the event, the run does not continue, and nothing merges", async () => {
    const project = await waiting();
    project.sql("UPDATE events SET payload = replace(payload, 'two', 'six') WHERE kind = 'step' AND name = 'builder:1'");
    const before = belongings(project.root);
    const verified = await inHere(project, ["journal", "verify"]);
    expect(verified.code).toBe(3);
    const [edited] = project.sql("SELECT seq FROM events WHERE kind = 'step' AND name = 'builder:1'");
    expect(verified.stdout).toMatch(new RegExp(`^BROKEN {2}\\S+/feature:letters: edited at event ${edited?.["seq"]}\\.`, "m"));
    expect(verified.stdout).toContain(`Keep a copy of ${layoutAt(project.root).truth}`);
    await inHere(project, ["approve"]);
    for (const [command, carriedOut] of [
      ["resume", slipway],
      ["merge", inHere],
    ] as const) {
      expectRefused(await carriedOut(project, [command]), {
        exit: 3,
        code: "journal_broken",
        names: ["feature:letters", `event ${edited?.["seq"]}`, "refs/slipway"],
      });
    }
    expect(belongings(project.root)).toEqual(before);
    expect(project.git("for-each-ref", "refs/slipway")).not.toBe("");
    project.sql("UPDATE events SET payload = replace(payload, 'six', 'two') WHERE kind = 'step' AND name = 'builder:1'");
    expect((await inHere(project, ["merge"])).code).toBe(0);
  });
});

describe("the database", () => {
  test("locked for a while: the command waits and then works", async () => {
    const project = await waiting();
    const other = new DatabaseSync(database(project));
    other.exec("BEGIN IMMEDIATE");
    let waits = true;
    const ended = slipway(project, ["approve"]).finally(() => (waits = false));
    const opened = await until(() => processWith(database(project)));
    await until(() => !waits || sleeps(opened));
    expect(waits).toBe(true);
    other.exec("ROLLBACK");
    other.close();
    expect((await ended).code).toBe(0);
    expect(project.sql("SELECT status FROM questions")).toEqual([{ status: "answered" }]);
  });

  test("locked permanently: a clear error, after which everything is as before", async () => {
    const project = await waiting();
    const other = new DatabaseSync(database(project));
    onTestFinished(() => other.close());
    other.exec("BEGIN IMMEDIATE");
    expectRefused(await slipway(project, ["approve"]), {
      code: "database_locked",
      names: [database(project), "Wait for the other slipway process"],
    });
    other.exec("ROLLBACK");
    expect(project.sql("SELECT status FROM questions")).toEqual([{ status: "open" }]);
    await expectMerges(project);
  }, 60_000);

  test("locked, with a shorter timeout", async () => {
    const project = await waiting();
    const other = new DatabaseSync(database(project));
    onTestFinished(() => other.close());
    other.exec("BEGIN IMMEDIATE");
    const sqlite = openSqlite(database(project), { busyTimeoutMs: 50 });
    await expect(sqlite.write(() => undefined)).rejects.toMatchObject({
      code: "database_locked",
      details: { file: database(project), retryable: true },
    });
    await sqlite.close();
  });

  test("written by a newer program: refused, unchanged", async () => {
    const project = await waiting();
    project.sql("INSERT INTO schema_version VALUES (99, 'from the future')");
    const rows = () => project.sql("SELECT count(*) AS n FROM events");
    const before = rows();
    const refusal = { code: "database_newer", names: [database(project), "from the future", "slipway@latest"] };
    expectRefused(await slipway(project, ["resume"]), refusal);
    for (const argv of [["status"], ["inbox"], ["approve"], ["merge"], ["journal", "verify"], ["watch"]])
      expectRefused(await inHere(project, argv), refusal);
    expect(rows()).toEqual(before);
    project.sql("DELETE FROM schema_version WHERE version = 99");
    await expectMerges(project);
  });

  test("no database, but a file of that name", async () => {
    const project = letters();
    mkdirSync(dirname(database(project)), { recursive: true });
    writeFileSync(database(project), "somebody's notes, long enough to be read as a header ".repeat(40));
    const refusal = { code: "database_corrupt", names: [database(project), "Move the file away"] };
    expectRefused(await run(project), refusal);
    for (const argv of [["status"], ["inbox"]]) expectRefused(await inHere(project, argv), refusal);
    expect(readFileSync(database(project), "utf8")).toMatch(/^somebody's notes/);
    rmSync(database(project));
    expect((await runHere(project)).code).toBe(23);
  });

  test("read-only", async (context) => {
    const reason = cannotLosePermissions();
    if (reason !== null) return skipped(context.skip, reason);
    const project = await waiting();
    giveToNobody(project.root, project.home);
    chmodSync(database(project), 0o444);
    chmodSync(layoutAt(project.root).truth, 0o555);
    for (const argv of [["approve"], ["resume"]]) {
      expectRefused(await slipway(project, argv, { asNobody: true }), {
        code: "database_read_only",
        names: [database(project), "writable"],
      });
    }
    const looked = await slipway(project, ["status"], { asNobody: true });
    expect([0, 2]).toContain(looked.code);
    chmodSync(layoutAt(project.root).truth, 0o755);
    chmodSync(database(project), 0o644);
    expect((await slipway(project, ["approve"], { asNobody: true })).code).toBe(0);
  });
});

describe("the disk", () => {
  test("a state folder that cannot be created", async (context) => {
    const reason = cannotLosePermissions();
    if (reason !== null) return skipped(context.skip, reason);
    const project = letters();
    giveToNobody(project.root, project.home);
    chmodSync(project.root, 0o555);
    onTestFinished(() => chmodSync(project.root, 0o755));
    const ended = await slipway(project, ["run", "letters.spec.md", "--cassette", project.cassette], { asNobody: true });
    expectRefused(ended, { code: "io_error", names: [join(project.root, ".slipway"), "for your user"] });
    expect(project.git("-c", `safe.directory=${project.root}`, "status", "--porcelain")).toBe("");
  });

  test("a home that can contain neither worktrees nor the journal's heads: refused before anything starts", async () => {
    const project = letters();
    writeFileSync(join(project.home, "state"), "a file where a folder should be\n");
    const refused = await run(project);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(join(project.home, "state"));
    expect(project.sql("SELECT count(*) AS n FROM runs")).toEqual([{ n: 0 }]);
    rmSync(join(project.home, "state"));
    expect((await run(project)).code).toBe(23);
  });

  test("a specification without read permission", async (context) => {
    const reason = cannotLosePermissions();
    if (reason !== null) return skipped(context.skip, reason);
    const project = letters();
    giveToNobody(project.root, project.home);
    chmodSync(join(project.root, "letters.spec.md"), 0o000);
    const ended = await slipway(project, ["run", "letters.spec.md", "--cassette", project.cassette], { asNobody: true });
    expectRefused(ended, { code: "spec_ingest_failed", names: ["letters.spec.md", "may read"] });
  });

  test("full, before the run is recorded or in the middle of it: reported, nothing lost, and it continues when there is space", async (context) => {
    const mounted = tinyDisk();
    if (mounted === null) return skipped(context.skip, "no small file system can be mounted here (needs root)");
    for (const leftKilobytes of [160, 330]) {
      const project = onDisk(mounted, () => letters());
      const before = belongings(project.root);
      const { bavail, bsize } = statfsSync(mounted);
      const filler = join(mounted, "filler");
      writeFileSync(filler, Buffer.alloc(bavail * bsize - leftKilobytes * 1024));
      const full = await run(project);
      expect(full.code).toBe(2);
      expect(full.stderr).toMatch(/^(disk_full|io_error): .*\n {2}next: \S/m);
      expect(belongings(project.root)).toEqual(before);
      rmSync(filler);
      const recorded = (JSON.parse((await inHere(project, ["status", "--json"])).stdout) as { runs: object[] }).runs.length > 0;
      const again = recorded ? await slipway(project, ["resume", "--cassette", project.cassette]) : await run(project);
      expect(again.code, `${again.stdout}${again.stderr}`).toBe(23);
      await expectMerges(project);
      expect((await inHere(project, ["journal", "verify"])).code).toBe(0);
    }
  });

  test("a reader that closes the pipe does no harm", async () => {
    const project = await waiting();
    const child = spawn(process.execPath, [...PROGRAM, "journal", "show", "--json"], {
      cwd: project.root,
      env: project.env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.destroy();
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });
});

function skipped(skip: (note: string) => void, reason: string): void {
  console.warn(`skipped: ${reason}`);
  skip(reason);
}

/** A file system of a few megabytes, or null if none can be mounted. */
function tinyDisk(): string | null {
  if (!isRoot()) return null;
  const folder = mkdtempSync(join(tmpdir(), "slipway-disk-"));
  try {
    execFileSync("/bin/mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", folder], { stdio: "ignore" });
  } catch {
    return null;
  }
  onTestFinished(() => {
    execFileSync("/bin/umount", ["--lazy", folder]);
    rmSync(folder, { recursive: true });
  });
  return folder;
}

function onDisk<T>(folder: string, work: () => T): T {
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = folder;
  try {
    return work();
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
}
