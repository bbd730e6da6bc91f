import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const CLI = join(import.meta.dirname, "..", "packages", "cli", "bin", "slipway.mjs");
const home = realpathSync(mkdtempSync(join(tmpdir(), "slipway-demo-test-")));
const env = {
  PATH: process.env["PATH"],
  HOME: home,
  XDG_CONFIG_HOME: join(home, "config"),
  XDG_STATE_HOME: join(home, "state"),
  USER: "kim",
};

/** A network namespace with nothing in it, not even loopback. */
const OFFLINE = process.getuid?.() === 0 ? ["unshare", "--net"] : ["unshare", "--map-root-user", "--net"];
const canGoOffline = spawnSync(OFFLINE[0] ?? "", [...OFFLINE.slice(1), "true"]).status === 0;
if (!canGoOffline) console.log("skipped: this machine cannot make a network namespace, so nothing can be shown offline");

test.skipIf(!canGoOffline)(
  "[FEA-006] [FEA-009] without any network, the demo brings a specification to a merged commit and stays off the user's branch",
  () => {
    const folder = join(home, "repository");
    const [command = "", ...prefix] = OFFLINE;
    const output = execFileSync(command, [...prefix, process.execPath, CLI, "demo", "--json", "--keep", folder], {
      cwd: home,
      env,
      encoding: "utf8",
    });
    const summary = JSON.parse(output.trim().split("\n").at(-1) ?? "") as Record<string, unknown>;
    const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, encoding: "utf8" }).trim();

    expect(summary).toMatchObject({
      status: "completed",
      merged: [{ feature_id: "bulk_discount", commit: git("rev-parse", "main"), tree: git("rev-parse", "main^{tree}") }],
      checks: { passed: 6, failed: 2 },
      journal: { events: expect.any(Number), head: expect.stringMatching(/^[0-9a-f]{64}$/) },
      elapsed_ms: expect.any(Number),
    });
    expect(git("symbolic-ref", "HEAD")).toBe("refs/heads/main");
    expect(git("status", "--porcelain")).toBe("");
    expect(git("worktree", "list", "--porcelain").match(/^branch .*/gm)).toEqual([
      "branch refs/heads/main",
      "branch refs/heads/bulk_discount",
    ]);
    expect(existsSync(join(folder, "src", "quote.ts"))).toBe(true);
    expect(output).not.toContain("was recorded for another prompt");
  },
);
