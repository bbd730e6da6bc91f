import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemHost } from "./host.ts";

const onLinux = test.skipIf(process.platform !== "linux");

test("this process is alive and always has the same identity", () => {
  const host = systemHost();
  expect(host.pid).toBe(process.pid);
  expect(systemHost()).toMatchObject({ host: host.host, startedAt: host.startedAt });
  expect(host.isDead(host)).toBe(false);
});

onLinux("a process that has ended is dead, also before its parent has noticed", async () => {
  const host = systemHost();
  const child = spawn("sleep", ["60"]);
  await once(child, "spawn");
  const pid = Number(child.pid);
  const alive = { host: host.host, pid, startedAt: "" };
  expect(host.isDead(alive)).toBe(false);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(host.isDead(alive)).toBe(true);
});

onLinux("another process with the same pid is not the same process", () => {
  const host = systemHost();
  expect(host.startedAt).toMatch(/^\d+$/);
  expect(host.isDead({ ...host, startedAt: "1" })).toBe(true);
});

test("a process on another host never counts as dead", () => {
  expect(systemHost().isDead({ host: "elsewhere", pid: 2 ** 22 + 1, startedAt: "1" })).toBe(false);
});

test("without /proc the existence of the pid decides", () => {
  const host = systemHost("/nonexistent");
  expect(host).toMatchObject({ host: hostname(), startedAt: "" });
  expect(host.isDead({ host: host.host, pid: process.pid, startedAt: "1" })).toBe(false);
  expect(host.isDead({ host: host.host, pid: 2 ** 22 + 1, startedAt: "" })).toBe(true);
});

test("a zombie is dead; another user's or an unreadable process is not", () => {
  const proc = mkdtempSync(join(tmpdir(), "slipway-proc-"));
  for (const folder of ["1", String(process.pid), "self/ns", "sys/kernel/random"]) mkdirSync(join(proc, folder), { recursive: true });
  writeFileSync(join(proc, "sys/kernel/random/boot_id"), "boot\n");
  symlinkSync("pid:[1]", join(proc, "self/ns/pid"));
  const stat = (state: string) =>
    `${process.pid} (a (strange) name) ${state} ${Array.from({ length: 18 }, (_, index) => index).join(" ")} 4711 0`;
  writeFileSync(join(proc, String(process.pid), "stat"), stat("S"));
  writeFileSync(join(proc, "1", "stat"), "");
  const host = systemHost(proc);
  expect(host).toMatchObject({ host: `${hostname()}/boot/pid:[1]`, startedAt: "4711" });
  expect(host.isDead(host)).toBe(false);
  expect(host.isDead({ ...host, pid: 1 })).toBe(false);
  writeFileSync(join(proc, String(process.pid), "stat"), stat("Z"));
  expect(host.isDead(host)).toBe(true);
});
