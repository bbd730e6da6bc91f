import { describe, expect, test } from "vitest";
import type { FunctionRow } from "@slipway/protocols/criticality/run-artifacts";
import type { TelemetryEvent } from "@slipway/protocols/criticality/telemetry/events";
import { letters, type Project } from "../testing/project.ts";
import { activeState, after, called, checkpoint, COMPLETED, moved, recordRun, type RecordedRun } from "../testing/recorded-criticality.ts";

const FIRST = "src/a.ts#first";
const SECOND = "src/a.ts#second";

const written = (id: string): FunctionRow => ({ id, status: "accepted", attempts: 1, tier: "worker", claims: [] });
const hole = (id: string): FunctionRow => ({ ...written(id), status: "hole", attempts: 0, tier: null });

const PHASES = ["ignition", "lattice", "compositionAudit", "injection", "mesoscopic", "massDefect", "completed"];

/** A completed run that cost 1 USD in each phase. */
const EARLIER: RecordedRun = {
  id: "2026-11-17_tides",
  state: COMPLETED,
  artifacts: { functions: [written(FIRST), written(SECOND)] },
  steps: PHASES.slice(1).map((to, index) => {
    const from = PHASES[index] ?? "";
    const seconds = 10 * (index + 1);
    return checkpoint(
      index + 1,
      to === "completed" ? to : `${to}.first`,
      seconds,
      called("small", from, 1, seconds - 5),
      moved(from, to, seconds),
    );
  }),
  program: {
    "src/a.ts": "export function first(a: number): number {\n  return a > 1 ? 1 : a;\n}\n\n",
    "src/a.json": "{}\n",
    "README.md": "# A\n",
  },
};

const ESCALATED: TelemetryEvent = {
  timestamp: after(22),
  event: "escalation",
  data: { function: FIRST, from: "small", to: "middle", reason: "type" },
};

/** One of two functions is written, for 0.75 USD; it escalated. */
const UNFINISHED: RecordedRun = {
  id: "2026-11-18_tides",
  state: activeState({
    phase: "injection",
    subState: { type: "selectingFunction", data: { remainingFunctions: [SECOND], completedFunctions: [FIRST], failedFunctions: [] } },
  }),
  artifacts: { functions: [{ ...written(FIRST), attempts: 2, tier: "fallback1" }, hole(SECOND)] },
  steps: [
    checkpoint(1, "lattice.compilingCheck", 10, called("large", "ignition", 2, 5), moved("ignition", "lattice", 10)),
    checkpoint(2, "injection.implementing", 20, moved("lattice", "injection", 20)),
    checkpoint(
      3,
      "injection.selectingFunction",
      22,
      called("small", "injection", 0.25, 21),
      ESCALATED,
      called("middle", "injection", 0.5, 22),
    ),
  ],
};

const block = (reason: string, seconds: number): TelemetryEvent => ({
  timestamp: after(seconds),
  event: "block",
  data: { reason, phase: "injection" },
});

async function withRuns(...runs: readonly RecordedRun[]): Promise<Project> {
  const project = letters();
  for (const run of runs) await recordRun(project, run);
  return project;
}

describe("[CRI-193] slipway criticality telemetry", () => {
  const newest = ["criticality", "telemetry", "--run", "2026-11-18_tides"];

  test("shows tokens and USD per model and phase", async () => {
    const project = await withRuns(UNFINISHED);
    const { stdout } = await project.slipway(newest);
    expect(stdout).toContain("run 2026-11-18_tides: $2.75, 3,000 tokens in, 300 out, 22 s\n");
    expect(stdout).toContain(
      "by model\n  large: $2.00, 1,000 tokens in, 100 out\n  small: $0.25, 1,000 tokens in, 100 out\n  middle: $0.50,",
    );
    expect(stdout).toContain("by phase\n  Ignition: $2.00, 1,000 tokens in, 100 out\n  Injection: $0.75, 2,000 tokens in, 200 out\n");
    expect(stdout).toContain("time by phase\n  Ignition: 10 s\n  Lattice: 10 s\n  Injection: 2 s\n");
    expect(stdout).toContain("escalation rate 50 %, circuit breaks 0, human interventions 0\n");
  });

  test("projects the cost to the end from what is written and from completed runs", async () => {
    const project = await withRuns(EARLIER, UNFINISHED);
    // Spent 2.75, the other function 0.75, and 1.00 each for Mesoscopic and Mass Defect.
    expect((await project.slipway(newest)).stdout).toContain("projection: $5.50 in all\n");
    expect((await project.slipway([...newest, "--json"])).json()).toMatchObject([{ projection: { spentUSD: 2.75, expectedUSD: 5.5 } }]);
  });

  test("guesses nothing without a completed run, and projects nothing once a run is complete", async () => {
    const project = await withRuns(UNFINISHED);
    expect((await project.slipway(newest)).stdout).toContain("projection: unknown;");
    const done = await withRuns(EARLIER);
    const { stdout } = await done.slipway(["criticality", "telemetry"]);
    expect(stdout).toContain("$6.00");
    expect(stdout).not.toContain("projection");
  });

  test("suggests another model where too many functions escalate", async () => {
    const project = await withRuns(UNFINISHED);
    expect((await project.slipway(newest)).stdout).toContain(
      "suggestion: 50 % of the functions escalated from small; start such functions with middle.\n",
    );
  });

  test("has the fields of telemetry.json", async () => {
    const project = await withRuns(UNFINISHED);
    const [found] = (await project.slipway([...newest, "--json"])).json<Record<string, unknown>>();
    expect(Object.keys(found ?? {})).toEqual([
      "runId",
      "projectName",
      "startedAt",
      "completedAt",
      "cost",
      "duration",
      "quality",
      "progress",
      "projection",
    ]);
    expect(found).toMatchObject({
      progress: { phase: "injection", functionsTotal: 2, functionsComplete: 1, testsTotal: 1, testsPassing: 1 },
    });
  });

  test("counts breaks and blocks", async () => {
    const data = { condition: "function_exhausted", functions: [FIRST] };
    const broken: TelemetryEvent = { timestamp: after(30), event: "circuit_break", data };
    const project = await withRuns({ ...UNFINISHED, steps: [checkpoint(1, "blocked", 30, broken, block("circuit_breaker", 30))] });
    expect((await project.slipway(newest)).stdout).toContain("escalation rate 0 %, circuit breaks 1, human interventions 1\n");
  });
});

