import { spawn } from "node:child_process";
import { describe, expect, it } from "vitest";
import { runInBubblewrap } from "./bubblewrap.ts";
import type { Sandbox } from "./contract.ts";
import { probeSandbox } from "./probe.ts";
import { leaveDaemon } from "./self-test.ts";
import { tryShownSockets } from "./socket-probe.ts";
import { sandboxWorksHere, scratchFolder } from "./testing/scratch.ts";

const notStopped = { signal: null, timedOut: false, aborted: false, limit: null, durationMs: 0 };

it("notices a daemon that outlives its command", async () => {
  const open: Sandbox = {
    kind: "none",
    run: ({ command: [file = "", ...args], worktree }) =>
      new Promise((resolve) => {
        const child = spawn(file, args, { cwd: worktree, stdio: "ignore" });
        child.once("exit", (exitCode) => resolve({ exitCode, ...notStopped }));
      }),
  };
  expect(await leaveDaemon(open, scratchFolder())).toMatchObject({ passed: false, detail: "exit code 0: it lived on" });
});

describe.skipIf(!sandboxWorksHere())("B18: sockets in shown folders", () => {
  it("the self-test reaches them where nothing closes them, and names the overlays as missing where it does", async () => {
    const { host, layers, probes, missing } = await probeSandbox();
    if (host === null) throw new Error("no sandbox");
    const open = (veils: boolean): Sandbox => ({
      kind: "bubblewrap",
      run: (request) => runInBubblewrap(request, { ...host, veils }, { hidden: { closed: [], neverWhole: [] } }),
    });
    expect(await tryShownSockets(open(false))).toMatchObject({ passed: false, detail: "a daemon's socket was reached" });
    const closed = await tryShownSockets(open(host.veils));
    // Both are overlays.
    expect([closed.passed, host.veils]).toEqual([layers, layers]);
    expect((host.veils ? probes : missing).map(({ name }) => name)).toContain(closed.name);
  });
});
