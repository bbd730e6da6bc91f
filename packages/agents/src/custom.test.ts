import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readProcess } from "@slipway/kernel/host/sandbox/process-table";
import { untilBegun } from "@slipway/kernel/host/sandbox/testing/until-begun";
import { describe, expect, test } from "vitest";
import { agentEnvironment, customProvider, type CustomOptions } from "./custom.ts";
import { NEVER, refusalOf, REQUEST, scratch } from "./testing/samples.ts";

/** A command that runs this script with the request as `request`. */
function agent(script: string, changes: Partial<CustomOptions> = {}) {
  const file = join(scratch("agent"), "agent.mjs");
  writeFileSync(file, `import { readFileSync } from "node:fs";\nconst request = JSON.parse(readFileSync(0, "utf8"));\n${script}\n`);
  return customProvider({ command: [process.execPath, file], timeoutMs: 20_000, env: agentEnvironment(process.env), ...changes });
}
const script = (code: string, changes: Partial<CustomOptions> = {}) =>
  customProvider({ command: [process.execPath, "-e", code], timeoutMs: 20_000, env: agentEnvironment(process.env), ...changes });
const failure = (provider: ReturnType<typeof agent>, signal = NEVER) => refusalOf(() => provider.invoke(REQUEST, signal));

async function gone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 1000; tries++) {
    // A killed process stays a zombie until its parent has reaped it; in a container that may take a while.
    const state = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.[0] : undefined;
    if (state === undefined || state === "Z") return true;
    await sleep(20);
  }
  return false;
}

describe("a command that answers", () => {
  test("gets the whole request on stdin and returns text", async () => {
    const provider = agent(
      `console.log(JSON.stringify({ text: JSON.stringify(request), usage: { input_tokens: 5, output_tokens: 7, cost_usd: 0.25 }, model: "mine" }))`,
    );
    const reply = await provider.invoke({ ...REQUEST, prompt: "x".repeat(300_000), model: "wanted" }, NEVER);
    expect(JSON.parse(reply.text)).toEqual({
      version: 1,
      role: "planner",
      subject: "greeting",
      attempt: "1",
      repair: 0,
      system: "You plan.",
      prompt: "x".repeat(300_000),
      prompt_digest: REQUEST.promptDigest,
      schema: { type: "object" },
      model: "wanted",
      input: REQUEST.input,
    });
    expect(reply).toMatchObject({ usage: { input_tokens: 5, output_tokens: 7, cost_usd: 0.25 }, model: "mine" });
  });

  test("may return a value instead, without cost", async () => {
    expect(await agent(`console.log(JSON.stringify({ output: { answer: [1, null] } }, null, 2))`).invoke(REQUEST, NEVER)).toEqual({
      text: '{"answer":[1,null]}',
      usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 },
      model: null,
    });
  });

  test("need not read its request", async () => {
    const big = { ...REQUEST, prompt: "x".repeat(2_000_000) };
    const reply = await script(`process.stdout.write('{"text":"ok"}', () => process.exit(0))`).invoke(big, NEVER);
    expect(reply.text).toBe("ok");
  });

  test("works in its folder, and sees only the given environment", async () => {
    const cwd = scratch("cwd");
    const env = { ...agentEnvironment({ PATH: process.env["PATH"], SECRET: "s", MY_KEY: "k" }, ["MY_KEY"]) };
    const reply = await agent(`console.log(JSON.stringify({ output: { cwd: process.cwd(), env: process.env } }))`, { cwd, env }).invoke(
      REQUEST,
      NEVER,
    );
    expect(JSON.parse(reply.text)).toEqual({ cwd, env: { PATH: process.env["PATH"], MY_KEY: "k" } });
  });
});

test("only a few variables of the host are passed on", () => {
  expect(agentEnvironment({ PATH: "/bin", HOME: "/root", AWS_SECRET: "x", LD_PRELOAD: "y" })).toEqual({ PATH: "/bin", HOME: "/root" });
});

