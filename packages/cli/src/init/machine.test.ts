import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Io } from "@slipway/protocols/surface/io";
import { expect, onTestFinished, test } from "vitest";
import { machineOf } from "./machine.ts";

function scene() {
  const folder = mkdtempSync(join(tmpdir(), "slipway-machine-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const path of ["root", "bin", "home"]) mkdirSync(join(folder, path));
  for (const path of ["root/own.sh", "bin/tool"]) {
    writeFileSync(join(folder, path), "#!/bin/sh\n");
    chmodSync(join(folder, path), 0o755);
  }
  symlinkSync(join(folder, "bin/tool"), join(folder, "bin/alias"));
  symlinkSync(join(folder, "bin/tool"), join(folder, "root/linked.sh"));
  writeFileSync(join(folder, "root/text"), "");
  const env = { PATH: join(folder, "bin"), HOME: join(folder, "home") };
  return {
    folder,
    machine: machineOf({ env } as unknown as Io, join(folder, "root")),
    bare: machineOf({ env: {} } as unknown as Io, folder),
  };
}

test("a program is found on PATH with its real place, one of the repository only if it leads out of it", () => {
  const { folder, machine, bare } = scene();
  expect(machine.locate("alias")).toEqual([join(folder, "bin/alias"), join(folder, "bin/tool")]);
  expect(machine.locate("./own.sh")).toEqual([]);
  expect(machine.locate("./linked.sh")).toEqual([join(folder, "bin/tool")]);
  expect([machine.locate("./text"), machine.locate("nothing"), bare.locate("tool")]).toEqual([[], [], []]);
});
