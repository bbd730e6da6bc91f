import { spawnSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchRow } from "@slipway/durable/bench/durable";

/** An unused user id on most machines. */
const ORDINARY_USER = 4242;

/** A group of figures measured again as an ordinary user, if this process is root. */
export function asOrdinaryUser(group: string): BenchRow[] {
  if (process.getuid?.() !== 0) return [];
  const home = mkdtempSync(join(tmpdir(), "slipway-bench-user-"));
  chownSync(home, ORDINARY_USER, ORDINARY_USER);
  const { stdout, stderr } = spawnSync(process.execPath, [...process.execArgv, join(import.meta.dirname, "group.ts"), group], {
    uid: ORDINARY_USER,
    gid: ORDINARY_USER,
    cwd: "/",
    env: { PATH: process.env["PATH"], HOME: home, TMPDIR: home },
    encoding: "utf8",
  });
  rmSync(home, { recursive: true, force: true });
  if (!stdout.startsWith("[")) {
    const value = `not measured: ${stderr.trim().split("\n").at(-1)}`;
    return [{ what: `${group}, as an ordinary user`, value, ratio: null, bar: "", ok: true }];
  }
  return (JSON.parse(stdout) as BenchRow[]).map((row) => ({ ...row, what: `${row.what}, as an ordinary user` }));
}
