import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Sandbox } from "./contract.ts";
import { tryLimits } from "./limit-probes.ts";
import { openSandbox } from "./sandbox.ts";
import { runCommand, runNode, runShell, sandboxWorksHere, scratchFolder } from "./testing/scratch.ts";

const MiB = 1024 ** 2;
const WAITS = "setTimeout(() => {}, 19000);";

describe.skipIf(!sandboxWorksHere() || !existsSync("/usr/bin/perl"))("limits that a command tries to pass", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await openSandbox();
  });

  it("files in memory count as memory, over all folders together", async () => {
    const script = "for d in /tmp /var/tmp /dev/shm $HOME; do head -c 60M /dev/zero > $d/x; done; sleep 19";
    expect((await runShell(sandbox, scratchFolder(), script, { limits: { memoryBytes: 200 * MiB } })).limit).toBe("memory");
  });

  it("so do empty files in memory", async () => {
    const script = 'for my $n (1 .. 60000) { open(my $file, ">", "/tmp/$n") } sleep(19)';
    const ran = await runCommand(sandbox, scratchFolder(), ["perl", "-e", script], { limits: { memoryBytes: 50 * MiB } });
    expect(ran.limit).toBe("memory");
  });

  it("memory behind a descriptor cannot be made", async () => {
    const numbers = process.arch === "arm64" ? [279, 447, 194] : [319, 447, 29];
    const script = `my $name = "x"; my ($memfd, $secret, $segment) = @ARGV;
      print join(" ", map { $_ < 0 ? "refused" : "made" } syscall($memfd, $name, 0), syscall($secret, 0), syscall($segment, 0, 1 << 20, 01600), syscall($segment, 0, 1 << 32, 01600), syscall($segment, 0, 100, 01600));`;
    const ran = await runCommand(sandbox, scratchFolder(), [
      "perl",
      "-e",
      script.replace("@ARGV", "map { $_ + 0 } @ARGV"),
      ...numbers.map(String),
    ]);
    expect(ran.stdout).toBe("refused refused refused refused made");
  });

  it("threads count over all processes, and the limit has their name", async () => {
    const script = `const { Worker } = require("node:worker_threads"); for (let n = 0; n < 12; n++) new Worker("setTimeout(() => {}, 19000)", { eval: true }); ${WAITS}`;
    const ran = await runNode(sandbox, scratchFolder(), script, { limits: { threads: 18 } });
    expect(ran.limit).toBe("threads");
  });

  const deep = `for (let n = 0; n < 40; n++) { fs.mkdirSync("a".repeat(200)); process.chdir("a".repeat(200)); }`;
  it.each([
    ["below the longest path", `${deep} const at = "x"`],
    ["under a name that is not text", `const at = Buffer.from([0x78, 0xff])`],
    ["in a closed folder", `fs.mkdirSync("closed"); const at = "closed/x"; setTimeout(() => fs.chmodSync("closed", 0), 1)`],
  ])("bytes %s count", async (_where, at) => {
    const [worktree, layer] = [scratchFolder(), scratchFolder()];
    const script = `${at}; const file = fs.openSync(at, "w"); const block = Buffer.alloc(1048576, 1); for (let n = 0; n < 80; n++) fs.writeSync(file, block); fs.fsyncSync(file); ${WAITS}`;
    expect((await runNode(sandbox, worktree, script, { layer, git: "none", limits: { diskBytes: 30 * MiB } })).limit).toBe("disk");
  });

  it("the number of files is limited", async () => {
    const script = 'for my $n (1 .. 3000) { open(my $file, ">", $n) } sleep(19)';
    const ran = await runCommand(sandbox, scratchFolder(), ["perl", "-e", script], { limits: { files: 1_000 } });
    expect(ran.limit).toBe("files");
  });

  it("the self-test tries each limit and says by which means it binds", async () => {
    const tried = await tryLimits(sandbox);
    expect(tried.filter(({ passed }) => !passed)).toEqual([]);
    const groups = sandbox.controlGroups === true ? ["by a control group"] : [];
    expect(new Set(tried.map(({ detail }) => detail))).toEqual(new Set(["counted from outside", "by the kernel", ...groups]));
  });

  it("sparse files cost no time after the command", async () => {
    const [worktree, layer] = [scratchFolder(), scratchFolder()];
    const ran = await runShell(sandbox, worktree, "for n in 1 2 3 4 5 6 7 8; do truncate -s 1900M $n; done", { layer, git: "none" });
    expect([ran.exitCode, existsSync(join(layer, "upper/8"))]).toEqual([0, true]);
  });
});
