import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Sandbox } from "./contract.ts";
import { openSandbox } from "./sandbox.ts";
import { runNode, runShell, sandboxWorksHere, scratchFolder } from "./testing/scratch.ts";
import { unsandboxed } from "./unsandboxed.ts";

/** A worktree with files, in a folder with special characters for mount. */
function place(): { worktree: string; layer: string } {
  const folder = scratchFolder();
  const worktree = join(folder, "a,b:c\\d upperdir=x");
  const layer = join(folder, "layer");
  mkdirSync(join(worktree, "src"), { recursive: true });
  mkdirSync(layer, { mode: 0o700 });
  writeFileSync(join(worktree, ".git"), "gitdir: /elsewhere\n");
  writeFileSync(join(worktree, "src", "main.js"), "original\n");
  writeFileSync(join(worktree, "kept"), "kept\n");
  return { worktree, layer };
}

describe.skipIf(!sandboxWorksHere())("a layer", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await openSandbox();
    expect(sandbox.layers).toBe(true);
  });

  it("receives what a command writes, removes and renames, and the worktree does not change", async () => {
    const { worktree, layer } = place();
    const script = "cat src/main.js; echo new > src/main.js; echo x > made; rm kept; mv src lib; cat lib/main.js; ls; chmod 700 .";
    const ran = await runShell(sandbox, worktree, script, { layer });
    expect(ran).toMatchObject({ exitCode: 0, stderr: "", stdout: "original\nnew\nlib\nmade\n" });
    expect(readdirSync(worktree).toSorted()).toEqual([".git", "kept", "src"]);
    expect(readFileSync(join(worktree, "src", "main.js"), "utf8")).toBe("original\n");
    expect(readFileSync(join(layer, "upper", "lib", "main.js"), "utf8")).toBe("new\n");
    expect(statSync(join(layer, "upper", "kept")).isCharacterDevice()).toBe(true);
    expect(statSync(join(layer, "upper", "made")).uid).toBe(process.getuid?.());
    // Contains nothing that only root could remove.
    expect(readdirSync(layer)).toEqual(["upper"]);
  });

  it("shows the worktree with its own mode", async () => {
    const { worktree, layer } = place();
    chmodSync(worktree, 0o750);
    expect((await runShell(sandbox, worktree, "stat -c %a .", { layer })).stdout).toBe("750\n");
  });

  it("is below all other mounts in the worktree, and no mount point is created in the worktree", async () => {
    const { worktree, layer } = place();
    const [cache, reports] = [scratchFolder(), scratchFolder()];
    writeFileSync(join(cache, "module.js"), "cached\n");
    const ran = await runShell(
      sandbox,
      worktree,
      "cat deep/cache/module.js; echo x > deep/cache/y; echo pass > out/reports/r.xml; rm -rf out/reports; mv out/reports z; echo own > src/x; echo x > main; cat .git; rm -f .git; cd src && echo x > y",
      {
        layer,
        shared: [{ from: cache, to: "deep/cache" }],
        outputs: [{ from: reports, to: "out/reports" }],
        folders: [{ path: "src", writable: false }],
      },
    );
    expect(ran.stdout).toBe("cached\n");
    expect(ran.stderr).toMatch(/deep\/cache\/y: Read-only[^]*cannot remove 'out\/reports'[^]*cannot move[^]*src\/x: Read-only/);
    expect(readdirSync(cache)).toEqual(["module.js"]);
    expect(readdirSync(reports)).toEqual([]);
    expect(readdirSync(worktree).toSorted()).toEqual([".git", "kept", "src"]);
    expect(readFileSync(join(layer, "upper", "main"), "utf8")).toBe("x\n");
  });

  it("works without a .git, and hides one that the command creates", async () => {
    const folder = scratchFolder();
    const [worktree, layer] = [join(folder, "worktree"), join(folder, "layer")];
    for (const made of [worktree, layer]) mkdirSync(made);
    expect((await runShell(sandbox, worktree, "git init -q . ; cat .git; echo x > a", { layer })).stdout).toBe("");
    expect(readdirSync(worktree)).toEqual([]);
  });

  it("counts towards the disk limit, also removed files that are still open", async () => {
    const script = (tail: string) => `
      const fs = require("node:fs");
      const file = fs.openSync("big", "w");
      ${tail}
      for (let round = 0; round < 200; round++) { fs.writeSync(file, Buffer.alloc(1e6, round + 1)); fs.fsyncSync(file); }
      setTimeout(() => undefined, 15_000);`;
    for (const tail of ["", 'fs.unlinkSync("big");']) {
      const { worktree, layer } = place();
      const ran = await runNode(sandbox, worktree, script(tail), { layer, limits: { diskBytes: 30_000_000 } });
      expect(ran).toMatchObject({ limit: "disk", exitCode: null });
    }
  });

  it.each([
    ["a relative path", () => "layer"],
    ["a folder that does not exist", () => "/no/such/layer"],
    ["a file", () => "/etc/hostname"],
  ])("%s is refused", async (_, layer) => {
    await expect(runShell(sandbox, scratchFolder(), "true", { layer: layer() })).rejects.toMatchObject({ code: "input_path_not_found" });
  });

  it("a link on the way to a mount point, and a file in place of a folder, are refused", async () => {
    const { worktree, layer } = place();
    symlinkSync("/etc", join(worktree, "out"));
    for (const to of ["out/reports", "out", "kept", ".."])
      await expect(runShell(sandbox, worktree, "true", { layer, outputs: [{ from: scratchFolder(), to }] }), to).rejects.toMatchObject({
        code: "path_out_of_bounds",
      });
    expect(existsSync("/etc/reports")).toBe(false);
  });

  it("a layer inside the worktree, or around it, is refused", async () => {
    const { worktree } = place();
    for (const layer of [join(worktree, "src"), worktree, dirname(worktree)])
      await expect(runShell(sandbox, worktree, "true", { layer })).rejects.toMatchObject({ code: "path_out_of_bounds" });
    expect(readdirSync(worktree).toSorted()).toEqual([".git", "kept", "src"]);
  });
});

describe.skipIf(!sandboxWorksHere())("outputs without a layer", () => {
  it("go to the given folders, and nothing is left in the worktree", async () => {
    const [worktree, reports] = [scratchFolder(), scratchFolder()];
    const script = "echo pass > out/reports/r.xml; mv out/reports x; rm -rf out; ls out/reports";
    const ran = await runShell(await openSandbox(), worktree, script, { outputs: [{ from: reports, to: "out/reports" }] });
    expect(ran.stderr).toMatch(/cannot move[^]*cannot remove/);
    expect(readdirSync(worktree)).toEqual([]);
  });

  it("and layers are refused without a sandbox", async () => {
    const none = unsandboxed({ reason: "a test", by: "the test" });
    expect(none.layers ?? false).toBe(false);
    await expect(runShell(none, scratchFolder(), "true", { layer: scratchFolder() })).rejects.toMatchObject({
      code: "sandbox_unavailable",
    });
    await expect(runShell(none, scratchFolder(), "true", { outputs: [{ from: scratchFolder(), to: "x" }] })).rejects.toMatchObject({
      code: "sandbox_unavailable",
    });
  });
});
