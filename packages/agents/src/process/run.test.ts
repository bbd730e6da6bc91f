import { createServer } from "node:http";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import type { HostTraffic } from "@slipway/kernel/host/sandbox/egress";
import { openSandbox } from "@slipway/kernel/host/sandbox/sandbox";
import { hostCommandLines, sandboxWorksHere } from "@slipway/kernel/host/sandbox/testing/scratch";
import { unsandboxed } from "@slipway/kernel/host/sandbox/unsandboxed";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { retainedBytes } from "../testing/retained-bytes.ts";
import type { AgentProcess, AgentProcessEnd } from "./contract.ts";
import { runAgentProcess, type OnTraffic } from "./run.ts";

function place() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "slipway-process-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [folder, home] = [join(root, "pack"), join(root, "home")];
  for (const path of [folder, home]) mkdirSync(path);
  writeFileSync(join(folder, "a.txt"), "a\n");
  writeFileSync(join(root, "secret.txt"), "secret\n");
  return { root, folder, home };
}

type Ran = AgentProcessEnd & { readonly stdout: string };

async function run(
  sandbox: Sandbox,
  { folder, home }: ReturnType<typeof place>,
  changes: Partial<AgentProcess>,
  onTraffic?: OnTraffic,
): Promise<Ran> {
  let stdout = "";
  const end = await runAgentProcess(
    sandbox,
    { folder },
    {
      command: ["true"],
      env: {},
      input: "",
      programs: [],
      home,
      hosts: [],
      timeoutMs: 20_000,
      signal: new AbortController().signal,
      onStdout: (chunk) => (stdout += Buffer.from(chunk).toString("utf8")),
      ...changes,
    },
    onTraffic,
  );
  return { ...end, stdout };
}

const shell = (line: string) => ({ command: ["sh", "-c", line] });

