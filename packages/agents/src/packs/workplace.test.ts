import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openSandbox } from "@slipway/kernel/host/sandbox/sandbox";
import { sandboxWorksHere } from "@slipway/kernel/host/sandbox/testing/scratch";
import { unsandboxed } from "@slipway/kernel/host/sandbox/unsandboxed";
import { beforeAll, describe, expect, test } from "vitest";
import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import type { NativeTool } from "../tools/native-tools.ts";
import { ALL, packYard, write, type PackYard } from "./testing/repository.ts";
import { workplaceIn } from "./workplace.ts";

let yard: PackYard;
beforeAll(async () => void (yard = await packYard({ "src/a.txt": "one\n", "docs/b.txt": "two\n" })));

describe.runIf(sandboxWorksHere())("a command in the workplace", () => {
  let sandbox: Sandbox;
  beforeAll(async () => void (sandbox = await openSandbox()));

  async function run(line: string, tools?: readonly NativeTool[], timeoutMs = 20_000) {
    const pack = await yard.open([ALL, write("src/a.txt")]);
    const { exec, folder } = workplaceIn(pack, async () => sandbox, tools);
    return { ...(await exec!(line, { timeoutMs })), folder, pack };
  }

  test("sees the files of the pack and changes those of writable folders", async () => {
    const { exit_code, output, folder } = await run("cat docs/b.txt; echo new > src/a.txt; exit 4");
    expect({ exit_code, output }).toEqual({ exit_code: 4, output: "two\n" });
    expect(readFileSync(join(folder, "src/a.txt"), "utf8")).toBe("new\n");
  });

  test("cannot change the others", async () => {
    const { exit_code, folder } = await run("echo x > docs/new.txt");
    expect(exit_code).not.toBe(0);
    expect(existsSync(join(folder, "docs/new.txt"))).toBe(false);
  });

  test("cannot change anything for a role without a tool that does", async () => {
    const { exit_code, folder, pack } = await run("echo x > src/a.txt", ["read", "grep"]);
    expect(exit_code).not.toBe(0);
    expect(readFileSync(join(folder, "src/a.txt"), "utf8")).toBe("one\n");
    expect((await pack.changes()).diff).toBe("");
  });

  test("has no network", async () => {
    const { output } = await run(
      "node -e \"require('net').connect(9, '127.0.0.1').on('error', (e) => console.log(e.code)); fetch('http://192.0.2.1').catch((e) => console.log(e.cause.code))\"",
    );
    expect(output).toMatch(/ENETUNREACH/);
  });

  test("ends at its time, and its output at 20,000 characters", async () => {
    const slow = await run("echo begun; sleep 60", undefined, 1_000);
    expect(slow).toMatchObject({ exit_code: null, output: "begun\n\n[stopped after 1 seconds]" });
    const long = await run("yes 0123456789 | head -n 10000; echo done >&2");
    expect(long.exit_code).toBe(0);
    expect(long.output.length).toBeLessThan(20_100);
    expect(long.output).toMatch(/^\[the beginning is cut off\]\n/);
    expect(long.output).toContain("done");
  });
});

test("without a sandbox no command of a model is run", async () => {
  const pack = await yard.open([ALL, write("src/a.txt")], { links: false });
  const { exec } = workplaceIn(pack, async () => unsandboxed({ reason: "test", by: "kim" }));
  await expect(exec!("echo x > src/a.txt", { timeoutMs: 1_000 })).rejects.toMatchObject({ code: "sandbox_unavailable" });
  expect((await pack.changes()).diff).toBe("");
});
