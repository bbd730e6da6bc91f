import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SlipwayError } from "./errors.ts";
import type { Kernel } from "@slipway/kernel/kernel";
import type { RunLease } from "@slipway/kernel/record/run-lease/lease";
import { describe, expect, test } from "vitest";
import { keepLease, keepLocksOf } from "@slipway/runtime/keep-leases";
import { startSlipway } from "./testing/child.ts";
import { answersFor, FILES, letters, type Project } from "./testing/project.ts";

const SIGNALS = { "slipway/policy.yaml": `${FILES["slipway/policy.yaml"]}sandbox: { read_only: [~/signals] }\n` };

/** The gates of a feature whose source says WAIT run until the signal file says go. */
function slow(files: Readonly<Record<string, string>> = {}): Project {
  const project = letters({ ...SIGNALS, ...files });
  mkdirSync(join(project.home, "signals"));
  writeFileSync(signal(project), "");
  project.write("check.sh", `if grep -q WAIT src/b.txt; then while ! grep -q go ${signal(project)}; do sleep 0.05; done; fi\n`);
  project.git("commit", "-qam", "a slow gate");
  return project;
}

const signal = ({ home }: Project) => join(home, "signals", "go");
const letGo = (project: Project) => writeFileSync(signal(project), "go");
const lease = (project: Project) => project.sql("SELECT run_id, epoch, pid FROM run_lease")[0];

/** A live run: `letters` waits for its approval, `waiting` for its gates. */
async function liveRun(project: Project) {
  answersFor(project, "waiting", "src/b.txt");
  project.record(
    "builder",
    "1",
    {
      type: "PATCH",
      summary: "wait",
      unified_diff: "diff --git a/src/b.txt b/src/b.txt\n--- a/src/b.txt\n+++ b/src/b.txt\n@@ -1 +1 @@\n-one\n+WAIT\n",
    },
    "waiting",
  );
  project.write("waiting.spec.md", "# Waiting\n\nThe second letter file waits.\n");
  const child = startSlipway(project, ["run", "letters.spec.md", "waiting.spec.md", "--cassette", project.cassette]);
  await child.says("letters: asks");
  return child;
}

describe("one supervisor per repository", () => {
  test("[FEA-177] a second run or resume is refused with holder, process and expiry, and begins nothing", async () => {
    const project = slow();
    const child = await liveRun(project);
    const runs = project.sql("SELECT run_id FROM runs").length;
    for (const argv of [["run", "other.spec.md", "--cassette", project.cassette], ["resume"]]) {
      project.write("other.spec.md", "# Other\n");
      const { code, stdout } = await project.slipway([...argv, "--json"]);
      expect(code).not.toBe(0);
      const { error } = JSON.parse(stdout) as { error: { code: string; details: Record<string, unknown> } };
      expect(error).toMatchObject({ code: "run_lease_held", details: { pid: child.process.pid, run_id: lease(project)?.["run_id"] } });
      expect(error.details["expires_at"]).toBeGreaterThan(Date.now());
    }
    expect(project.sql("SELECT run_id FROM runs")).toHaveLength(runs);
    letGo(project);
    expect((await child.ended).code).toBe(23);
  });

  test("an answer from another process is only recorded; the live run reads it and lands the feature", async () => {
    const project = slow();
    const child = await liveRun(project);
    const { epoch } = lease(project)!;
    expect((await project.slipway(["approve", "letters"])).code).toBe(0);
    await child.says("letters: merged into main");
    expect(lease(project)).toMatchObject({ epoch, pid: child.process.pid });
    letGo(project);
    expect((await child.ended).code).toBe(23);
    expect(project.git("show", "main:src/a.txt")).toBe("two\n");
  });

  test("[FEA-178] a killed supervisor is replaced at once, with a higher epoch; a normal end releases the lease", async () => {
    const project = slow();
    const child = await liveRun(project);
    const { epoch } = lease(project)!;
    child.process.kill("SIGKILL");
    await child.ended;
    letGo(project);
    expect((await project.slipway(["resume", "--cassette", project.cassette])).code).toBe(23);
    expect(lease(project)).toMatchObject({ epoch: Number(epoch) + 1, pid: null });
  });

  test("[FEA-173] a stop ends the live run, starts nothing new, is recorded and releases the lease; a resume continues", async () => {
    const project = slow();
    const child = await liveRun(project);
    expect((await project.slipway(["stop"])).code).toBe(0);
    expect(await child.ended).toMatchObject({ code: 23, stdout: expect.stringContaining("is stopped (stopped by kim)") });
    expect(lease(project)).toMatchObject({ pid: null });
    expect(project.sql("SELECT status FROM runs WHERE parent_run_id IS NULL")).toEqual([{ status: "stopped" }]);
    expect(project.sql("SELECT kind FROM events WHERE kind = 'stopped'")).toHaveLength(1);
    expect(project.sql("SELECT id FROM operations WHERE status = 'started' AND claim IS NOT NULL")).toEqual([]);
    letGo(project);
    const { code, stdout } = await project.slipway(["resume", "--cassette", project.cassette]);
    expect({ code, stdout }).toMatchObject({ code: 23, stdout: expect.stringContaining("slipway approve waiting") });
    expect(await project.slipway(["stop"])).toMatchObject({ code: 0, stdout: "No run is live; nothing was changed.\n" });
  });
});

