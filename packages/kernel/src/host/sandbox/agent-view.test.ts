import { createServer } from "node:http";
import { existsSync, linkSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { runInBubblewrap } from "./bubblewrap.ts";
import type { Sandbox } from "./contract.ts";
import { probeSandbox } from "./probe.ts";
import { openSandbox } from "./sandbox.ts";
import { runNode, runShell, sandboxWorksHere, scratchFolder } from "./testing/scratch.ts";
import { unsandboxed } from "./unsandboxed.ts";

/** The host with or without Perl. */
async function behind(front: "perl" | "node"): Promise<Sandbox> {
  const { host } = await probeSandbox();
  if (host === null) throw new Error("there is no sandbox");
  return { kind: "bubblewrap", run: (request) => runInBubblewrap(request, { ...host, perl: front === "perl" ? host.perl : null }, {}) };
}

function place() {
  const folder = scratchFolder();
  const [worktree, home] = [join(folder, "pack"), join(folder, "home")];
  mkdirSync(join(worktree, "src/lib"), { recursive: true });
  mkdirSync(home);
  writeFileSync(join(worktree, "src/lib/b"), "b\n");
  return { folder, worktree, home };
}

async function serve(): Promise<number> {
  const server = createServer((request, response) => response.end(`reached ${request.url}`));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Prints the response, or the error. */
const fetches = (url: string) =>
  `fetch("${url}").then((answer) => answer.text().then((body) => console.log(answer.status, body)), (error) => console.log(error.cause?.code ?? String(error.cause)))`;
/** Asks the proxy inside for a tunnel, and prints the first line of its response. */
const tunnels = (target: string) =>
  `require("net").connect(3128, "127.0.0.1").once("data", (chunk) => { console.log(String(chunk).split("\\r\\n")[0]); process.exit() }).write("CONNECT ${target} HTTP/1.1\\r\\n\\r\\n")`;

describe.runIf(sandboxWorksHere())("a sandbox for agents", () => {
  let sandbox: Sandbox;
  beforeAll(async () => void (sandbox = await openSandbox()));

  it("passes a text or a stream to stdin, and ends it", async () => {
    const { worktree } = place();
    const long = "x".repeat(300_000);
    expect((await runShell(sandbox, worktree, "wc -c", { input: long })).stdout.trim()).toBe("300000");
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const part of ["one ", "two"]) controller.enqueue(Buffer.from(part));
        controller.close();
      },
    });
    expect((await runShell(sandbox, worktree, "cat", { input: stream })).stdout).toBe("one two");
    expect((await runShell(sandbox, worktree, "cat; echo end")).stdout).toBe("end\n");
  });

  it("is not blocked by unread input, nor by a stream that fails or never ends", async () => {
    const { worktree } = place();
    expect((await runShell(sandbox, worktree, "exit 3", { input: "x".repeat(1_000_000) })).exitCode).toBe(3);
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({ cancel: () => void (cancelled = true) });
    expect((await runShell(sandbox, worktree, "exit 4", { input: endless })).exitCode).toBe(4);
    expect(cancelled).toBe(true);
    const failing = new ReadableStream<Uint8Array>({ start: (controller) => controller.error(new Error("gone")) });
    expect((await runShell(sandbox, worktree, "cat; echo end", { input: failing })).stdout).toBe("end\n");
  });

  it("shows a folder as HOME, readable and writable", async () => {
    const { worktree, home } = place();
    writeFileSync(join(home, "settings"), "mine\n");
    const { stdout } = await runShell(sandbox, worktree, 'cat "$HOME/settings"; echo kept > "$HOME/log"; echo "$HOME"', { home });
    expect(stdout).toBe(`mine\n${home}\n`);
    expect(readFileSync(join(home, "log"), "utf8")).toBe("kept\n");
  });

  it.each([
    ["that does not exist", (folder: string) => join(folder, "none"), "input_path_not_found"],
    ["that contains the worktree", (folder: string) => folder, "path_out_of_bounds"],
    ["of the system", () => "/usr", "path_out_of_bounds"],
  ])("refuses a home %s", async (_what, home, code) => {
    const { folder, worktree } = place();
    await expect(runShell(sandbox, worktree, "true", { home: home(folder) })).rejects.toMatchObject({ code });
  });

  it("makes single folders writable and others read-only, also a link to a file elsewhere", async () => {
    const { folder, worktree } = place();
    const shared = join(folder, "shared");
    writeFileSync(shared, "shared\n", { mode: 0o444 });
    linkSync(shared, join(worktree, "linked"));
    const folders = [
      { path: ".", writable: false },
      { path: "src", writable: true },
      { path: "src/lib", writable: false },
    ];
    const script =
      "chmod u+w linked; echo evil > linked; touch top; touch src/new && echo in src; touch src/lib/x; rm -r src/lib; cat linked src/lib/b";
    const { stdout } = await runShell(sandbox, worktree, script, { folders, git: "none" });
    expect(stdout).toBe("in src\nshared\nb\n");
    expect(statSync(shared).mode & 0o777).toBe(0o444);
    expect(existsSync(join(worktree, ".git"))).toBe(false);
  });

  it.each([
    ["a link", "src/out"],
    ["a missing folder", "src/none"],
    ["a file", "src/lib/b"],
    ["a way out", "../x"],
  ])("refuses %s as such a folder", async (_what, path) => {
    const { worktree } = place();
    symlinkSync("/etc", join(worktree, "src/out"));
    await expect(runShell(sandbox, worktree, "true", { folders: [{ path, writable: true }] })).rejects.toMatchObject({
      code: "path_out_of_bounds",
    });
  });

  it.each(["perl", "node"] as const)("with %s as forwarder, reaches a named host, and nothing else by name or address", async (front) => {
    const { worktree } = place();
    const sandbox = await behind(front);
    const [named, other] = [await serve(), await serve()];
    const hosts = [`127.0.0.1:${named}`, "model.invalid:443"];
    const run = async (script: string) => (await runNode(sandbox, worktree, script, { hosts })).stdout.trim();
    expect(await run(fetches(`http://127.0.0.1:${named}/a`))).toBe("200 reached /a");
    expect(await run(fetches(`http://127.0.0.1:${other}/`))).toBe("ECONNREFUSED");
    expect(await run(tunnels(`127.0.0.1:${other}`))).toContain("403");
    expect(await run(tunnels("1.1.1.1:443"))).toContain("403");
    // A named host that does not exist.
    expect(await run(tunnels("model.invalid:443"))).toContain("502");
    expect(await run(`require("net").connect(443, "1.1.1.1").on("error", (error) => console.log(error.code))`)).toBe("ENETUNREACH");
    expect(await run(`require("dns").lookup("example.com", (error) => console.log(error.code))`)).toMatch(/EAI_AGAIN|ENOTFOUND/);
  });

  it("without named hosts nothing is reachable", async () => {
    const { worktree } = place();
    const port = await serve();
    const { stdout } = await runNode(sandbox, worktree, fetches(`http://127.0.0.1:${port}/`));
    expect(stdout.trim()).toBe("ECONNREFUSED");
    expect((await runShell(sandbox, worktree, "env | grep -ci proxy; ls /run")).stdout).toBe("0\n");
  });

  it.each(["perl", "node"] as const)("with %s as forwarder, a command ends as without it", async (front) => {
    const { worktree } = place();
    const sandbox = await behind(front);
    const hosts = ["model.invalid:443"];
    expect((await runShell(sandbox, worktree, "cat; exit 7", { hosts, input: "in" })).exitCode).toBe(7);
    expect((await runShell(sandbox, worktree, "kill -9 $$", { hosts })).exitCode).toBe(137);
    const polite = await runShell(sandbox, worktree, "trap 'echo bye; exit 0' TERM; echo ready; sleep 30 & wait", {
      hosts,
      timeoutMs: 1_500,
      killGraceMs: 5_000,
    });
    expect(polite).toMatchObject({ timedOut: true, stdout: "ready\nbye\n", signal: "SIGTERM" });
  });

  it("a command that fills its home is stopped like one that fills its worktree", async () => {
    const { worktree, home } = place();
    const limits = { diskBytes: 2_000_000 };
    const fill = 'i=0; while :; do i=$((i+1)); head -c 1000000 /dev/zero > "$HOME/$i"; sleep 0.05; done';
    expect(await runShell(sandbox, worktree, fill, { home, limits })).toMatchObject({ limit: "disk" });
  });

  it("refuses invalid hosts", async () => {
    const { worktree } = place();
    await expect(runShell(sandbox, worktree, "true", { hosts: ["nonsense"] })).rejects.toMatchObject({ code: "schema_validation_failed" });
  });
});

describe("without a sandbox", () => {
  it("input and home work the same", async () => {
    const { worktree, home } = place();
    const open = unsandboxed({ reason: "test", by: "test" });
    const { stdout } = await runShell(open, worktree, 'cat; echo " $HOME"', { home, input: "in" });
    expect(stdout).toBe(`in ${home}\n`);
  });
});
