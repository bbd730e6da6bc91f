import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sha256 } from "@slipway/durable/canonical";
import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../host/redaction/redactor.ts";
import { secretsOf } from "../../../host/redaction/secrets.ts";
import type { ProcessOutcome, Sandbox, SandboxRequest } from "../../../host/sandbox/contract.ts";
import { hostProcessesNamed, sandboxWorksHere, scratchFolder } from "../../../host/sandbox/testing/scratch.ts";
import { untilBegun } from "../../../host/sandbox/testing/until-begun.ts";
import { unsandboxed } from "../../../host/sandbox/unsandboxed.ts";
import type { GateStep } from "../../../config/gates.ts";
import type { GatePolicy, StepEvent } from "./run.ts";
import { gatesWith, runCase, sandboxForGates, shellStep } from "./testing/gate.ts";

/** Without layers, so that the test can read in the worktree what steps write. */
const sandbox: Sandbox = { ...(await sandboxForGates()), layers: false };
const walled = sandboxWorksHere();

/** Counts the started processes, and returns scripted results. */
function scripted(answers: readonly Partial<ProcessOutcome>[]): Sandbox & { requests: SandboxRequest[] } {
  const requests: SandboxRequest[] = [];
  const passed: ProcessOutcome = { exitCode: 0, signal: null, timedOut: false, aborted: false, limit: null, durationMs: 1 };
  return {
    kind: "bubblewrap",
    requests,
    run: async (request) => {
      requests.push(request);
      return { ...passed, ...answers[requests.length - 1] };
    },
  };
}

const busy = { exitCode: null, spawnError: { code: "EAGAIN", message: "busy", transient: true } };

