import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { GATES, POLICY } from "./change/testing/scratch-kernel.ts";
import { readPage, REPOSITORY_STREAM } from "./record/journal/repository.ts";
import { layoutAt } from "./host/layout.ts";
import { trustAnything } from "./config/trust/testing/trust-anything.ts";
import { openKernelAt, type OpenAt } from "./open.ts";
import { placesIn } from "./host/places.ts";
import { openRunLease } from "./record/run-lease/lease.ts";

function place(files: Readonly<Record<string, string>> = {}) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "slipway-open-")));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const root = join(home, "repository");
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const [path, text] of Object.entries({ "slipway/gates.yaml": GATES, "slipway/policy.yaml": POLICY, ...files })) write(path, text);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=kim", "-c", "user.email=kim@localhost", ...args], { cwd: root, encoding: "utf8" });
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message=start");
  const env = { PATH: process.env["PATH"], HOME: home, XDG_CONFIG_HOME: join(home, "config"), XDG_STATE_HOME: join(home, "state") };
  const open = async (more: Partial<OpenAt> = {}) => {
    const opened = await openKernelAt({ cwd: root, env, askTrust: trustAnything, ...more });
    onTestFinished(() => opened.close());
    return opened;
  };
  return { home, root, env, write, git, open };
}

describe("a repository that stays open", () => {
  test("has one kernel as long as its configuration is the same, and another one after a commit to it", async () => {
    const { open, write, git } = place();
    const check = vi.fn(async () => undefined);
    const opened = await open({ check });
    const first = await opened.kernel();
    write("other.txt", "x");
    git("add", "--all");
    git("commit", "--quiet", "--message=other");
    expect(await opened.kernel()).toBe(first);
    write("slipway/policy.yaml", POLICY.replace("[slipway]", "[slipway, docs]"));
    expect(await opened.kernel()).toBe(first);
    git("commit", "--quiet", "--all", "--message=policy");
    expect((await opened.kernel()).configuration.policy.protected_areas).toEqual(["slipway", "docs"]);
    expect(check).toHaveBeenCalledTimes(2);
  });

  test("is not opened when its files do not pass the caller's own check", async () => {
    const check = () => Promise.reject(new Error("no"));
    await expect(place().open({ check })).rejects.toThrow("no");
  });

  test("is not opened when gates could read the keys", async () => {
    const { open } = place({ "slipway/policy.yaml": `${POLICY}sandbox: { read_only: ["~"] }\n`.replace('"~"', '"~/config/slipway/"') });
    await expect(open()).rejects.toMatchObject({ code: "config_invalid", details: { field: "/sandbox/read_only/0" } });
  });

  test("whose database was put back to an older copy is not opened", async () => {
    const { root, env, home } = place();
    const options = { cwd: root, env, askTrust: trustAnything, unsandboxed: { reason: "first", by: "kim" } };
    await (await openKernelAt(options)).close();
    cpSync(layoutAt(root).truth, join(home, "older"), { recursive: true });
    await (await openKernelAt({ ...options, unsandboxed: { reason: "second", by: "kim" } })).close();
    rmSync(layoutAt(root).truth, { recursive: true });
    cpSync(join(home, "older"), layoutAt(root).truth, { recursive: true });
    await expect(openKernelAt(options)).rejects.toMatchObject({ code: "journal_broken" });
  });

  test("records who let its gates go without a sandbox, and why", async () => {
    const { open } = place();
    const { records, kernel } = await open({ unsandboxed: { reason: "no user namespaces", by: "kim" } });
    const { events } = await readPage(records.database.db, REPOSITORY_STREAM);
    expect(events.map(({ name, payload }) => [name, JSON.parse(payload) as unknown])).toEqual([
      ["sandbox.override", expect.objectContaining({ event: { run_id: "mcp", reason: "no user namespaces", by: "kim" } })],
    ]);
    expect((await kernel()).configuration.policy.version).toBe(1);
  });
});

describe("what a killed process left", () => {
  /** A temporary index of a process that is gone. */
  function leaveBehind(root: string): string {
    const left = join(root, ".git", "slipway", "tmp", "999999999-index");
    mkdirSync(left, { recursive: true });
    return left;
  }

  test("is mended, unless a supervisor is at work", async () => {
    const { open, root } = place();
    const { records } = await open();
    const lease = openRunLease(records);
    await lease.take("run-1");
    const left = leaveBehind(root);
    await open();
    expect(existsSync(left)).toBe(true);
    await lease.release();
    await open();
    expect(existsSync(left)).toBe(false);
  });
});

describe("the configuration that counts", () => {
  test("is the committed one", async () => {
    const { root, env, git, write } = place();
    git("rm", "--quiet", "--cached", "slipway/gates.yaml");
    git("commit", "--quiet", "--message=without");
    await expect(openKernelAt({ cwd: root, env })).rejects.toMatchObject({
      code: "config_missing",
      message: expect.stringContaining("not committed"),
    });
    rmSync(join(root, "slipway/gates.yaml"));
    await expect(openKernelAt({ cwd: root, env })).rejects.toMatchObject({ code: "config_missing" });
    write("slipway/gates.yaml", GATES);
  });

  test("is of a branch that exists", async () => {
    const { open } = place({ "slipway/policy.yaml": POLICY.replace("base_branch: main", "base_branch: trunk") });
    await expect(open()).rejects.toMatchObject({ code: "config_invalid", details: { field: "worktree.base_branch" } });
  });
});

test("without any variable, what must not be in the repository is below the home folder", () => {
  expect(placesIn({ HOME: "/home/kim" })).toEqual({ configHome: "/home/kim/.config", stateHome: "/home/kim/.local/state/slipway" });
  expect(placesIn({}).configHome).toMatch(/\.config$/);
});
