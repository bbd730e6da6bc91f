import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { trustNow } from "@slipway/kernel/config/trust/testing/trust-anything";
import { policyYaml } from "@slipway/kernel/config/testing/samples";
import { sandboxWorksHere } from "@slipway/kernel/host/sandbox/testing/scratch";
import { PROGRAM } from "slipway/testing/program";
import { afterAll, describe, expect, test } from "vitest";
import { slipway } from "../bad-input/place.ts";
import { asUser, attackers, giveTo } from "./ordinary-user.ts";
import { makeYard, type Yard } from "./yard.ts";

const GATES = (script: string) => JSON.stringify(gatesOf(["node", "-e", script]));

function gatesOf(cmd: readonly string[]) {
  const steps = [{ name: "attack", cmd }];
  return { version: 1, profiles: { default: { modes: { fast: steps, full: steps } } } };
}

/** Exits with 0 if the socket answers, or a file is read. */
const CONNECT = (path: string) =>
  `require("net").connect(${JSON.stringify(path)}).on("connect", () => process.exit(0)).on("error", (e) => { console.log("refused", e.code); process.exit(9); })`;

const closing: (() => void)[] = [];
afterAll(() => closing.forEach((close) => close()));

async function yardWith(gates: string, sandbox: (home: string) => object): Promise<Yard> {
  const yard = await makeYard({ files: { "slipway/gates.yaml": gates, ".gitignore": "node_modules\n" }, trusted: false });
  closing.push(() => yard.remove());
  yard.write("slipway/policy.yaml", policyYaml({ sandbox: sandbox(yard.home) }));
  yard.git("commit", "--quiet", "--message=policy", "--", "slipway");
  return yard;
}

/** A daemon of the host that anybody may connect to. */
async function daemonAt(path: string): Promise<Server> {
  mkdirSync(dirname(path), { recursive: true });
  const server = createServer((socket) => socket.end("welcome"));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  chmodSync(path, 0o777);
  closing.push(() => server.close());
  return server;
}

describe.skipIf(!sandboxWorksHere())("B18: sockets of the host in folders that the sandbox shows", () => {
  test.each(attackers())("a daemon's socket in node_modules is not reached by %s", async (_name, user) => {
    const yard = await yardWith(GATES(CONNECT("node_modules/.cache/daemon.sock")), () => ({ shared_paths: ["node_modules"] }));
    await daemonAt(join(yard.root, "node_modules/.cache/daemon.sock"));
    const stdout = user === undefined ? (await slipway(yard, ["gates", "fast"])).stdout : await gatesAs(user, yard);
    expect(stdout).toMatch(/refused E(CONNREFUSED|ACCES)/);
    expect(stdout).toContain("exit code 9");
  });

  test("a daemon's socket below sandbox.read_only is not reached", async () => {
    const yard = await yardWith(GATES(CONNECT("SOCKET")), (home) => ({ read_only: [join(home, "tools")] }));
    const socket = join(yard.home, "tools/run/daemon.sock");
    yard.write("slipway/gates.yaml", GATES(CONNECT(socket)));
    yard.git("commit", "--quiet", "--message=gates", "--", "slipway");
    await daemonAt(socket);
    const { stdout } = await slipway(yard, ["gates", "fast"]);
    expect(stdout).toMatch(/refused E(CONNREFUSED|ACCES)/);
  });
});

async function gatesAs(user: number, yard: Yard): Promise<string> {
  await trustNow(yard.root, yard.env);
  giveTo(user, yard.home);
  const [program, ...args] = asUser(user, [process.execPath, ...PROGRAM, "gates", "fast"]);
  // The daemon is in this process, which must go on.
  const { stdout } = await promisify(execFile)(program, args, { cwd: yard.root, env: yard.env }).catch(
    (error: unknown) => error as { stdout: string },
  );
  return stdout;
}

/** What the kernel says of a policy before anything runs. */
async function refusal(sandbox: (home: string) => object, prepare: (yard: Yard) => void = () => undefined): Promise<string> {
  const yard = await yardWith(GATES("process.exit(0)"), sandbox);
  prepare(yard);
  const { code, stdout, stderr } = await slipway(yard, ["gates", "fast"]);
  expect(code, stdout + stderr).not.toBe(0);
  return `${stdout}${stderr}`;
}

describe("B19: folders that no sandbox shows", () => {
  test.each(["/run", "/var/run", "/tmp"])("sandbox.read_only may not name %s", async (path) => {
    const said = await refusal(() => ({ read_only: [path] }));
    expect(said).toMatch(/^config_invalid: sandbox\.read_only .* gives gates access to /);
    expect(said).toContain(`(${path})`);
  });

  test.each([".ssh", "config/slipway/keys", "state/slipway"])("nor ~/%s through a link", async (name) => {
    const linked = await refusal(
      (home) => ({ read_only: [join(home, "tools")] }),
      ({ home }) => {
        mkdirSync(join(home, name), { recursive: true });
        symlinkSync(join(home, name), join(home, "tools"));
      },
    );
    expect(linked).toMatch(/^config_invalid: sandbox\.read_only .* gives gates access to /);
  });

  test("nor does sandbox.shared_paths through a link in the checkout, and doctor names it", async () => {
    const yard = await yardWith(GATES("process.exit(0)"), () => ({ shared_paths: ["node_modules"] }));
    symlinkSync(join(yard.home, ".ssh"), join(yard.root, "node_modules"));
    expect((await slipway(yard, ["gates", "fast"])).stderr).toMatch(/^config_invalid: sandbox\.shared_paths .*\.ssh/);
    expect((await slipway(yard, ["doctor", "--skip-base-gates"])).stdout).toMatch(/problem +gates +node_modules is shown to gates .*\.ssh/);
  });

  test("nor the folders that an agent of agents.yaml reads", async () => {
    const yard = await yardWith(GATES("process.exit(0)"), () => ({}));
    const custom = { command: ["node", "agent.cjs"], works: "folder", programs: [join(yard.home, ".ssh")] };
    yard.write("slipway/agents.yaml", JSON.stringify({ version: 1, roles: {}, runtime: { default_provider: "custom", custom } }));
    yard.write("agent.cjs", "");
    yard.git("add", "agent.cjs");
    yard.git("commit", "--quiet", "--message=agent", "--", "slipway", "agent.cjs");
    await slipway(yard, ["run", "letters.spec.md"]);
    expect((await slipway(yard, ["inbox"])).stdout).toMatch(/\.ssh cannot be shown in the sandbox/);
  });
});
