import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { POLICY } from "@slipway/kernel/change/testing/scratch-kernel";
import { openReceiver } from "@slipway/kernel/notify/testing/receiver";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { watchLive, type Every } from "./live-ctx.ts";
import { readLedger } from "./ledger/testing/read-ledger.ts";
import type { Facts } from "./machine/facts.ts";
import { stateFileSchema, type StateFile } from "./machine/state-file.ts";
import { readStateFile } from "./machine/testing/read-state-file.ts";
import { subStateName } from "./machine/states.ts";
import type { OpenedSession } from "./open-session.ts";
import { BLOCK_KIND, resolveBlocked } from "./phases/resolve-phase.ts";
import { LEDGER_FILE } from "./run-projection.ts";
import { readRun } from "./store.ts";
import { EVENTS_FILE, telemetryEventSchema } from "./telemetry/events.ts";
import { telemetrySchema } from "./telemetry/telemetry.ts";
import { NO_WORK } from "./work.ts";
import { openStateScene, RUN_ID, WAY, type StateScene } from "./testing/state-scene.ts";

let scene: StateScene;
afterEach(() => scene.close());

async function take(session: OpenedSession, ...ways: readonly (readonly Facts[])[]): Promise<string> {
  for (const facts of ways.flat()) await session.keeper.advance(facts);
  return subStateName(session.keeper.current());
}

const pause = (session: OpenedSession, name = "pause") =>
  session.run.ctx.ask(name, { kind: "test", title: "Continue?", schema: z.literal("yes"), answerableBy: ["person"] });

const lines = (text: string | null) => (text ?? "").split("\n").filter((line) => line !== "");
const events = () => lines(scene.file(EVENTS_FILE)).map((line) => telemetryEventSchema.parse(JSON.parse(line)));

/** One question to a model in a phase. */
const ask = (session: OpenedSession, name: string, phase: "ignition" | "lattice") =>
  session.run.askModel(name, {
    phase,
    skill: phase === "ignition" ? "synthesize_spec" : "scaffold_module",
    alias: phase === "ignition" ? "architect_model" : "structurer_model",
    subject: "spec",
    attempt: name,
    artifacts: [{ title: "Task", kind: "task", text: `the prompt of ${name}` }],
    schema: z.object({}),
  });