describe("[CRI-158] slipway criticality metrics", () => {
  interface Row {
    readonly metric: string;
    readonly value: number | null;
    readonly target: string | null;
    readonly met: boolean | null;
  }

  async function metricsOf(project: Project, ...more: string[]): Promise<Record<string, Row>> {
    const [found] = (await project.slipway(["criticality", "metrics", "--json", ...more])).json<{ metrics: Row[] }>();
    return Object.fromEntries((found?.metrics ?? []).map((row) => [row.metric, row]));
  }

  test("compares each metric with its target; three are tracked without one", async () => {
    const project = await withRuns(EARLIER);
    const { code, stdout } = await project.slipway(["criticality", "metrics"]);
    expect(code).toBe(0);
    expect(stdout.split("\n").slice(0, 9)).toEqual([
      "1 run",
      "correctness",
      "  compilation rate from Lattice: 100 % (target = 100 %)  met",
      "  test pass rate: 100 % (target >= 95 %)  met",
      "  security vulnerabilities: 0 (target = 0)  met",
      "efficiency",
      // 6 USD for the four lines of src.
      "  cost per 1,000 lines: $1500 (no target)",
      "  time per 1,000 lines: 0 min (no target)",
      "  functions escalated to structurer_model: 0 % (target < 10 %)  met",
    ]);
    expect(stdout).toContain("  runs with human intervention: 0 % (target < 5 %)  met\n");
    expect(stdout).toContain("  average cyclomatic complexity: 2 (target < 10)  met\n");
    expect(stdout).toContain("  line coverage: not measured (target > 80 %)\n");
    expect(Object.values(await metricsOf(project)).map(({ target }) => target)).toEqual([
      "= 1",
      ">= 0.95",
      "= 0",
      null,
      null,
      "< 0.1",
      "< 0.01",
      null,
      ">= 0.95",
      "< 0.05",
      "< 10",
      "> 0.8",
    ]);
  });

  test("is over all runs, or over one", async () => {
    const project = await withRuns(EARLIER, UNFINISHED);
    expect(await metricsOf(project)).toMatchObject({ escalationToStructurerModel: { value: 0.25, met: false } });
    expect(await metricsOf(project, "--run", "2026-11-18_tides")).toMatchObject({
      escalationToStructurerModel: { value: 0.5, met: false },
      avgCyclomaticComplexity: { value: null, met: null },
      compilationRate: { value: 1 },
    });
    expect((await project.slipway(["criticality", "metrics"])).stdout).toMatch(/^2 runs\n/);
  });

  test("counts runs that a person had to help, runs that were given up or have no structure that compiles, accepted findings, and coverage", async () => {
    const project = await withRuns({
      ...EARLIER,
      id: "2026-11-16_tides",
      state: activeState({ phase: "lattice", subState: { type: "compilingCheck", data: { compileAttempt: 1 } } }),
      steps: [checkpoint(1, "lattice.compilingCheck", 10, block("structural_defect", 10)), { name: "reduce:coverage:1", value: 0.5 }],
    });
    expect(await metricsOf(project)).toMatchObject({
      compilationRate: { value: 0, met: false },
      securityVulnerabilities: { value: null, met: null },
      humanInterventionRate: { value: 1, met: false },
      recoveryRate: { value: 0, met: false },
      testCoverage: { value: 0.5, met: false },
    });
    const decision = { category: "security_review", phase: "injection", source: "user_explicit", confidence: "canonical" } as const;
    const risky = await withRuns({ ...EARLIER, decisions: [{ ...decision, constraint: "security_review_001: Accept the findings" }] });
    expect(await metricsOf(risky)).toMatchObject({ securityVulnerabilities: { value: 1, met: false } });
  });

  test("measures no complexity in a program without sources of a known language", async () => {
    const project = await withRuns({ ...EARLIER, program: { "src/a.txt": "one\n" } });
    expect(await metricsOf(project)).toMatchObject({ avgCyclomaticComplexity: { value: null, met: null }, costPer1KLOC: { value: 6000 } });
  });
});

test("[CRI-194] slipway criticality metrics shows what escalated in completed runs, with a proposal for the prompt", async () => {
  const twice: RecordedRun = { ...EARLIER, steps: [...(EARLIER.steps ?? []), checkpoint(9, "completed", 99, ESCALATED, ESCALATED)] };
  const project = await withRuns(twice, UNFINISHED);
  const { stdout } = await project.slipway(["criticality", "metrics"]);
  expect(stdout).toContain(
    "escalations of completed runs, by model and reason\n  small, type: 2 in 2026-11-17_tides. Give the model definitions of more types.\n",
  );
  expect((await project.slipway(["criticality", "metrics", "--json"])).json()).toMatchObject([
    { failure_patterns: [{ model: "small", reason: "type", count: 2 }] },
  ]);
});
