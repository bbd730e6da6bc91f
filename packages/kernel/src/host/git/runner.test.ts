import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findGit, type GitExecutable } from "./executable.ts";
import { silenceDrivers } from "./inert-config.ts";
import { killGroup, runProcess, startProcess } from "./process.ts";
import { hostProcessesNamed } from "../sandbox/testing/scratch.ts";
import { untilBegun } from "../sandbox/testing/until-begun.ts";
import { createGit, stderrOf } from "./runner.ts";
import { scratch, temporaryFolder } from "./testing/scratch.ts";

function program(text: string): GitExecutable {
  const file = join(temporaryFolder(), "git");
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
  return { file, searchPath: process.env["PATH"] ?? "", version: "2.39.5" };
}

describe("the runner", () => {
  test("returns bytes, text and exit codes, and a failure contains git's message", async () => {
    const user = scratch();
    const { git } = await user.open();
    expect(await git.text(["cat-file", "blob", "HEAD:README.md"])).toBe("# Demo\n\nA small project.\n");
    expect(await git.run(["rev-parse", "-q", "--verify", "nothing"], { allowExit: [1] })).toMatchObject({
      exitCode: 1,
      stdout: Buffer.alloc(0),
    });
    const failure = await git.run(["cat-file", "blob", "nothing"]).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: "git_failed",
      message: "git cat-file failed: fatal: Not a valid object name nothing",
      details: { exit_code: 128, command: "cat-file blob nothing" },
    });
    expect(stderrOf(failure)).toContain("Not a valid object name");
    expect(stderrOf(new Error("x"))).toBe("");
    expect(await git.text(["hash-object", "--stdin"], { input: "x" })).toHaveLength(41);
  });

  test("no variable of the caller's environment reaches git", async () => {
    const file = join(temporaryFolder(), "env");
    process.env["GIT_DIR"] = "/nowhere";
    process.env["SECRET_TOKEN"] = "s3cret";
    try {
      await createGit({ executable: program(`env > ${file}`), cwd: "/" }).run(["x"]);
    } finally {
      delete process.env["GIT_DIR"];
      delete process.env["SECRET_TOKEN"];
    }
    const seen = readFileSync(file, "utf8");
    expect(seen).not.toContain("s3cret");
    expect(seen).not.toMatch(/^GIT_DIR=/m);
    for (const line of [
      "LC_ALL=C",
      "GIT_TERMINAL_PROMPT=0",
      "GIT_OPTIONAL_LOCKS=0",
      "GIT_LITERAL_PATHSPECS=1",
      "GIT_CONFIG_GLOBAL=/dev/null",
      "GIT_ALLOW_PROTOCOL=none",
    ])
      expect(seen.split("\n")).toContain(line);
  });

  test("a command that does not end is stopped with its children", async () => {
    const marker = join(temporaryFolder(), "alive");
    const mark = randomUUID();
    const child = `sh -c 'echo up > ${marker}; while :; do sleep 0.02; done' ${mark}`;
    const git = createGit({ executable: program(`${child} &\nwait`), cwd: "/" });
    const hang = async (timeoutMs: number) => {
      await expect(git.run(["slow"], { timeoutMs })).rejects.toMatchObject({
        code: "git_failed",
        message: expect.stringContaining(`${timeoutMs} ms`),
        details: { stopped: "timeout" },
      });
      expect(hostProcessesNamed(mark)).toEqual([]);
      return existsSync(marker);
    };
    expect(await untilBegun(hang, (began) => began)).toBe(true);
  });

  test("a command that ignores SIGTERM is killed", async () => {
    const outcome = await runProcess({
      file: "/bin/sh",
      args: ["-c", "trap '' TERM; while :; do sleep 0.05; done"],
      cwd: "/",
      env: { PATH: process.env["PATH"] ?? "" },
      timeoutMs: 100,
      maxOutputBytes: 10,
    });
    expect(outcome).toMatchObject({ exitCode: -1, stopped: "timeout" });
  });

  test("an abort stops it with the reason, also if it came before the start", async () => {
    const git = createGit({ executable: program("sleep 30"), cwd: "/" });
    const controller = new AbortController();
    const running = git.run(["slow"], { signal: controller.signal });
    setTimeout(() => controller.abort(new Error("stop now")), 50);
    await expect(running).rejects.toThrow("stop now");
    await expect(git.run(["slow"], { signal: AbortSignal.abort(new Error("never")) })).rejects.toThrow("never");
  });

  test("output and errors are bounded, and unread input does no harm", async () => {
    const flood = createGit({ executable: program("head -c 3000000 /dev/zero; head -c 300000 /dev/zero >&2; sleep 1"), cwd: "/" });
    await expect(flood.run(["x"], { maxOutputBytes: 1_000_000 })).rejects.toMatchObject({
      message: expect.stringContaining("too much output"),
      details: { stopped: "too_much_output" },
    });
    const noisy = createGit({ executable: program("head -c 300000 /dev/zero | tr '\\0' x >&2; exit 3"), cwd: "/" });
    expect((await noisy.run(["x"], { allowExit: [3] })).stderr).toHaveLength(65_536);
    const deaf = createGit({ executable: program("exec 0<&-; exit 0"), cwd: "/" });
    expect((await deaf.run(["x"], { input: Buffer.alloc(5_000_000) })).exitCode).toBe(0);
  });

  test("a full disk and a silent failure are named as such", async () => {
    await expect(
      createGit({ executable: program("echo 'fatal: write error: No space left on device' >&2; exit 128"), cwd: "/" }).run(["x"]),
    ).rejects.toMatchObject({ code: "disk_full" });
    const unwritable = createGit({ executable: program("echo 'error: unable to write file src/a.ts' >&2; exit 128"), cwd: "/" });
    await expect(unwritable.run(["x"])).rejects.toMatchObject({ code: "io_error", message: expect.stringContaining("src/a.ts") });
    await expect(createGit({ executable: program("exit 1"), cwd: "/" }).run(["x"])).rejects.toMatchObject({
      message: "git x failed: it gave no reason",
    });
    await expect(createGit({ executable: program("echo plain >&2; exit 1"), cwd: "/" }).run(["x"])).rejects.toMatchObject({
      message: "git x failed: plain",
    });
  });

  test("a program that cannot be started rejects, and killing an ended process is not an error", async () => {
    await expect(
      runProcess({ file: "/nowhere/git", args: [], cwd: "/", env: {}, timeoutMs: 1_000, maxOutputBytes: 1 }),
    ).rejects.toMatchObject({ code: "ENOENT" });
    await expect(startProcess({ file: "/nowhere/git", args: [], cwd: "/", env: {} })).rejects.toMatchObject({ code: "ENOENT" });
    const short = await startProcess({ file: "/bin/true", args: [], cwd: "/", env: {} });
    await new Promise((resolve) => short.on("close", resolve));
    killGroup(short, "SIGKILL");
  });

  test("attack 21: each driver named by the configuration is turned off", () => {
    expect(
      silenceDrivers([
        "filter.a.b=c.clean",
        "filter.lfs.process",
        "filter.lfs.required",
        "diff.x.textconv",
        "diff.x.command",
        "diff.external",
        "merge.x.driver",
        "diff.renames",
        "user.name",
      ]),
    ).toEqual({
      "filter.a.b=c.clean": "",
      "filter.lfs.process": "",
      "filter.lfs.required": "false",
      "diff.x.textconv": "false",
      "diff.x.command": "false",
      "diff.external": "false",
      "merge.x.driver": "false",
    });
  });
});