describe("steps", () => {
  it("[FEA-093] run in file order, stop at the first failure, and start no later one", async () => {
    const worktree = scratchFolder();
    const result = await runCase({
      sandbox,
      worktree,
      config: gatesWith([
        shellStep("one", "sleep 0.1; echo one >> order"),
        shellStep("two", "echo two >> order"),
        shellStep("three", "echo three >> order; exit 9"),
        shellStep("four", "echo four >> order"),
      ]),
    });
    expect(readFileSync(join(worktree, "order"), "utf8")).toBe("one\ntwo\nthree\n");
    expect(result).toMatchObject({
      passed: false,
      profile: "default",
      mode: "full",
      failure: { code: "gate_failed", details: { step: "three", exit_code: 9 } },
    });
    expect(result.steps.map(({ name, status, exitCode, attempts }) => [name, status, exitCode, attempts])).toEqual([
      ["one", "pass", 0, 1],
      ["two", "pass", 0, 1],
      ["three", "fail", 9, 1],
      ["four", "skipped", null, 0],
    ]);
    expect(result.durationMs).toBeGreaterThan(100);
  });

  it("stream their output, redacted", async () => {
    const events: StepEvent[] = [];
    await runCase({
      sandbox,
      config: gatesWith([shellStep("say", "echo my-secret-value; echo more")]),
      redact: createRedactor({ secrets: ["my-secret-value"] }),
      onStep: (event) => events.push(event),
    });
    expect(events.map(({ kind }) => kind)).toEqual(["started", "output", "finished"]);
    expect(JSON.stringify(events)).not.toContain("my-secret-value");
    expect(events[1]).toMatchObject({ name: "say", text: "[redacted]\nmore\n" });
    expect(events[2]).toMatchObject({ index: 0, of: 1, result: { status: "pass" } });
  });

  it("[FEA-095] an unknown profile or mode starts no process", async () => {
    const counted = scripted([]);
    const config = gatesWith([shellStep("one", "true")]);
    for (const [profile, mode] of [
      ["other", "full"],
      ["default", "slow"],
      ["default", "merge"],
    ]) {
      await expect(runCase({ sandbox: counted, config, profile: String(profile), mode: String(mode) })).rejects.toMatchObject({
        code: "unknown_gate_profile_or_mode",
      });
    }
    expect(counted.requests).toEqual([]);
  });

  it("[FEA-138] run in the worktree or in their cwd below it; a cwd outside it starts no process", async () => {
    const worktree = scratchFolder();
    mkdirSync(join(worktree, "sub"));
    symlinkSync("/tmp", join(worktree, "out"));
    const result = await runCase({
      sandbox,
      worktree,
      config: gatesWith([shellStep("root", "pwd > at"), shellStep("sub", "pwd > at", { cwd: "sub" })]),
    });
    expect(result.passed).toBe(true);
    expect(readFileSync(join(worktree, "at"), "utf8").trim()).toBe(worktree);
    expect(readFileSync(join(worktree, "sub", "at"), "utf8").trim()).toBe(join(worktree, "sub"));
    const counted = scripted([]);
    for (const cwd of ["..", "/tmp", "sub/../..", "out", "out/x"]) {
      const config = gatesWith([shellStep("first", "true"), shellStep("second", "true", { cwd })]);
      await expect(runCase({ sandbox: counted, worktree, config }), cwd).rejects.toMatchObject({ code: "path_out_of_bounds" });
    }
    expect(counted.requests).toEqual([]);
  });

  it("a link that an earlier step creates in place of a cwd is not followed", async () => {
    const worktree = scratchFolder();
    const result = await runCase({
      sandbox,
      worktree,
      config: gatesWith([shellStep("plant", "ln -s /tmp later"), shellStep("use", "touch planted", { cwd: "later" })]),
    });
    expect(result).toMatchObject({ passed: false, failure: { code: "path_out_of_bounds" } });
    expect(existsSync("/tmp/planted")).toBe(false);
  });

  it("a cwd that an earlier step creates is used; a missing one is a failure", async () => {
    const made = await runCase({
      sandbox,
      config: gatesWith([shellStep("make", "mkdir later"), shellStep("use", "true", { cwd: "later" })]),
    });
    expect(made.passed).toBe(true);
    const missing = await runCase({ sandbox, config: gatesWith([shellStep("use", "true", { cwd: "never" })]) });
    expect(missing).toMatchObject({ passed: false, failure: { code: "gate_failed", message: expect.stringContaining('"never"') } });
  });

  it("[FEA-139] see the allowlisted variables and their own, and no others", async () => {
    const worktree = scratchFolder();
    const result = await runCase({
      sandbox,
      worktree,
      config: gatesWith([
        {
          name: "env",
          cmd: ["node", "-e", "require('fs').writeFileSync('env', JSON.stringify(process.env))"],
          env: { OWN: "own", BOTH: "own" },
        },
      ]),
      hostEnv: { ALLOWED: "host", BOTH: "host", GITHUB_TOKEN: "secret", toString: "x" },
      policy: { envAllowlist: ["ALLOWED", "BOTH", "NOT_SET", "constructor"] },
    });
    expect(result.passed).toBe(true);
    const seen = JSON.parse(readFileSync(join(worktree, "env"), "utf8")) as Record<string, string>;
    const own = Object.fromEntries(Object.entries(seen).filter(([name]) => !["PATH", "HOME", "PWD", "SLIPWAY_PROCESS_TAG"].includes(name)));
    expect(own).toEqual({ ALLOWED: "host", BOTH: "own", OWN: "own" });
  });

  it("a missing program: the error names file, profile, step, command and next action", async () => {
    const result = await runCase({ sandbox, config: gatesWith([{ name: "lint", cmd: ["no-such-linter", "--all"] }]) });
    expect(result.failure).toMatchObject({
      code: "gate_command_missing",
      details: {
        file: "slipway/gates.yaml",
        profile: "default",
        mode: "full",
        step: "lint",
        command: ["no-such-linter", "--all"],
        requires_human: true,
      },
    });
    expect(result.failure?.message).toContain("no-such-linter");
    expect(JSON.stringify(result.failure?.details.suggested_next_actions)).toContain("slipway/gates.yaml");
    expect(result.steps[0]).toMatchObject({ status: "fail", exitCode: null, attempts: 1 });
  });

  it("exit codes of a shell that found no program are explained", async () => {
    const result = await runCase({ sandbox, config: gatesWith([shellStep("lint", "no-such-linter")]) });
    expect(result.failure).toMatchObject({ code: "gate_failed", message: expect.stringContaining("not found") });
  });
});

