import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "@slipway/kernel/host/sandbox/testing/scratch";
import { describe, expect, test } from "vitest";
import { programsOf } from "./machine.ts";
import { missingAmong } from "./missing.ts";
import { requireTool } from "./require-tool.ts";
import { filesIn, inCopy } from "./work-folder.ts";

function program(...parts: readonly string[]): void {
  const path = join(...parts);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, "#!/bin/sh\n", { mode: 0o755 });
}

describe("the programs of a machine", () => {
  test("are those on PATH and in the node_modules that are named, before the system's", async () => {
    const folder = scratchFolder();
    program(folder, "bin", "tool");
    program(folder, "node_modules", ".bin", "tool");
    program(folder, "system", "other");
    const machine = {
      env: { PATH: join(folder, "bin"), HOME: folder },
      packages: [join(folder, "node_modules")],
      system: [join(folder, "system")],
    };
    const programs = await programsOf(machine);
    expect(programs.find("tool")).toBe(join(folder, "node_modules", ".bin", "tool"));
    expect(programs.find("other")).toBe(join(folder, "system", "other"));
    expect(programs.find("missing")).toBeNull();
    expect(programs.shownFor("missing")).toEqual([]);
  });

  test("have rustup's default toolchain instead of its proxies, which need files that the sandbox hides", async () => {
    const folder = scratchFolder();
    program(folder, ".cargo", "bin", "rustup");
    program(folder, ".cargo", "bin", "cargo");
    program(folder, ".rustup", "toolchains", "stable-x", "bin", "cargo");
    writeFileSync(join(folder, ".rustup", "settings.toml"), 'version = "12"\ndefault_toolchain = "stable-x"\n');
    const env = { PATH: join(folder, ".cargo", "bin"), HOME: folder };
    const programs = await programsOf({ env, system: [] });
    expect(programs.find("cargo")).toBe(join(folder, ".rustup", "toolchains", "stable-x", "bin", "cargo"));
    expect(programs.shownFor("cargo")).toEqual([join(folder, ".rustup", "toolchains", "stable-x")]);
    expect((await programsOf({ env: { ...env, RUSTUP_TOOLCHAIN: "gone" }, system: [] })).find("cargo")).toBeNull();
  });

  test("a cargo without rustup is used as it is", async () => {
    const folder = scratchFolder();
    program(folder, "own", "bin", "cargo");
    const programs = await programsOf({
      env: { PATH: join(folder, "own", "bin"), CARGO_HOME: join(folder, "own"), HOME: folder },
      system: [],
    });
    expect(programs.find("cargo")).toBe(join(folder, "own", "bin", "cargo"));
  });
});

describe("a wanted tool", () => {
  const tool = { tool: "x", neededFor: "tests", install: "install it" };
  const machine = { env: { PATH: "", HOME: "/nonexistent" }, system: [] };

  test("is missing if its program or its files are", async () => {
    const wanted = [
      { ...tool, program: "x" },
      { ...tool, program: () => false },
      { ...tool, tool: "y", program: () => true },
    ];
    expect(await missingAmong(wanted, machine)).toEqual([tool, tool]);
  });

  test("[CRI-186] is named by the error, with how to install it", async () => {
    await expect(requireTool(machine, { ...tool, program: "x" })).rejects.toMatchObject({
      code: "tool_missing",
      message: "x is not installed. It is needed for tests.",
      details: { tool: "x", suggested_next_actions: ["install it"] },
    });
    await expect(requireTool(machine, { ...tool, program: () => false })).resolves.toBeUndefined();
  });
});

describe("the copy of a project", () => {
  test("has its files and links, and not what tools have made", async () => {
    const folder = scratchFolder();
    for (const path of ["src/a.py", "node_modules/x/y.js", "src/__pycache__/a.pyc", ".git/config", "target/debug/a"]) {
      mkdirSync(join(folder, path, ".."), { recursive: true });
      writeFileSync(join(folder, path), path);
    }
    symlinkSync("/etc/passwd", join(folder, "link"));
    expect(await inCopy(folder, (copy) => Promise.resolve(filesIn(copy)))).toEqual(["src/a.py"]);
  });

  test("of a tree cannot write outside it", async () => {
    await expect(inCopy({ "../out.txt": "x" }, () => Promise.resolve())).rejects.toThrow();
    await expect(inCopy({ "/etc/out.txt": "x" }, () => Promise.resolve())).rejects.toThrow();
  });
});