describe("the files of a run", () => {
  test("[CRI-175] [CRI-179] state.json, telemetry, ledger and checkpoints are there from the first transition on, and follow each", async () => {
    const seen: string[] = [];
    scene = await openStateScene(async (session) => {
      for (const facts of [...WAY.lattice, ...WAY.compositionAudit, ...WAY.injection]) {
        await session.keeper.advance(facts);
        const file = stateFileSchema.parse(scene.json<StateFile>("state.json"));
        expect(file.protocolState).toEqual(session.keeper.current());
        expect(telemetrySchema.parse(scene.json("telemetry.json")).progress.phase).toBe(file.phaseProgress?.phase);
        seen.push(`${file.phaseProgress?.phase}.${file.phaseProgress?.subState}`);
      }
    });
    expect(await scene.drive()).toMatchObject({ status: "completed" });
    expect(new Set(seen).size).toBeGreaterThan(5);
    const file = readStateFile(scene.file("state.json") ?? "");
    expect(file).toMatchObject({ version: "1.0.0", projectId: "bank", ledgerPath: LEDGER_FILE });
    expect(file.metrics).toMatchObject({ totalCompilations: 1, totalModelCalls: 0 });
    expect(file.pending).toEqual({ modelCall: null, compilerRun: true, testRun: null });
    expect(readdirSync(join(scene.folder, "checkpoints")).toSorted()).toEqual(["compositionAudit.json", "injection.json", "lattice.json"]);
    expect(scene.json<StateFile>("checkpoints/lattice.json").phaseProgress).toEqual({ phase: "lattice", subState: "generatingStructure" });
    expect(readLedger(scene.file(LEDGER_FILE) ?? "").meta.created).toBe(file.createdAt);
  });

  test("[CRI-157] [CRI-175] a model's calls are events with their cost, and counted by role", async () => {
    scene = await openStateScene(async (session) => {
      await ask(session, "one", "ignition");
      await ask(session, "two", "ignition");
      return take(session, WAY.lattice);
    });
    await scene.drive();
    const calls = events().filter(({ event }) => event === "model_call");
    expect(calls.map(({ data }) => data)).toMatchObject([
      { model: "scripted-1", role: "architect_model", phase: "ignition", tokensIn: 100, tokensOut: 10, usd: 0.25 },
      { model: "scripted-1", role: "architect_model", phase: "ignition", tokensIn: 100, tokensOut: 10, usd: 0.25 },
    ]);
    expect(telemetrySchema.parse(scene.json("telemetry.json")).cost).toEqual({
      totalTokensIn: 200,
      totalTokensOut: 20,
      totalUSD: 0.5,
      byModel: { "scripted-1": { tokensIn: 200, tokensOut: 20, usd: 0.5 } },
    });
    expect(scene.json<StateFile>("state.json").metrics).toMatchObject({
      totalModelCalls: 2,
      modelCallsByRole: { architect_model: 2 },
      estimatedCost: 0.5,
    });
    expect(JSON.parse((await readRun(scene.records.database.db, RUN_ID))?.telemetry ?? "")).toEqual(scene.json("telemetry.json"));
  });

  test("[CRI-157] transitions, escalations, circuit breaks and blocks are events, in order, each once also after a restart", async () => {
    const failure = { type: "test" as const, failingTests: [{ test: "t", message: "m" }] };
    const attempt = { functionId: "src/a.ts#f", currentTier: "worker" as const, attemptInTier: 1, totalAttempts: 1 };
    const defect = { condition: "function_exhausted" as const, rate: null, functions: ["src/a.ts#f"], modules: [], failureTypes: [] };
    scene = await openStateScene(async (session) => {
      await take(session, WAY.lattice, WAY.compositionAudit, WAY.injection);
      await take(session, [{ attempt }, { implementation: "x" }, { compile: "passed" }]);
      await pause(session);
      await take(session, [{ tests: "failed", failure: { failure, action: { type: "escalate", from: "worker", to: "fallback1" } } }]);
      await take(session, [{ attempt: { ...attempt, currentTier: "fallback1" } }, { implementation: "y" }]);
      const block = { type: "circuit_breaker" as const, failedFunction: "src/a.ts#f", attempts: [], defect };
      return take(session, [{ compile: "failed", failure: { failure, action: { type: "circuitBreak", humanReview: false } }, block }]);
    });
    await scene.drive();
    await scene.answer("yes");
    expect(await scene.drive()).toMatchObject({ value: "blocked" });
    expect(events().map(({ event, data }) => [event, data])).toEqual([
      ["phase_transition", { from: "ignition", to: "lattice" }],
      ["phase_transition", { from: "lattice", to: "compositionAudit" }],
      ["phase_transition", { from: "compositionAudit", to: "injection" }],
      ["escalation", { function: "src/a.ts#f", from: expect.any(String), to: expect.any(String), reason: "test" }],
      ["circuit_break", { condition: "function_exhausted", functions: ["src/a.ts#f"] }],
      ["block", { reason: "circuit_breaker", phase: "injection" }],
      ["phase_transition", { from: "injection", to: "blocked" }],
    ]);
    const { quality } = telemetrySchema.parse(scene.json("telemetry.json"));
    expect(quality).toMatchObject({ circuitBreakerTriggers: 1, humanInterventions: 1 });
  });

  test("[CRI-087] ledger.toml has every decision with the next phase", async () => {
    scene = await openStateScene(async (session) => {
      await session.run.ledger.append("decide", [
        { constraint: "Amounts are cents", category: "data_model", source: "architect", phase: "ignition", confidence: "inferred" },
      ]);
      return take(session, WAY.lattice);
    });
    await scene.drive();
    expect(readLedger(scene.file(LEDGER_FILE) ?? "").decisions).toMatchObject([{ constraint: "Amounts are cents" }]);
  });

  test("[CRI-177] all of it comes back after the folder was removed, when the run is resumed", async () => {
    scene = await openStateScene(async (session) => {
      await ask(session, "one", "ignition");
      await take(session, WAY.lattice);
      await ask(session, "two", "lattice");
      await pause(session);
      return take(session, WAY.compositionAudit);
    });
    await scene.drive();
    const all = () => readdirSync(scene.folder, { recursive: true, encoding: "utf8" }).filter((path) => !path.startsWith("transcripts"));
    const before = all();
    const told = events();
    rmSync(scene.folder, { recursive: true });
    await scene.answer("yes");
    expect(await scene.drive()).toMatchObject({ value: "compositionAudit.auditing" });
    for (const path of before) expect(all()).toContain(path);
    expect(events().slice(0, told.length)).toEqual(told);
    expect(events().length).toBe(told.length + 2);
  });
});

