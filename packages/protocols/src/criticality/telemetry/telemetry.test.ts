import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { eventLine, EVENTS_FILE, telemetryEventSchema, type TelemetryEvent } from "./events.ts";
import { failurePatterns } from "./learning.ts";
import { projectCost } from "./projection.ts";
import { metricsReport, type SuccessMetrics } from "./success-metrics.ts";
import { printTelemetry, telemetryOf, telemetrySchema, TELEMETRY_FILE, type RunProgress } from "./telemetry.ts";

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 18, 12, 0, seconds)).toISOString();
const RUN = { runId: "run-1", projectName: "bank", startedAt: at(0) };
const PROGRESS: RunProgress = { phase: "injection", functionsTotal: 10, functionsComplete: 4, testsTotal: 20, testsPassing: 9 };

const moved = (seconds: number, from: string, to: string): TelemetryEvent => ({
  timestamp: at(seconds),
  event: "phase_transition",
  data: { from, to },
});
const called = (seconds: number, model: string, phase: string, usd: number): TelemetryEvent => ({
  timestamp: at(seconds),
  event: "model_call",
  data: { model, role: "worker", phase, tokensIn: 100, tokensOut: 10, durationMs: 5, usd },
});
const escalated = (seconds: number, name: string, from = "small", reason = "type"): TelemetryEvent => ({
  timestamp: at(seconds),
  event: "escalation",
  data: { function: name, from, to: "large", reason },
});

const EVENTS: readonly TelemetryEvent[] = [
  called(1, "large", "ignition", 0.5),
  moved(2, "ignition", "lattice"),
  moved(5, "lattice", "compositionAudit"),
  moved(6, "compositionAudit", "injection"),
  called(8, "small", "injection", 0.25),
  escalated(9, "a"),
  escalated(9, "a"),
  escalated(9, "b"),
  { timestamp: at(10), event: "circuit_break", data: { condition: "coherence", functions: ["a"] } },
  { timestamp: at(11), event: "block", data: { reason: "circuit_breaker", phase: "injection" } },
  moved(11, "injection", "blocked"),
  moved(31, "blocked", "lattice"),
  called(33, "small", "lattice", 0.25),
];

describe("telemetry.json", () => {
  const telemetry = telemetryOf(RUN, EVENTS, PROGRESS);

  test("[CRI-156] has run, cost, duration, quality and progress", () => {
    expect(TELEMETRY_FILE).toBe("telemetry.json");
    expect(telemetry).toEqual({
      runId: "run-1",
      projectName: "bank",
      startedAt: at(0),
      completedAt: null,
      cost: {
        totalTokensIn: 300,
        totalTokensOut: 30,
        totalUSD: 1,
        byModel: { large: { tokensIn: 100, tokensOut: 10, usd: 0.5 }, small: { tokensIn: 200, tokensOut: 20, usd: 0.5 } },
      },
      duration: { totalMs: 33_000, byPhase: { ignition: 2_000, lattice: 3_000 + 2_000, compositionAudit: 1_000, injection: 5_000 } },
      quality: { escalationRate: 0.2, circuitBreakerTriggers: 1, humanInterventions: 1 },
      progress: PROGRESS,
    });
    expect(telemetrySchema.parse(JSON.parse(printTelemetry(telemetry)))).toEqual(telemetry);
  });

  test("[CRI-156] a run that completed has the time of its end", () => {
    expect(telemetryOf(RUN, [...EVENTS, moved(40, "massDefect", "completed")], PROGRESS).completedAt).toBe(at(40));
  });

  test("a run without events costs nothing, and a clock set back takes no time", () => {
    expect(telemetryOf(RUN, [], { ...PROGRESS, functionsTotal: 0 })).toMatchObject({
      cost: { totalUSD: 0, byModel: {} },
      duration: { totalMs: 0, byPhase: {} },
      quality: { escalationRate: 0 },
    });
    expect(telemetryOf(RUN, [moved(-5, "ignition", "lattice")], PROGRESS).duration).toEqual({ totalMs: 0, byPhase: { ignition: 0 } });
  });
});

describe("events.jsonl", () => {
  test("[CRI-157] a line has timestamp, event and data, for five events and no other", () => {
    expect(EVENTS_FILE).toBe("events.jsonl");
    expect(new Set(EVENTS.map(({ event }) => event))).toEqual(
      new Set(["model_call", "phase_transition", "escalation", "circuit_break", "block"]),
    );
    for (const event of EVENTS) {
      expect(Object.keys(JSON.parse(eventLine(event)))).toEqual(["timestamp", "event", "data"]);
      expect(telemetryEventSchema.parse(JSON.parse(eventLine(event)))).toEqual(event);
    }
    expect(telemetryEventSchema.safeParse({ timestamp: at(0), event: "coffee", data: {} }).success).toBe(false);
  });

  test("[CRI-157] any text stays on one line", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (name) => {
        const line = eventLine(escalated(1, `${name}\n{}`));
        expect(line.indexOf("\n")).toBe(line.length - 1);
        expect(JSON.parse(line)).toEqual(escalated(1, `${name}\n{}`));
      }),
    );
  });
});