describe.runIf(sandboxWorksHere())("an agent's process", () => {
  let sandbox: Sandbox;
  beforeAll(async () => void (sandbox = await openSandbox()));

  test("works in the pack with its input, its home and exactly its environment", async () => {
    process.env["SLIPWAY_TEST_SECRET"] = "host-secret";
    onTestFinished(() => void delete process.env["SLIPWAY_TEST_SECRET"]);
    const here = place();
    const ran = await run(sandbox, here, {
      ...shell('cat; pwd; echo "$KEY $HOME"; env; cat /proc/*/environ; exit 0'),
      input: "in\n",
      env: { KEY: "k1" },
    });
    expect(ran).toMatchObject({ kind: "exit", exitCode: 0, durationMs: expect.any(Number) });
    expect(ran.stdout).toContain(`in\n${here.folder}\nk1 ${here.home}\n`);
    expect(ran.stdout).not.toContain("host-secret");
  });

  test("sees only the pack, its home, its programs and the system", async () => {
    const here = place();
    const tools = join(here.root, "tools");
    mkdirSync(tools);
    writeFileSync(join(tools, "agent"), "#!/bin/sh\ncat a.txt\nls ..\ncat ../secret.txt\necho x > $0\n", { mode: 0o755 });
    const ran = await run(sandbox, here, { command: [join(tools, "agent")], programs: [tools] });
    expect(ran.stdout).toBe("a\nhome\npack\ntools\n");
    expect(ran.stderr).toMatch(/secret.txt.*No such file/);
    expect(readFileSync(join(tools, "agent"), "utf8")).toMatch(/^#!/);
    expect((await run(sandbox, here, { command: [join(tools, "agent")] })).kind).toBe("not_started");
  });

  test("reaches the named host, and no other, and what left is counted", async () => {
    const server = createServer((_, response) => response.end("the model"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const ask = `fetch("http://127.0.0.1:${port}/").then((answer) => answer.text()).then(console.log, () => console.log("unreachable"))`;
    const command = [process.execPath, "-e", ask];
    const seen: HostTraffic[] = [];
    const host = `127.0.0.1:${port}`;
    expect((await run(sandbox, place(), { command, hosts: [host] }, (traffic) => void seen.push(...traffic))).stdout).toBe("the model\n");
    expect(seen).toMatchObject([{ host, connections: 1, refused: [] }]);
    expect(Math.min(seen[0]?.bytes_out ?? 0, seen[0]?.bytes_in ?? 0)).toBeGreaterThan(20);
    expect((await run(sandbox, place(), { command, hosts: ["127.0.0.1:9"] })).stdout).toBe("unreachable\n");
  });

  test.each<[string, Partial<AgentProcess>, Partial<AgentProcessEnd>]>([
    ["its exit code", shell("echo oops >&2; exit 3"), { kind: "exit", exitCode: 3, stderr: "oops\n" }],
    ["a signal", shell("kill -SEGV $$"), { kind: "signal", signal: "SIGSEGV" }],
    ["a timeout", { ...shell("exec sleep 60"), timeoutMs: 300 }, { kind: "timeout" }],
    ["a flood", { ...shell("yes"), maxOutputBytes: 10_000 }, { kind: "flood", limitBytes: 10_000 }],
    ["a missing program", { command: ["no-such-agent"] }, { kind: "not_started" }],
  ])("ends with %s", async (_what, changes, end) => {
    expect(await run(sandbox, place(), changes)).toMatchObject(end);
  });

  test("only the end of a long stderr is kept", async () => {
    const { stderr } = await run(sandbox, place(), shell("yes x | head -c 200000 >&2; echo last >&2"));
    expect(stderr.length).toBeLessThanOrEqual(16 * 1024);
    expect(stderr.endsWith("last\n")).toBe(true);
  });

  test("has a conversation over stdio", async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const heard: string[] = [];
    const onStdout = (chunk: Uint8Array) => {
      heard.push(Buffer.from(chunk).toString("utf8"));
      if (heard.length < 3) void writer.write(Buffer.from(`ping ${heard.length}\n`));
      if (heard.length === 3) void writer.close();
    };
    const line = 'echo ready; while read -r word; do echo "got $word"; done; echo done';
    expect(await run(sandbox, place(), { ...shell(line), input: readable, onStdout })).toMatchObject({ kind: "exit", exitCode: 0 });
    expect(heard.join("")).toBe("ready\ngot ping 1\ngot ping 2\ndone\n");
  });

  test.each([
    ["after its own end", {}, "exit"],
    ["after a timeout", { timeoutMs: 700 }, "timeout"],
  ])("leaves no process behind %s", async (_what, changes, kind) => {
    const mark = `30${Math.floor(Math.random() * 1e9)}`;
    const wait = kind === "timeout" ? "; sleep 60" : "";
    const line = `trap '' TERM; setsid sleep ${mark} >/dev/null 2>&1 & (sleep ${mark} &) ${wait}`;
    expect((await run(sandbox, place(), { ...shell(line), ...changes })).kind).toBe(kind);
    expect(hostCommandLines().filter((command) => command.includes(mark))).toEqual([]);
  });

  test("is stopped through its signal, with all its children", async () => {
    const mark = `31${Math.floor(Math.random() * 1e9)}`;
    const stop = new AbortController();
    const onStdout = () => stop.abort(new Error("enough"));
    const line = `setsid sleep ${mark} & echo started; wait`;
    await expect(run(sandbox, place(), { ...shell(line), signal: stop.signal, onStdout })).rejects.toThrow("enough");
    expect(hostCommandLines().filter((command) => command.includes(mark))).toEqual([]);
    await expect(run(sandbox, place(), { signal: stop.signal })).rejects.toThrow("enough");
  });

  test("streams a hundred megabytes without keeping them", async () => {
    let bytes = 0;
    let most = 0;
    const before = retainedBytes();
    const onStdout = (chunk: Uint8Array) => {
      const part = Math.floor(bytes / 10_000_000);
      bytes += chunk.byteLength;
      if (Math.floor(bytes / 10_000_000) > part) most = Math.max(most, retainedBytes() - before);
    };
    expect(await run(sandbox, place(), { command: ["head", "-c", "100000000", "/dev/zero"], onStdout })).toMatchObject({ kind: "exit" });
    expect(bytes).toBe(100_000_000);
    expect(most).toBeLessThan(40_000_000);
  });
});

test("is refused without a sandbox, unless a person has allowed that", async () => {
  await expect(openSandbox({ searchPath: "/nowhere" })).rejects.toMatchObject({ code: "sandbox_unavailable" });
  const open = unsandboxed({ reason: "a machine without namespaces", by: "kim" });
  const here = place();
  const ran = await run(open, here, { ...shell('cat; echo "$HOME"'), input: "in " });
  expect(ran).toMatchObject({ kind: "exit", exitCode: 0, stdout: `in ${here.home}\n` });
  expect(await run(open, here, shell("kill -9 $$"))).toMatchObject({ kind: "signal", signal: "SIGKILL" });
});