describe("leaving a phase", () => {
  test("[CRI-002] the conversation is below archive/, call by call, and no longer in the way of the next phase", async () => {
    scene = await openStateScene(async (session) => {
      await ask(session, "one", "ignition");
      await ask(session, "two", "ignition");
      await take(session, WAY.lattice);
      await ask(session, "three", "lattice");
      return take(session, WAY.compositionAudit);
    });
    await scene.drive();
    const said = (path: string) => scene.file(`archive/conversations/${path}`);
    expect(said("1-ignition/1-architect_model.jsonl")).toContain("the prompt of one");
    expect(said("1-ignition/2-architect_model.jsonl")).toContain("the prompt of two");
    expect(said("2-lattice/1-structurer_model.jsonl")).toContain("the prompt of three");
    expect(said("2-lattice/2-structurer_model.jsonl")).toBeNull();
    expect(scene.json<StateFile>("state.json").artifacts.archive).toEqual(["archive/conversations"]);
  });

  const failing = async () => {
    scene = await openStateScene(async (session) => {
      await ask(session, "one", "ignition");
      return take(session, WAY.lattice);
    });
    mkdirSync(scene.folder, { recursive: true });
    writeFileSync(join(scene.folder, "archive"), "a file where the folder must be");
    expect(await scene.drive()).toMatchObject({ status: "waiting" });
  };

  test("[CRI-132] [CRI-130] an archive that cannot be written blocks the run before the next phase, with the state on disk", async () => {
    await failing();
    const question = await scene.question();
    expect(question).toMatchObject({ kind: BLOCK_KIND, context: { phase: "ignition", category: "archive_failure" } });
    expect(question.body).toContain(join(scene.folder, "archive"));
    expect(scene.json<StateFile>("state.json").protocolState).toMatchObject({
      type: "blocked",
      data: { reason: { type: "archive_failure" }, priorPhase: "ignition", priorSubState: "awaitingApproval" },
    });
    expect(JSON.parse((await readRun(scene.records.database.db, RUN_ID))?.state ?? "")).toMatchObject({ type: "blocked" });
    expect(events().map(({ data }) => data)).not.toContainEqual({ from: "ignition", to: "lattice" });
    const steps = await scene.steps();
    await scene.drive();
    expect(await scene.steps()).toEqual(steps);
  });

  test("[CRI-132] after the cause is gone, `retry` archives and goes on to the next phase", async () => {
    await failing();
    rmSync(join(scene.folder, "archive"));
    await scene.answer({ decision: "retry" });
    expect(await scene.drive()).toMatchObject({ value: "lattice.generatingStructure" });
    expect(scene.file("archive/conversations/1-ignition/1-architect_model.jsonl")).toContain("the prompt of one");
    expect(events().map(({ event, data }) => (event === "phase_transition" ? `${data.from} ${data.to}` : event))).toEqual([
      "model_call",
      "block",
      "ignition blocked",
      "blocked ignition",
      "ignition lattice",
    ]);
  });

  test("[CRI-132] a retry that fails again blocks again, and a person can end the run", async () => {
    await failing();
    await scene.answer({ decision: "retry" });
    expect(await scene.drive()).toMatchObject({ status: "waiting" });
    expect((await scene.question()).context["query"]).toBe("archive_failure_002");
    await scene.answer({ decision: "give_up", comment: "no disk" });
    expect(await scene.drive()).toMatchObject({ value: { given_up: expect.stringContaining("no disk") as string } });
  });

  test("a file that cannot be written outside an archive does not stop the run", async () => {
    scene = await openStateScene((session) => take(session, WAY.lattice.slice(0, 2)));
    mkdirSync(join(scene.folder, "telemetry.json"), { recursive: true });
    expect(await scene.drive()).toMatchObject({ value: "ignition.awaitingApproval" });
    expect(scene.json<StateFile>("state.json").phaseProgress?.subState).toBe("awaitingApproval");
  });

  test("[CRI-133] a new phase is told to the webhooks, once, also after a restart", async () => {
    const receiver = await openReceiver();
    const policy = `${POLICY}notifications: { allow_loopback: true, channels: [{ type: webhook, endpoint: "${receiver.url}", events: [phase_change] }] }\n`;
    scene = await openStateScene(
      async (session) => {
        await take(session, WAY.lattice);
        await pause(session);
        return take(session, WAY.compositionAudit);
      },
      { policy },
    );
    await scene.drive();
    await scene.answer("yes");
    await scene.drive();
    await scene.settle();
    const told = receiver.received.map(({ body }) => JSON.parse(body) as { event: string; protocol_state: object });
    expect(told.map(({ event, protocol_state }) => ({ event, ...protocol_state }))).toEqual([
      { event: "phase_change", type: "active", run_id: RUN_ID, phase: "lattice", from: "ignition" },
      { event: "phase_change", type: "active", run_id: RUN_ID, phase: "compositionAudit", from: "lattice" },
    ]);
    await receiver.close();
  });
});