describe("finding git", () => {
  test("without git it is git_missing with advice, and a folder or a relative entry does not count as git", async () => {
    const folder = temporaryFolder();
    await expect(findGit({ PATH: `${folder}:.:relative` })).rejects.toMatchObject({
      code: "git_missing",
      details: { suggested_next_actions: [expect.stringContaining("Install git")] },
    });
    await expect(findGit({})).rejects.toMatchObject({ code: "git_missing" });
    writeFileSync(join(folder, "git"), "not executable");
    await expect(findGit({ PATH: folder })).rejects.toMatchObject({ code: "git_missing" });
  });

  test.each(["git version 2.37.9", "git version 1.99", "something else"])("%s is too old", async (version) => {
    const { file } = program(`echo "${version}"`);
    await expect(findGit({ PATH: join(file, "..") })).rejects.toMatchObject({
      code: "git_missing",
      message: expect.stringContaining("2.38 or newer"),
    });
  });

  test("a git that is killed during `git version` does not count as missing", async () => {
    const { file } = program("kill -9 $$");
    await expect(findGit({ PATH: join(file, "..") })).rejects.toMatchObject({ code: "git_failed" });
  });

  test("a relative entry before the real one is skipped", async () => {
    const planted = temporaryFolder();
    const cwd = process.cwd();
    writeFileSync(join(planted, "git"), `#!/bin/sh\ntouch ${planted}/PWNED\n`, { mode: 0o755 });
    expect(existsSync(join(cwd, "git"))).toBe(false);
    const found = await findGit({ PATH: `.:${process.env["PATH"] ?? ""}` });
    expect(found.file).toMatch(/^\/.*\/git$/);
    expect(found.version).toMatch(/^2\./);
    expect(existsSync(join(planted, "PWNED"))).toBe(false);
  });
});