describe("[FEA-172] providers of a resumed run", () => {
  /** Logs the model of each request and answers from the cassette. */
  function recordingAgent(project: Project): string {
    const log = join(project.home, "models");
    const script = [
      `const { readFileSync, appendFileSync } = require("node:fs");`,
      `const { role, attempt, model } = JSON.parse(readFileSync(0, "utf8"));`,
      `appendFileSync(${JSON.stringify(log)}, model + "\\n");`,
      `const { output } = JSON.parse(readFileSync(${JSON.stringify(project.cassette)} + "/" + role + "/letters." + attempt + ".json", "utf8"));`,
      `process.stdout.write(JSON.stringify({ output }));`,
    ].join(" ");
    const command = JSON.stringify([process.execPath, "-e", script]);
    project.write(
      "slipway/agents.yaml",
      `version: 1\nroles: {}\nruntime:\n  default_provider: replay\n  default_model: file-model\n  custom: { command: ${command} }\n`,
    );
    project.git("commit", "-qam", "agents");
    return log;
  }

  test("keeps its provider and model unless an option changes them", async () => {
    const project = letters();
    const log = recordingAgent(project);
    project.record("builder", "1", { type: "REQUEST", request: "more_context", text: "?" });
    project.record("builder", "2", { type: "REQUEST", request: "more_context", text: "again?" });
    project.record("builder", "3", { type: "NOTE", text: "hm" });
    const env = { ...project.env, MY_KEY: "a-secret-value" };
    const first = await project.slipway(
      ["run", "letters.spec.md", "--agent-provider", "custom", "--agent-model", "big", "--provider-config-env", "MY_KEY"],
      { env },
    );
    expect(first.code).toBe(23);
    await project.slipway(["answer", "Q1", "--comment", "go on"]);
    await project.slipway(["resume"], { env });
    expect(readFileSync(log, "utf8").trim().split("\n")).toEqual(["big", "big", "big"]);
    await project.slipway(["answer", "Q2", "--comment", "go on"]);
    await project.slipway(["resume"], { env });
    await project.slipway(["answer", "Q3", "retry"]);
    await project.slipway(["resume", "--agent-model", "small"], { env });
    expect(new Set(readFileSync(log, "utf8").trim().split("\n").slice(3))).toEqual(new Set(["small"]));
  });

  test("without a run to resume it says so", async () => {
    const { code, stderr } = await letters().slipway(["resume"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^nothing_to_resume: /);
  });
});

describe("the heartbeat", () => {
  const beating = (renew: () => Promise<void>): RunLease => ({ ttlMs: 15, renew }) as unknown as RunLease;

  test("reports a takeover; other errors are ignored, because they may pass", async () => {
    const troubles = [new SlipwayError("database_locked", "busy"), new SlipwayError("lease_lost", "taken over")];
    const heart = keepLease(
      beating(async () => {
        throw troubles.shift() ?? new Error("no more");
      }),
    );
    const keepsUp = setInterval(() => undefined, 1000);
    await new Promise((resolve) => heart.lost.addEventListener("abort", resolve, { once: true }));
    clearInterval(keepsUp);
    await heart.stop();
    expect(heart.lost.reason).toMatchObject({ code: "lease_lost" });
  });

  test("a lost lock blocks its feature, with the reason", async () => {
    const changes: unknown[] = [];
    const warnings: string[] = [];
    const lock = { resource: "events", holder: "letters", leaseId: "l", token: 7, expiresAt: 0 };
    const features = {
      changeStatus: async (call: { operationId: string }, input: { feature_id: string }) => {
        changes.push([call.operationId, input]);
        if (input.feature_id === "ended") throw new SlipwayError("invalid_status_transition", "it has ended");
      },
      keepLocks: async ({
        features: of,
        onLost,
        fence,
      }: {
        features: () => string[];
        onLost: (...lost: unknown[]) => void;
        fence: (tx: unknown) => Promise<void>;
      }) => {
        expect(of()).toEqual(["letters", "ended"]);
        await fence(null);
        onLost(lock, new SlipwayError("stale_lock_reclaimed", "other has it"));
        onLost({ ...lock, holder: "ended", token: 8 }, new SlipwayError("stale_lock_reclaimed", "other has it"));
        throw new Error("the disk is gone");
      },
    };
    const kept = keepLocksOf(
      { features } as unknown as Kernel,
      { assertHeld: async () => undefined } as unknown as RunLease,
      "run",
      [{ feature_id: "letters" }, { feature_id: "ended" }],
      (text) => warnings.push(text),
    );
    await kept.stop();
    expect(changes[0]).toEqual([
      "run/lost/events/7",
      { feature_id: "letters", to: "blocked", reason: "the lock events was lost: other has it" },
    ]);
    expect(warnings.toSorted()).toEqual([
      expect.stringContaining("it has ended"),
      expect.stringContaining("the locks of run are no longer renewed"),
    ]);
  });
});