describe("a command that fails", () => {
  test.each([
    [
      "a non-zero exit",
      `console.error("out of quota"); process.exit(3)`,
      /ended with exit code 3; it wrote nothing\. It wrote to stderr: "out of quota"/,
      { exit_code: 3, stderr: "out of quota" },
    ],
    [
      "a non-zero exit after an answer",
      `console.log('{"text":"ok"}'); process.exitCode = 1`,
      /exit code 1; it wrote "\{\\"text\\"/,
      { exit_code: 1 },
    ],
    ["silence", "", /ended without an answer: nothing on stdout\.$/, {}],
    ["garbage", `console.log("Thinking\\u001b[31m…")`, /did not answer with one JSON object; it wrote "Thinking\\u001b\[31m/, {}],
    ["two objects", `console.log('{"text":"a"}\\n{"text":"b"}')`, /did not answer with one JSON object/, {}],
    ["a key twice", `console.log('{"text":"a","text":"b"}')`, /did not answer with one JSON object/, {}],
    ["JSON that is not a reply", `console.log('{"answer":"a"}')`, /JSON that is not a reply: it needs/, {}],
    ["text that is not a string", `console.log('{"text":1}')`, /JSON that is not a reply/, {}],
    ["text and output at once", `console.log('{"text":"a","output":1}')`, /JSON that is not a reply/, {}],
    ["an error of its own", `console.log('{"error":"no credit"}')`, /reported an error: "no credit"/, {}],
    [
      "its own death",
      `process.kill(process.pid, "SIGTERM"); setTimeout(() => {}, 5000)`,
      /was ended by SIGTERM; it wrote nothing/,
      { signal: "SIGTERM" },
    ],
  ])("with %s is reported with what was seen", async (_, code, message, details) => {
    const error = await failure(script(code));
    expect(error).toMatchObject({ code: "agent_failed", details: { retryable: true, ...details } });
    expect(error.message).toMatch(message);
  });

  test("because it does not exist is reported clearly", async () => {
    const missing = await failure(customProvider({ command: ["no-such-agent-command", "--json"], timeoutMs: 1000, env: {} }));
    expect(missing).toMatchObject({ code: "agent_not_installed", details: { retryable: false, requires_human: true } });
    expect(missing.message).toBe(
      'The agent command "no-such-agent-command --json" could not be started: there is no program "no-such-agent-command" on the PATH.',
    );
    const file = join(scratch("agent"), "plain.txt");
    writeFileSync(file, "text", { mode: 0o644 });
    expect((await failure(customProvider({ command: [file], timeoutMs: 1000, env: {} }))).message).toMatch(/is not an executable file/);
    expect((await failure(script("", { cwd: "/no/such/folder" }))).message).toMatch(/the folder \/no\/such\/folder does not exist/);
    expect((await failure(customProvider({ command: ["x".repeat(5000)], timeoutMs: 1000, env: {} }))).message).toMatch(
      /could not be started: /,
    );
  });

  test("keeps only the end of a long stderr, without secrets", async () => {
    const error = await failure(
      script(`process.stderr.write("x".repeat(200000) + " the key is hunter2-hunter2", () => process.exit(1))`, {
        secrets: ["hunter2-hunter2", ""],
      }),
    );
    expect(String(error.details["stderr"]).length).toBeLessThanOrEqual(16 * 1024);
    expect(error.message).toContain("the key is [secret]");
    expect(JSON.stringify(error.details)).not.toContain("hunter2");
    expect((await failure(script(`console.log("key hunter2-hunter2")`, { secrets: ["hunter2-hunter2"] }))).message).not.toContain(
      "hunter2",
    );
  });
});

const spawnSleeper = (pidFile: string) =>
  `import { spawn } from "node:child_process"; import { writeFileSync } from "node:fs"; const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60000)"], { stdio: "inherit" }); writeFileSync(${JSON.stringify(pidFile)}, String(child.pid));`;

describe("a command that does not end", () => {
  test("is killed with its children after its timeout", async () => {
    const hang = async (timeoutMs: number) => {
      const pidFile = join(scratch("agent"), "pid");
      const thinking = `${spawnSleeper(pidFile)} console.error("still thinking"); setTimeout(() => {}, 60000);`;
      const { message } = await failure(agent(thinking, { timeoutMs }));
      return { message, timeoutMs, pid: existsSync(pidFile) ? Number(readFileSync(pidFile, "utf8")) : 0 };
    };
    const { message, timeoutMs, pid } = await untilBegun(hang, (hung) => hung.message.includes("still thinking"));
    expect(message).toContain(`did not answer within ${timeoutMs / 1000} seconds and was stopped. It wrote to stderr: "still thinking"`);
    expect(pid).toBeGreaterThan(1);
    expect(await gone(pid)).toBe(true);
  });

  test("is killed with its children when the run stops, which is not the agent's failure", async () => {
    const pidFile = join(scratch("agent"), "pid");
    const controller = new AbortController();
    const pending = agent(`${spawnSleeper(pidFile)} setTimeout(() => {}, 60000);`).invoke(REQUEST, controller.signal);
    const settled = expect(pending).rejects.toThrow("stop asked for");
    while (!existsSync(pidFile) || readFileSync(pidFile, "utf8") === "") await sleep(20);
    controller.abort(new Error("stop asked for"));
    await settled;
    expect(await gone(Number(readFileSync(pidFile, "utf8")))).toBe(true);
    await expect(script("").invoke(REQUEST, AbortSignal.abort(new Error("earlier")))).rejects.toThrow("earlier");
  });

  test("but answers and leaves a child: the answer counts and the child is killed", async () => {
    const pidFile = join(scratch("agent"), "pid");
    const reply = await agent(`${spawnSleeper(pidFile)} process.stdout.write('{"text":"ok"}', () => process.exit(0));`).invoke(
      REQUEST,
      NEVER,
    );
    expect(reply.text).toBe("ok");
    expect(await gone(Number(readFileSync(pidFile, "utf8")))).toBe(true);
  });

  test("a child that left the process group and holds the pipe does not block", async () => {
    const pidFile = join(scratch("agent"), "pid");
    const detached = spawnSleeper(pidFile).replace('stdio: "inherit"', 'stdio: "inherit", detached: true');
    const reply = await agent(`${detached} child.unref(); process.stdout.write('{"text":"ok"}', () => process.exit(0));`).invoke(
      REQUEST,
      NEVER,
    );
    expect(reply.text).toBe("ok");
    // On Linux it ends with the command; elsewhere it would hold the pipe for a minute, longer than this test may take.
    const pid = Number(readFileSync(pidFile, "utf8"));
    if (process.platform === "linux") expect(readProcess(pid)?.dead ?? true).toBe(true);
    else process.kill(pid, "SIGKILL");
  });

  test("is stopped when it floods stdout", async () => {
    const error = await failure(
      script(
        `const chunk = "x".repeat(65536); const more = () => { while (process.stdout.write(chunk)); process.stdout.once("drain", more); }; more();`,
        { maxOutputBytes: 1_000_000 },
      ),
    );
    expect(error.message).toMatch(/wrote more than 1000000 bytes and was stopped/);
  });
});