describe("the notification of a block", () => {
  const BLOCK: Facts = { block: { type: "user_requested", message: "look at it" }, blocks: 0 };
  const blockedRun = (policy: string) =>
    openStateScene(
      async (session) => {
        const state = await session.keeper.advance(BLOCK);
        if (state.type !== "blocked") throw new TypeError(state.type);
        return resolveBlocked(session, NO_WORK, state.data);
      },
      { policy },
    );
  const sentInFile = () => (scene.json<StateFile>("state.json").protocolState.data as { notificationSent?: boolean }).notificationSent;
  const sentInRow = async () => (JSON.parse((await readRun(scene.records.database.db, RUN_ID))?.state ?? "") as Sent).data.notificationSent;
  interface Sent {
    readonly data: { readonly notificationSent?: boolean };
  }

  test("[CRI-138] [CRI-166] notificationSent is true once it went out, also after a restart, and it goes out once", async () => {
    const receiver = await openReceiver();
    scene = await blockedRun(
      `${POLICY}notifications: { allow_loopback: true, channels: [{ type: webhook, endpoint: "${receiver.url}", events: [block] }] }\n`,
    );
    expect(await scene.drive()).toMatchObject({ status: "waiting" });
    await scene.settle();
    expect([sentInFile(), await sentInRow()]).toEqual([true, true]);
    const file = scene.file("state.json");
    rmSync(scene.folder, { recursive: true });
    await scene.drive();
    await scene.settle();
    expect(scene.file("state.json")).toBe(file);
    const told = receiver.received.map(({ body }) => JSON.parse(body) as { event: string; blocking_record: object });
    expect(told).toMatchObject([{ event: "block", blocking_record: { id: `${RUN_ID}#block:1`, resolved: false } }]);
    await receiver.close();
  });

  test("[CRI-138] it stays false if nobody is told", async () => {
    scene = await blockedRun(POLICY);
    expect(await scene.drive()).toMatchObject({ status: "waiting" });
    expect([sentInFile(), await sentInRow()]).toEqual([false, false]);
  });
});

