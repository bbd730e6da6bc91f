import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sandbox } from "./contract.ts";
import { ESCAPE_SCRIPT, type Attempts } from "./escape-script.ts";
import type { SandboxHost } from "./host.ts";
import { judge, whyNot, type Probe } from "./probe-result.ts";
import { someProcessNamed } from "./process-table.ts";
import { tryWalls } from "./wall-probes.ts";

const CANARY_VARIABLE = "SLIPWAY_SANDBOX_CANARY";
const RUN_TIMEOUT_MS = 20_000;

/** Puts canaries outside, tries to reach them from inside, and checks the result from outside. */
export async function tryEscapes(sandbox: Sandbox, host: SandboxHost): Promise<Probe[]> {
  const scratch = await realpath(await mkdtemp(join(tmpdir(), "slipway-probe-")));
  const canary = `canary-${randomBytes(12).toString("hex")}`;
  const listeners = await listen(scratch, canary);
  // A host process with the canary in its environment and arguments. It reads stdin, so that it ends when we do.
  const neighbour = spawn("cat", [], {
    argv0: canary,
    env: { PATH: "/usr/bin:/bin", [CANARY_VARIABLE]: canary },
    stdio: ["pipe", "ignore", "ignore"],
  });
  process.env[CANARY_VARIABLE] = canary;
  try {
    const [reachedOut, leftBehind, walls] = await Promise.all([
      reachOut(sandbox, scratch, canary, listeners),
      leaveDaemon(sandbox, scratch),
      tryWalls(sandbox, host, scratch),
    ]);
    return [...reachedOut, leftBehind, ...walls];
  } finally {
    delete process.env[CANARY_VARIABLE];
    neighbour.kill("SIGKILL");
    for (const { server } of listeners.all) server.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

async function reachOut(sandbox: Sandbox, scratch: string, canary: string, listeners: Listeners): Promise<Probe[]> {
  const worktree = join(scratch, "worktree");
  await mkdir(worktree);
  await writeFile(join(worktree, ".git"), canary);
  const target = { canary, outside: join(scratch, "outside"), port: listeners.port, sockets: listeners.sockets };
  let output = "";
  const outcome = await sandbox.run({
    worktree,
    command: ["node", "-e", ESCAPE_SCRIPT, JSON.stringify(target)],
    timeoutMs: RUN_TIMEOUT_MS,
    onOutput: (_, chunk) => (output += Buffer.from(chunk).toString("utf8")),
  });
  const attempts = readAttempts(output);
  if (attempts === null) return [{ name: "a command runs", passed: false, detail: whyNot(outcome, output) }];
  const gitAfter = await readFile(join(worktree, ".git"), "utf8");
  return [
    { name: "a command runs", passed: existsSync(join(worktree, "inside")), detail: "and can write its worktree" },
    judge("no variable of the host is inherited", attempts.variable),
    judge("no environment of a host process can be read", attempts.environment),
    judge("no host process is seen", attempts.process),
    judge("nothing outside the worktree can be written", existsSync(target.outside) || attempts.systemFile),
    judge("no password file of the host can be read", attempts.shadow),
    judge(".git can neither be read nor written", attempts.git || gitAfter !== canary),
    judge("no TCP port of the host is reached", attempts.tcp || listeners.reached("tcp")),
    judge("no socket of the host is reached", attempts.socket || attempts.runFolder || listeners.reached("socket")),
    judge("the command is not root and has no capability", attempts.privileged),
  ];
}

/** Looks for the daemon among the processes of the machine. Where it lives on, it ends when the scratch folder is removed. */
export async function leaveDaemon(sandbox: Sandbox, scratch: string): Promise<Probe> {
  const worktree = join(scratch, "daemon");
  const mark = `slipway-daemon-${randomBytes(12).toString("hex")}`;
  await mkdir(worktree);
  const daemon = "echo up > up; while [ -e up ]; do sleep 0.1; done";
  const script = `setsid sh -c '${daemon}' ${mark} >/dev/null 2>&1 </dev/null & while [ ! -s up ]; do sleep 0.01; done`;
  const outcome = await sandbox.run({ worktree, command: ["sh", "-c", script], timeoutMs: RUN_TIMEOUT_MS });
  const passed = outcome.exitCode === 0 && existsSync(join(worktree, "up")) && !someProcessNamed(mark);
  return { name: "a daemon dies with its command", passed, detail: passed ? "held" : whyNot(outcome, "it lived on") };
}

/** Checks that a command writes to the layer and not to its worktree. */
export async function tryLayer(sandbox: Sandbox): Promise<Probe> {
  const scratch = await realpath(await mkdtemp(join(tmpdir(), "slipway-probe-")));
  const [worktree, layer] = [join(scratch, "worktree"), join(scratch, "layer")];
  try {
    await Promise.all([mkdir(worktree), mkdir(layer, { mode: 0o700 })]);
    await writeFile(join(worktree, "file"), "before");
    const command = ["sh", "-c", "echo after > file && echo new > made"];
    const outcome = await sandbox.run({ worktree, layer, command, git: "none", timeoutMs: RUN_TIMEOUT_MS });
    const untouched = (await readFile(join(worktree, "file"), "utf8")) === "before" && !existsSync(join(worktree, "made"));
    const passed = outcome.exitCode === 0 && untouched;
    return { name: "layers over a worktree", passed, detail: passed ? "held" : whyNot(outcome, "it is") };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

interface Listeners {
  readonly all: readonly { readonly server: Server }[];
  readonly port: number;
  readonly sockets: readonly string[];
  reached(kind: "tcp" | "socket"): boolean;
}

/** A TCP port, a socket below the temporary folder, and an abstract one. */
async function listen(scratch: string, canary: string): Promise<Listeners> {
  const reached = new Set<string>();
  const open = (kind: "tcp" | "socket", address: string | number) =>
    new Promise<{ server: Server; address: string | number } | null>((resolve) => {
      const server = createServer((socket) => {
        reached.add(kind);
        socket.destroy();
      });
      server.once("error", () => resolve(null));
      const ready = () => resolve({ server: server.unref(), address: portOf(server) ?? address });
      if (typeof address === "number") server.listen(address, "127.0.0.1", ready);
      else server.listen(address, ready);
    });
  const paths = [join(scratch, "host.sock"), `\0${canary}`];
  const opened = await Promise.all([open("tcp", 0), ...paths.map((path) => open("socket", path))]);
  const all = opened.filter((listener) => listener !== null);
  const addresses = all.map(({ address }) => address);
  return {
    all,
    port: addresses.find((address) => typeof address === "number") ?? 0,
    sockets: addresses.filter((address) => typeof address === "string"),
    reached: (kind) => reached.has(kind),
  };
}

function portOf(server: Server): number | null {
  const address = server.address();
  return typeof address === "object" ? (address?.port ?? null) : null;
}

function readAttempts(output: string): Attempts | null {
  const line = output.split("\n").find((text) => text.startsWith("{"));
  return line === undefined ? null : (JSON.parse(line) as Attempts);
}
