import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { readProcess } from "../sandbox/process-table.ts";
import { makeTemporaryFolder, removeAbandonedFolders } from "./temporary-folder.ts";

const namespace = /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "";

function folderNamed(name: string): string {
  const path = join(tmpdir(), name);
  mkdirSync(join(path, "deep"), { recursive: true });
  writeFileSync(join(path, "deep", "file"), "text");
  return path;
}

async function endedProcess(): Promise<{ pid: number; start: string }> {
  const child = spawn(process.execPath, ["--eval", "process.stdin.resume()"], { stdio: ["pipe", "ignore", "ignore"] });
  await once(child, "spawn");
  const pid = child.pid ?? 0;
  const start = readProcess(pid)?.start ?? "";
  child.kill("SIGKILL");
  await once(child, "exit");
  return { pid, start };
}

test("a folder of a process that was killed is removed, with what is in it", async () => {
  const { pid, start } = await endedProcess();
  const left = folderNamed(`slipway-test-${pid}.${start}.${namespace}-abc123`);
  await removeAbandonedFolders();
  expect(existsSync(left)).toBe(false);
});

test("a folder of a running process stays", async () => {
  const folder = await makeTemporaryFolder("test");
  await removeAbandonedFolders();
  expect(readdirSync(tmpdir())).toContain(basename(folder));
});

test("a folder whose process had the pid of a later one is removed", async () => {
  const left = folderNamed(`slipway-test-${process.pid}.1.${namespace}-abc123`);
  await removeAbandonedFolders();
  expect(existsSync(left)).toBe(false);
});

test("a folder of another pid namespace stays, because its processes cannot be seen", async () => {
  const { pid, start } = await endedProcess();
  const other = folderNamed(`slipway-test-${pid}.${start}.17-abc123`);
  await removeAbandonedFolders();
  expect(existsSync(other)).toBe(true);
});

test("names that this function did not make, and links, stay", async () => {
  const { pid, start } = await endedProcess();
  const [plain, target] = [folderNamed(`slipway-test-notes`), folderNamed(`slipway-target-${pid}`)];
  const link = join(tmpdir(), `slipway-test-${pid}.${start}.${namespace}-link12`);
  symlinkSync(target, link);
  await removeAbandonedFolders();
  expect([plain, target, link].map((path) => existsSync(path))).toEqual([true, true, true]);
});