describe("time", () => {
  it(
    "[FEA-144] a step that never ends is killed with all its processes after its timeout, or the default",
    { timeout: 120_000 },
    async () => {
      const hang = async (timeout: Partial<GateStep>, policy: Partial<GatePolicy>) => {
        const worktree = scratchFolder();
        const mark = randomUUID();
        const config = gatesWith([
          shellStep("hang", `sh -c 'echo up > beat; while :; do sleep 0.01; done' ${mark} & sleep 60`, timeout),
          shellStep("after", "touch after"),
        ]);
        const result = await runCase({ sandbox, worktree, config, policy });
        expect(hostProcessesNamed(mark)).toEqual([]);
        expect(existsSync(join(worktree, "after"))).toBe(false);
        return { result, began: existsSync(join(worktree, "beat")) };
      };
      for (const ofTheStep of [true, false]) {
        let timeout_seconds = 0;
        const { result, began } = await untilBegun(
          (limitMs) => {
            timeout_seconds = limitMs / 1000;
            return ofTheStep ? hang({ timeout_seconds }, {}) : hang({}, { defaultStepTimeoutSeconds: timeout_seconds });
          },
          (hung) => hung.began,
        );
        expect(began).toBe(true);
        expect(result).toMatchObject({ passed: false, failure: { code: "gate_timeout", details: { timeout_seconds } } });
        expect(result.steps[0]).toMatchObject({ status: "fail", timedOut: true, exitCode: null });
      }
      const counted = scripted([]);
      await runCase({ sandbox: counted, config: gatesWith([shellStep("a", "true")]) });
      expect(counted.requests[0]?.timeoutMs).toBe(600_000);
    },
  );

  it("a stopped gate has neither passed nor failed", async () => {
    const controller = new AbortController();
    const worktree = scratchFolder();
    const running = runCase({
      sandbox,
      worktree,
      config: gatesWith([shellStep("long", "touch began; sleep 60"), shellStep("after", "touch after")]),
      signal: controller.signal,
    });
    while (!existsSync(join(worktree, "began"))) await sleep(10);
    controller.abort(new Error("the user pressed ctrl-c"));
    await expect(running).rejects.toMatchObject({
      code: "run_stopped",
      cause: expect.objectContaining({ message: "the user pressed ctrl-c" }),
    });
    expect(existsSync(join(worktree, "after"))).toBe(false);
    const counted = scripted([]);
    await expect(
      runCase({ sandbox: counted, config: gatesWith([shellStep("a", "true")]), signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({ code: "run_stopped" });
    expect(counted.requests).toEqual([]);
  });

  it("a step that exceeds a limit names the limit", async () => {
    const result = await runCase({ sandbox, config: gatesWith([shellStep("flood", "yes")]), limits: { outputBytes: 1_000_000 } });
    expect(result.failure).toMatchObject({ code: "sandbox_limit_exceeded", details: { limit: "output" } });
    expect(result.failure?.message).toContain("more output");
  });
});

describe("[FEA-145] retries", () => {
  it("only a failure whose code is listed as transient is retried, up to the limit", async () => {
    const config = gatesWith([shellStep("a", "true")]);
    const once = scripted([busy, {}]);
    expect(await runCase({ sandbox: once, config })).toMatchObject({ passed: true, steps: [{ attempts: 2, status: "pass" }] });
    const twice = scripted([busy, busy, {}]);
    expect(await runCase({ sandbox: twice, config })).toMatchObject({
      passed: false,
      failure: { code: "transient_exec_failure" },
      steps: [{ attempts: 2 }],
    });
    const never = scripted([busy, {}]);
    expect(await runCase({ sandbox: never, config, policy: { transientErrorCodes: [] } })).toMatchObject({
      passed: false,
      steps: [{ attempts: 1 }],
    });
    const often = scripted([busy, busy, busy, {}]);
    expect(await runCase({ sandbox: often, config, policy: { transientMaxRetries: 3 } })).toMatchObject({
      passed: true,
      steps: [{ attempts: 4 }],
    });
  });

  it("a timeout is retried only if it is listed", async () => {
    const timeout = { exitCode: null, timedOut: true };
    const config = gatesWith([shellStep("a", "true")]);
    expect(await runCase({ sandbox: scripted([timeout, {}]), config })).toMatchObject({ passed: false, steps: [{ attempts: 1 }] });
    expect(await runCase({ sandbox: scripted([timeout, {}]), config, policy: { transientErrorCodes: ["gate_timeout"] } })).toMatchObject({
      passed: true,
    });
  });

  it("a non-zero exit, a missing program and a path failure are never retried, listed or not", async () => {
    const policy = { transientErrorCodes: ["gate_failed", "gate_command_missing", "path_out_of_bounds"], transientMaxRetries: 5 };
    const missing = { exitCode: null, spawnError: { code: "ENOENT", message: "none", transient: false } };
    for (const answer of [{ exitCode: 1 }, missing, { exitCode: null, signal: "SIGSEGV" }]) {
      const counted = scripted([answer]);
      expect(await runCase({ sandbox: counted, config: gatesWith([shellStep("a", "true")]), policy })).toMatchObject({ passed: false });
      expect(counted.requests).toHaveLength(1);
    }
    const worktree = scratchFolder();
    const linked = await runCase({
      sandbox,
      worktree,
      policy,
      config: gatesWith([shellStep("plant", "ln -s /tmp x"), shellStep("use", "true", { cwd: "x" })]),
    });
    expect(linked.steps[1]).toMatchObject({ attempts: 1, failure: { code: "path_out_of_bounds" } });
  });

  it("a sandbox that cannot be set up is reported as such", async () => {
    const setup = { exitCode: null, spawnError: { code: "SANDBOX_SETUP", message: "no namespace", transient: false } };
    expect(await runCase({ sandbox: scripted([setup]), config: gatesWith([shellStep("a", "true")]) })).toMatchObject({
      failure: { code: "sandbox_unavailable" },
    });
    const other = { exitCode: null, spawnError: { code: "E2BIG", message: "too long", transient: false } };
    expect(await runCase({ sandbox: scripted([other]), config: gatesWith([shellStep("a", "true")]) })).toMatchObject({
      failure: { code: "gate_failed" },
    });
  });

  it("an aborted gate is not retried", async () => {
    const controller = new AbortController();
    const counted = scripted([busy, {}]);
    const stopping: Sandbox = { kind: "none", run: (request) => (controller.abort(), counted.run(request)) };
    await expect(
      runCase({ sandbox: stopping, config: gatesWith([shellStep("a", "true")]), signal: controller.signal }),
    ).rejects.toMatchObject({ code: "run_stopped" });
    expect(counted.requests).toHaveLength(1);
  });
});

describe("logs", () => {
  it("contain stdout and stderr of every step that ran, with a digest, for passes and failures", async () => {
    const logFolder = join(scratchFolder(), "made", "on demand");
    const config = gatesWith([
      shellStep("good / one", "echo out; echo err >&2"),
      shellStep("bad", "printf broken; exit 1"),
      shellStep("never", "true"),
    ]);
    const { steps, failure } = await runCase({ sandbox, config, logFolder });
    expect(readdirSync(logFolder)).toEqual(["01-good-one.log", "02-bad.log"]);
    expect(
      readFileSync(steps[0]?.logPath ?? "", "utf8")
        .split("\n")
        .toSorted(),
    ).toEqual(["", "err", "out"]);
    expect(readFileSync(steps[1]?.logPath ?? "", "utf8")).toBe('broken\n[slipway] Step "bad" of the full gate failed with exit code 1.\n');
    for (const step of steps.slice(0, 2)) expect(sha256(readFileSync(step.logPath))).toBe(step.logDigest);
    expect(steps[2]).toMatchObject({ status: "skipped", logDigest: null });
    expect(failure?.details).toMatchObject({ log_path: steps[1]?.logPath, log_tail: expect.stringContaining("broken") });
  });

  it("attack 31: of hundreds of megabytes the beginning and the end are kept, and the gap is marked", async () => {
    const result = await runCase({
      sandbox,
      config: gatesWith([shellStep("flood", "echo the beginning; yes 0123456789abcdef | head -c 30000000; echo the end")]),
    });
    const { logPath, truncated } = result.steps[0] ?? { logPath: "", truncated: false };
    const log = readFileSync(logPath, "utf8");
    expect(result.passed).toBe(true);
    expect(truncated).toBe(true);
    expect(log.startsWith("the beginning\n")).toBe(true);
    expect(log.endsWith("the end\n")).toBe(true);
    expect(log).toMatch(/\[slipway\] \d+ characters omitted here/);
    expect(statSync(logPath).size).toBeLessThan(600_000);
  });

  it("attack 31: an endless flood is ended at its limit with a bounded log", async () => {
    const result = await runCase({ sandbox, config: gatesWith([shellStep("flood", "yes flooding")]), limits: { outputBytes: 8_000_000 } });
    expect(result.failure?.code).toBe("sandbox_limit_exceeded");
    expect(statSync(result.steps[0]?.logPath ?? "").size).toBeLessThan(600_000);
  });

  it("attack 60: a gate that prints a known secret leaves no copy of it in logs or results", async () => {
    const secret = "s3cr3t/with+chars and spaces";
    const hostEnv = { DEPLOY_TOKEN: secret };
    const logFolder = scratchFolder();
    const script = [
      'printf %s "$V"; echo; printf %s "$V" | base64; printf "xx%s" "$V" | base64 -w 10; printf %s "$V" | od -An -tx1 | tr -d " \\n"',
      'echo; node -e "console.log(encodeURIComponent(process.env.V), JSON.stringify(process.env))"',
      'h=${V%??????????}; printf %s "$h"; sleep 0.05; printf %s "${V#"$h"}"; echo; printf %s "$h" >&2; printf "%s\\n" "${V#"$h"}" >&2; exit 1',
    ].join("; ");
    const result = await runCase({
      sandbox,
      logFolder,
      config: gatesWith([shellStep("leak", script, { env: { V: secret } }), { name: "arg", cmd: ["echo", secret] }]),
      hostEnv,
      redact: createRedactor({ secrets: secretsOf(hostEnv) }),
    });
    const everything = [...readdirSync(logFolder).map((name) => readFileSync(join(logFolder, name), "utf8")), JSON.stringify(result)].join(
      "\n",
    );
    const forms = [secret, Buffer.from(secret).toString("base64"), Buffer.from(secret).toString("hex"), encodeURIComponent(secret)];
    const joined = everything.replaceAll(/[\r\n]/g, "");
    for (const form of forms) expect(joined).not.toContain(form);
    expect(everything).toContain("[redacted]");
    expect(result.failure?.code).toBe("gate_failed");
  });

  it("attack 60: a secret split over stdout and stderr is not reassembled in the log", async () => {
    const redact = createRedactor({ secrets: ["first-half-second-half"] });
    const halves: Sandbox = {
      kind: "none",
      run: async ({ onOutput }) => {
        onOutput?.("stdout", Buffer.from("first-half-"));
        onOutput?.("stderr", Buffer.from("second-half"));
        return { exitCode: 0, signal: null, timedOut: false, aborted: false, limit: null, durationMs: 1 };
      },
    };
    const { steps } = await runCase({ sandbox: halves, config: gatesWith([shellStep("a", "true")]), redact });
    expect(readFileSync(steps[0]?.logPath ?? "", "utf8")).toBe("[redacted]\n");
  });

  it("a character split over two chunks stays one character", async () => {
    const bytes = Buffer.from("grün\n");
    const split: Sandbox = {
      kind: "none",
      run: async ({ onOutput }) => {
        for (const byte of bytes) onOutput?.("stdout", Buffer.from([byte]));
        return { exitCode: 0, signal: null, timedOut: false, aborted: false, limit: null, durationMs: 1 };
      },
    };
    const { steps } = await runCase({ sandbox: split, config: gatesWith([shellStep("a", "true")]) });
    expect(readFileSync(steps[0]?.logPath ?? "", "utf8")).toBe("grün\n");
  });

  it("the log of a retried step mentions the retry", async () => {
    const { steps } = await runCase({ sandbox: scripted([busy, {}]), config: gatesWith([shellStep("a", "true")]) });
    expect(readFileSync(steps[0]?.logPath ?? "", "utf8")).toMatch(/^\[slipway\] attempt 2, after: .*busy\n$/);
  });
});

describe.skipIf(!walled)("gates that misbehave, in a real sandbox", () => {
  it("attack 31: forks, daemons and a filled disk end in a failure with the reason", async () => {
    const bomb = "f() { d=$1; if [ $d -lt 7 ]; then f $((d+1)) & f $((d+1)) & fi; sleep 20; }; f 0";
    const forks = await runCase({ sandbox, config: gatesWith([shellStep("bomb", bomb)]), limits: { processes: 32 } });
    expect(forks.failure).toMatchObject({ code: "sandbox_limit_exceeded", details: { limit: "processes" } });
    const disk = await runCase({
      sandbox,
      config: gatesWith([shellStep("fill", "exec dd if=/dev/zero of=x bs=1M count=50")]),
      limits: { fileBytes: 1_000_000 },
    });
    expect(disk.failure).toMatchObject({ code: "sandbox_limit_exceeded", details: { limit: "disk" } });
  });

  it("attack 29: a step reaches the network only if gates.yaml says so", async () => {
    const script = "require('os').networkInterfaces().lo && console.log(Object.keys(require('os').networkInterfaces()).length)";
    const closed = await runCase({ sandbox, config: gatesWith([{ name: "net", cmd: ["node", "-e", script] }]) });
    expect(readFileSync(closed.steps[0]?.logPath ?? "", "utf8")).toBe("1\n");
    const counted = scripted([]);
    await runCase({ sandbox: counted, config: gatesWith([shellStep("a", "true"), shellStep("b", "true", { network: true })]) });
    expect(counted.requests.map(({ network }) => network)).toEqual([false, true]);
  });
});

it("run without a sandbox under an override, by the same rules", async () => {
  const open = unsandboxed({ reason: "test", by: "test" });
  const result = await runCase({ sandbox: open, config: gatesWith([shellStep("one", "echo fine"), shellStep("two", "exit 2")]) });
  expect(result).toMatchObject({
    passed: false,
    failure: { code: "gate_failed" },
    steps: [{ status: "pass" }, { status: "fail", exitCode: 2 }],
  });
});

it("a missing worktree is reported before anything runs", async () => {
  await expect(runCase({ sandbox, config: gatesWith([shellStep("a", "true")]), worktree: "/no/such/worktree" })).rejects.toMatchObject({
    code: "input_path_not_found",
  });
});