describe("[CRI-183] the time limit of a phase", () => {
  /** Each call of a model takes 40 s. */
  const limited = async (config: string, work: (session: OpenedSession) => Promise<unknown>) => {
    let now = Date.UTC(2026, 10, 18);
    const clock = { now: () => now, monotonic: () => now };
    scene = await openStateScene(work, { config, clock, answer: () => ((now += 40_000), {}) });
    return scene.drive();
  };
  const twoCalls = async (session: OpenedSession) => {
    await ask(session, "one", "ignition");
    await take(session, WAY.lattice.slice(0, 1));
    await ask(session, "two", "ignition");
    return take(session, WAY.lattice.slice(1, 2));
  };
  const limit = (key: string, seconds: number) => `[orchestrator.timeouts]\n${key} = ${seconds}\n`;

  test("Ignition asks a person when its models have worked longer than ignition_max_seconds, and goes on where it was", async () => {
    expect(await limited(limit("ignition_max_seconds", 79), twoCalls)).toMatchObject({ status: "waiting" });
    const question = await scene.question();
    expect(question.body).toContain("Models have worked for 80 s in Ignition; ignition_max_seconds allows 79 s.");
    expect(question.context).toMatchObject({ phase: "ignition", category: "provider_unavailable" });
    await scene.answer({ decision: "retry" });
    expect(await scene.drive()).toMatchObject({ value: "ignition.awaitingApproval" });
  });

  test("exactly the limit is within it", async () => {
    expect(await limited(limit("ignition_max_seconds", 80), twoCalls)).toMatchObject({ value: "ignition.awaitingApproval" });
  });

  const inLattice = async (session: OpenedSession) => {
    await ask(session, "before", "ignition");
    await take(session, WAY.lattice);
    await ask(session, "one", "lattice");
    return take(session, WAY.compositionAudit.slice(0, 1));
  };

  test("Lattice has lattice_max_seconds, in which earlier phases do not count", async () => {
    expect(await limited(limit("lattice_max_seconds", 40), inLattice)).toMatchObject({ value: "lattice.compilingCheck" });
  });

  test("Lattice asks a person above it, who can end the run", async () => {
    expect(await limited(limit("lattice_max_seconds", 39), inLattice)).toMatchObject({ status: "waiting" });
    await scene.answer({ decision: "give_up", comment: "too slow" });
    expect(await scene.drive()).toMatchObject({ value: { given_up: expect.stringContaining("too slow") as string } });
  });
});

describe("[CRI-179] the interval", () => {
  const watched = (session: OpenedSession, every: Every, onBeat: () => Promise<void>) =>
    watchLive(session.run.ctx, { isAnswered: async () => true, onLive: async () => undefined, beatMs: 60_000, onBeat, every });

  test("a long step writes the state again while it is at work, and not after it", async () => {
    let stopped = 0;
    let writes = 0;
    scene = await openStateScene(async (session) => {
      let beat = () => undefined as void;
      const every = (ms: number, work: () => void) => {
        expect(ms).toBe(60_000);
        beat = work;
        return { stop: () => void stopped++ };
      };
      return watched(session, every, async () => void writes++).step("long", async () => {
        beat();
        beat();
        return "done";
      });
    });
    expect(await scene.drive()).toMatchObject({ value: "done" });
    expect([writes, stopped]).toEqual([2, 1]);
  });

  test("a failed write of the interval fails no step", async () => {
    scene = await openStateScene((session) =>
      watched(
        session,
        (_ms, work) => (work(), { stop: () => undefined }),
        () => Promise.reject(new Error("no")),
      ).step("long", async () => "done"),
    );
    expect(await scene.drive()).toMatchObject({ value: "done" });
  });

  test("each time the time of the last checkpoint in state.json is new", async () => {
    let now = Date.UTC(2026, 10, 18);
    const times: string[] = [];
    const look = () => void times.push(scene.json<StateFile>("state.json").lastCheckpoint);
    scene = await openStateScene(
      async (session) => {
        await take(session, WAY.lattice.slice(0, 1));
        return session.run.ctx.step("long", async () => {
          look();
          now += 60_000;
          await session.touch();
          look();
          return null;
        });
      },
      { clock: { now: () => now, monotonic: () => now } },
    );
    await scene.drive();
    expect(times).toEqual(["2026-11-18T00:00:00.000Z", "2026-11-18T00:01:00.000Z"]);
    expect(scene.json<StateFile>("state.json").phaseProgress?.subState).toBe("synthesizing");
  });
});

describe("a resumed run", () => {
  test("[CRI-177] shows no past while it is replayed, and all files at the question where it waits", async () => {
    const seen: (string | null)[] = [];
    scene = await openStateScene(async (session) => {
      await take(session, WAY.lattice.slice(0, 1));
      await session.run.files.flush();
      seen.push(scene.file("state.json"));
      await take(session, WAY.lattice.slice(1));
      await pause(session);
    });
    await scene.drive();
    const waiting = scene.file("state.json");
    seen.length = 0;
    expect(await scene.drive()).toMatchObject({ status: "waiting" });
    expect(seen).toEqual([waiting]);
    rmSync(scene.folder, { recursive: true });
    await scene.drive();
    expect(scene.file("state.json")).toBe(waiting);
    expect(scene.file("telemetry.json")).not.toBeNull();
  });
});