describe("success metrics", () => {
  const AT_LIMIT: SuccessMetrics = {
    compilationRate: 1,
    testPassRate: 0.95,
    securityVulnerabilities: 0,
    costPer1KLOC: 3,
    timePer1KLOC: 4,
    escalationToStructurerModel: 0.1,
    escalationToArchitectModel: 0.01,
    mtbf: 5,
    recoveryRate: 0.95,
    humanInterventionRate: 0.05,
    avgCyclomaticComplexity: 10,
    testCoverage: 0.8,
  };

  test("[CRI-158] each is compared with its target; three are only tracked", () => {
    const rows = metricsReport(AT_LIMIT).map(({ metric, target, met }) => [metric, target, met]);
    expect(rows).toEqual([
      ["compilationRate", "= 1", true],
      ["testPassRate", ">= 0.95", true],
      ["securityVulnerabilities", "= 0", true],
      ["costPer1KLOC", null, null],
      ["timePer1KLOC", null, null],
      ["escalationToStructurerModel", "< 0.1", false],
      ["escalationToArchitectModel", "< 0.01", false],
      ["mtbf", null, null],
      ["recoveryRate", ">= 0.95", true],
      ["humanInterventionRate", "< 0.05", false],
      ["avgCyclomaticComplexity", "< 10", false],
      ["testCoverage", "> 0.8", false],
    ]);
  });

  test("[CRI-158] just beyond the limit the verdicts turn; what was not measured has none", () => {
    const better = metricsReport({
      ...AT_LIMIT,
      compilationRate: 0.99,
      testPassRate: 0.94,
      securityVulnerabilities: 1,
      escalationToStructurerModel: 0.09,
      testCoverage: 0.81,
      mtbf: null,
      recoveryRate: null,
    });
    const met = Object.fromEntries(better.map((row) => [row.metric, row.met]));
    expect(met).toMatchObject({
      compilationRate: false,
      testPassRate: false,
      securityVulnerabilities: false,
      escalationToStructurerModel: true,
      testCoverage: true,
      recoveryRate: null,
    });
  });
});

describe("the cost of a run", () => {
  const events = [called(1, "large", "ignition", 1), called(2, "small", "injection", 2), escalated(3, "a"), escalated(4, "b")];

  test("[CRI-193] by model and phase, with the rest of Injection by function and later phases as in earlier runs", () => {
    const projection = projectCost(events, PROGRESS, [{ mesoscopic: 1, massDefect: 2 }, { mesoscopic: 3 }]);
    expect(projection).toMatchObject({
      spentUSD: 3,
      byPhase: { ignition: { usd: 1 }, injection: { usd: 2 } },
      byModel: { large: { usd: 1 } },
    });
    // 2 USD for 4 of 10 functions: 3 for the other 6; then 2 and 2.
    expect(projection.expectedUSD).toBe(3 + 3 + 2 + 2);
  });

  test("[CRI-193] tells nothing where nothing is known", () => {
    expect(projectCost(events, PROGRESS).expectedUSD).toBeNull();
    expect(projectCost(events, { ...PROGRESS, functionsComplete: 0 }, [{ mesoscopic: 1, massDefect: 1 }]).expectedUSD).toBeNull();
    expect(projectCost([], { ...PROGRESS, phase: "massDefect" }, [{ massDefect: 2 }]).expectedUSD).toBe(2);
    expect(projectCost([], PROGRESS, [{ mesoscopic: 1, massDefect: 1 }]).expectedUSD).toBe(2);
    expect(projectCost([called(1, "small", "massDefect", 5)], { ...PROGRESS, phase: "massDefect" }, [{ massDefect: 2 }]).expectedUSD).toBe(
      5,
    );
  });

  test("[CRI-193] suggests another model where more than a tenth of the functions escalate", () => {
    expect(projectCost(events, PROGRESS).suggestions).toEqual([
      "20 % of the functions escalated from small; start such functions with large.",
    ]);
    expect(projectCost([escalated(1, "a"), escalated(2, "a")], PROGRESS).suggestions).toEqual([]);
    expect(projectCost(events, { ...PROGRESS, functionsTotal: 0 }).suggestions).toEqual([]);
  });
});

describe("learning from failures", () => {
  const run = (project: string, events: TelemetryEvent[], isCompleted = true) => ({ project, isCompleted, events });

  test("[CRI-194] counts failures of finished projects by model and reason, with a proposal; a running one is left out", () => {
    const patterns = failurePatterns([
      run("bank", [escalated(1, "a"), escalated(2, "b"), escalated(3, "c", "small", "style")]),
      run("shop", [escalated(1, "x"), escalated(2, "y", "other", "test")]),
      run("open", [escalated(1, "x"), escalated(1, "x"), escalated(1, "x")], false),
    ]);
    expect(patterns).toEqual([
      { model: "small", reason: "type", count: 3, projects: ["bank", "shop"], proposal: "Give the model definitions of more types." },
      { model: "other", reason: "test", count: 1, projects: ["shop"], proposal: expect.stringContaining("postconditions") },
      { model: "small", reason: "style", count: 1, projects: ["bank"], proposal: "Read the transcripts of these attempts." },
    ]);
  });

  test("[CRI-194] no source of a running protocol imports what was learned", () => {
    const root = join(import.meta.dirname, "..");
    const reading = readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !entry.name.endsWith(".test.ts"))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => /from "[^"]*telemetry\/learning\.ts"|from "\.\/learning\.ts"/.test(readFileSync(file, "utf8")));
    expect(reading.map((file) => relative(root, file)).filter((file) => !file.startsWith("commands/"))).toEqual([]);
  });
});
