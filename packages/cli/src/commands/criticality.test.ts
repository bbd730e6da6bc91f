import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { layoutAt } from "@slipway/kernel/host/layout";
import { openRecords } from "@slipway/kernel/open-records";
import type { RunArtifacts } from "@slipway/protocols/criticality/run-artifacts";
import { blockedInLattice } from "../testing/criticality-project.ts";
import { letters, type Ended, type Project } from "../testing/project.ts";
import { activeState, COMPLETED, recordRun } from "../testing/recorded-criticality.ts";

const WRITTEN = "src/domain/tides.ts#highest";
const HOLE = "src/domain/tides.ts#lowest";

const ARTIFACTS: Partial<RunArtifacts> = {
  functions: [
    { id: WRITTEN, status: "accepted", attempts: 4, tier: "fallback1", claims: ["tide_001"] },
    { id: HOLE, status: "hole", attempts: 0, tier: null, claims: [] },
    { id: "src/domain/tides.ts#mean", status: "failed", attempts: 8, tier: "worker", claims: [] },
  ],
  witnesses: [
    { name: "Height", description: "A finite\nheight", definition: null, level: "runtime", invariants: [{ id: "finite", level: "doc" }] },
  ],
  claims: [
    { id: "tide_001", text: "The highest\u001b[2J tide is one of the tides.", type: "invariant", status: "pass", reason: null },
    { id: "tide_002", text: "Tables are beautiful.", type: "behavioral", status: "untested", reason: "it is not testable" },
    { id: "tide_003", text: "No tide is lost.", type: "invariant", status: "violated", reason: null },
  ],
};

const IMPLEMENTING = activeState({
  phase: "injection",
  subState: { type: "implementing", data: { functionId: HOLE, currentTier: "fallback2", attemptInTier: 1, totalAttempts: 7 } },
});

function ask(project: Project, ...args: string[]): Promise<Ended> {
  return project.slipway(["criticality", ...args]);
}

async function inInjection(): Promise<Project> {
  const project = letters();
  await recordRun(project, { id: "2026-11-18_tides", state: IMPLEMENTING, artifacts: ARTIFACTS });
  const usage = { input_tokens: 1000, output_tokens: 100, cost_usd: 1.75, duration_ms: 500, calls: 1, transcript_digest: null };
  const row = { id: "call", run_id: "2026-11-18_tides", feature_id: null, role: "criticality/worker", provider: "replay", model: null };
  const records = await openRecords({ layout: layoutAt(project.root) });
  await records.database.db
    .insertInto("telemetry")
    .values({ ...row, ...usage, at: 1 })
    .execute();
  await records.close();
  return project;
}

describe("[CRI-180] slipway criticality status", () => {
  test("shows phase and sub-state, functions done and left, tier at work, escalations, tests, claims and cost", async () => {
    const { code, stdout } = await ask(await inInjection(), "status");
    expect(code).toBe(0);
    expect(stdout.split("\n")).toEqual([
      "2026-11-18_tides: Injection, Implementing",
      "run 2026-11-18_tides is completed",
      "functions: 1 of 3 written, 1 left, 1 failed",
      "at work: tides.lowest (fallback2)",
      "escalations: 1",
      "  tides.highest: 4 attempts, the last one by fallback1",
      "tests: 2 of 4 pass",
      "claims: 1 pass, 1 violated, 1 untested, 0 open",
      "cost: $1.75",
      "",
    ]);
  });

  test("shows the query that blocks the run, and as JSON everything by name", async () => {
    const project = await blockedInLattice(1);
    const { stdout } = await ask(project, "status");
    expect(stdout).toMatch(/^tides: blocked in Lattice, Repairing the structure\nrun \S+ is waiting\nfunctions: none yet\n/);
    expect(stdout).toContain("Blocked by structural_defect_001:\n  The structure does not compile after 5 repairs.");
    expect(stdout).toContain("  1. Generate the structure again (retry)\n     The repairs are counted from 1 again.\n");
    expect(stdout).toContain("  next: slipway criticality resolve\n");
    expect((await ask(project, "status", "--json")).json()).toMatchObject([
      {
        state: "blocked",
        phase: "lattice",
        sub_state: "repairingStructure",
        block: { id: "structural_defect_001", answered: false },
        waits_for: [{ question: "Q1" }],
        notification_failures: [],
      },
    ]);
  });

  test("warns if the files of an ended run cannot be written again, and shows the run", async () => {
    const project = letters();
    const steps = [{ name: "files", value: "0".repeat(64) }];
    await recordRun(project, { id: "2026-11-18_tides", state: COMPLETED, steps });
    const { code, stdout, stderr } = await ask(project, "status");
    expect([code, stdout.split("\n")[0]]).toEqual([0, "2026-11-18_tides: complete"]);
    expect(stderr).toMatch(/^warning: the files of the run could not be written again: /);
  });

  test("[CRI-195] shows what the external verifier said of critical functions", async () => {
    const project = letters();
    const rows: RunArtifacts["functions"] = [
      { id: "src/a.ts#f", status: "accepted", attempts: 1, tier: "worker", claims: [], formal: { verdict: "pass", message: "" } },
      {
        id: "src/a.ts#g",
        status: "accepted",
        attempts: 1,
        tier: "worker",
        claims: [],
        formal: { verdict: "inconclusive", message: "no\nidea" },
      },
    ];
    await recordRun(project, { id: "2026-11-18_tides", state: COMPLETED, artifacts: { functions: rows } });
    const { stdout } = await ask(project, "status");
    expect(stdout).toContain("\nformal verification: 1 pass, 0 fail, 1 without a verdict\n  a.g: inconclusive, no idea\n");
    expect((await ask(project, "status", "--json")).json()).toMatchObject([
      { formal: [{ function: "src/a.ts#f" }, { message: "no\nidea" }] },
    ]);
  });

  test("shows notifications that failed", async () => {
    const project = await inInjection();
    const records = await openRecords({ layout: layoutAt(project.root) });
    const row = {
      id: "n1",
      event: "block",
      subject: "q",
      run_id: null,
      channel: "hooks.example",
      status: "failed",
      reason: "HTTP 500",
    } as const;
    await records.database.db
      .insertInto("notifications")
      .values({ ...row, attempts: 3, at: 1, ended_at: 2 })
      .execute();
    await records.close();
    expect((await ask(project, "status")).stdout).toContain("notification (block) to hooks.example failed: HTTP 500\n");
  });

  test("advances nothing and changes no row", async () => {
    const project = await blockedInLattice(1);
    const rows = () =>
      ["runs", "events", "questions", "signals", "operations", "criticality_runs", "decisions"].map((table) =>
        project.sql(`SELECT * FROM ${table}`),
      );
    const state = () =>
      readFileSync(`${project.root}/.slipway/runs/${String(project.sql("SELECT run_id FROM runs")[0]?.["run_id"])}/state.json`);
    const before = [rows(), createHash("sha256").update(state()).digest("hex")];
    await ask(project, "status");
    await ask(project, "status", "--json");
    expect([rows(), createHash("sha256").update(state()).digest("hex")]).toEqual(before);
  });

  test("`slipway resume` continues from the last checkpoint", async () => {
    const project = await blockedInLattice(1);
    const checkpoints = () => project.sql("SELECT name FROM events WHERE name LIKE 'state:%'").length;
    const before = checkpoints();
    const calls = project.sql("SELECT count(*) AS n FROM telemetry");
    expect((await project.slipway(["resume", "--cassette", project.cassette])).code).toBe(23);
    expect(checkpoints()).toBe(before);
    expect(project.sql("SELECT count(*) AS n FROM telemetry")).toEqual(calls);
  });

  test("shows the question that an interview waits with", async () => {
    const project = letters();
    await ask(project, "tides", "--cassette", project.cassette);
    const { stdout } = await ask(project, "status");
    expect(stdout).toMatch(/^tides: Ignition, Interviewing\n/);
    expect(stdout).toContain("Q1 waits: What problem does the system solve, and for whom?\n  next: slipway resume\n");
  });

  test("says so if there is no run, or none of that name", async () => {
    const project = letters();
    expect((await ask(project, "status")).stderr).toMatch(/^run_not_found: Nothing has run in this repository yet\./);
    await project.run();
    expect((await ask(project, "status")).stdout).toMatch(/^No run of criticality yet\./);
    expect((await ask(project, "status", "--json")).stdout).toBe("null\n");
    expect((await ask(project, "resolve", "1")).stdout).toBe("Nothing is blocked.\n");
    const [run] = project.sql("SELECT run_id FROM runs WHERE parent_run_id IS NULL");
    for (const named of ["nothing", String(run?.["run_id"])]) {
      expect((await ask(project, "status", "--run", named)).stderr).toMatch(/^run_not_found: There is no run "\S+" of criticality\./);
    }
  });
});

describe("what the phases have produced", () => {
  test("claims: their status, the reason of an untested one, the functions of each", async () => {
    const project = await inInjection();
    expect((await ask(project, "claims")).stdout.split("\n")).toEqual([
      "tide_001  pass  invariant: The highest<U+001B>[2J tide is one of the tides.",
      "  functions: tides.highest",
      "tide_002  untested  behavioral: Tables are beautiful.",
      "  untested because it is not testable",
      "tide_003  violated  invariant: No tide is lost.",
      "",
    ]);
    expect((await ask(project, "claims", "--json")).json()).toMatchObject([{ claims: [{ id: "tide_001", functions: [WRITTEN] }, {}, {}] }]);
  });

  test("witnesses: how each invariant is enforced", async () => {
    const project = await inInjection();
    expect((await ask(project, "witnesses")).stdout).toBe("Height (runtime): A finite height\n  finite: enforced by documentation only\n");
    expect((await ask(project, "witnesses", "--json")).json()).toMatchObject([{ witnesses: [{ name: "Height" }] }]);
  });

  test("smells: what was accepted, reverted and left, once Mass Defect has ended", async () => {
    const project = await inInjection();
    expect((await ask(project, "smells")).stdout).toBe("Mass Defect has not ended yet.\n");
    const artifacts = {
      accepted: [{ function: WRITTEN, pattern: "early-return", smell: "deep-nesting", reason: null }],
      reverted: [{ function: HOLE, pattern: "loop-to-map", smell: "imperative-loop", reason: "a test\nfails" }],
      smells: [`${HOLE}: imperative-loop`],
      unmet: ["the program: min_test_coverage is 0.5, target 0.8"],
    };
    await recordRun(project, { id: "2026-11-18_tides-2", state: COMPLETED, artifacts });
    expect((await ask(project, "smells", "--run", "2026-11-18_tides-2")).stdout.split("\n")).toEqual([
      "transformations: 1 accepted, 1 reverted; smells left: 1; targets not met: 1",
      "  accepted early-return on tides.highest (deep-nesting)",
      "  reverted loop-to-map on tides.lowest (imperative-loop): a test fails",
      "  left: imperative-loop in tides.lowest",
      "  not met: the program: min_test_coverage is 0.5, target 0.8",
      "",
    ]);
    expect((await ask(project, "smells", "--json", "--run", "2026-11-18_tides-2")).json()).toMatchObject([artifacts]);
    expect((await ask(project, "status", "--run", "2026-11-18_tides-2")).stdout).toMatch(/^2026-11-18_tides-2: complete\n/);
  });

  test("a run that has produced nothing says so", async () => {
    const project = await blockedInLattice(0);
    expect((await ask(project, "witnesses")).stdout).toBe("There are no witnesses yet: Lattice generates them.\n");
    expect((await ask(project, "ledger")).stdout).toBe("The ledger has no decisions in force.\n");
    const interview = letters();
    await ask(interview, "tides", "--cassette", interview.cassette);
    expect((await ask(interview, "claims")).stdout).toBe("There are no claims yet: the approved specification has them.\n");
  });

  test("ledger: decisions by confidence; --all shows ended ones", async () => {
    const project = letters();
    const decision = { category: "data_model", phase: "ignition", source: "architect" };
    await recordRun(project, {
      id: "2026-11-18_tides",
      state: IMPLEMENTING,
      decisions: [
        { ...decision, constraint: "Heights are in metres.", confidence: "inferred" },
        { ...decision, constraint: "Times are\nUTC.", confidence: "canonical", source: "user_explicit" },
        { ...decision, constraint: "Tables are sorted.", confidence: "inferred", dependencies: ["d001"] },
      ],
    });
    const { stdout } = await ask(project, "ledger");
    expect(stdout.split("\n")).toEqual([
      "canonical",
      "  d002  Times are UTC.",
      "    active; data_model, user_explicit, ignition",
      "inferred",
      "  d001  Heights are in metres.",
      "    active; data_model, architect, ignition",
      "  d003  Tables are sorted.",
      "    active; data_model, architect, ignition; depends on d001",
      "",
    ]);
    project.sql("UPDATE decisions SET status = 'superseded', superseded_by = 'd002', ended_reason = 'feet' WHERE id = 'd003'");
    expect((await ask(project, "ledger")).stdout).not.toContain("d003");
    const all = (await ask(project, "ledger", "--all")).stdout;
    expect(all).toContain("    superseded by d002; data_model, architect, ignition; depends on d001\n    reason: feet\n");
    expect((await ask(project, "ledger", "--json")).json()).toMatchObject([{ decisions: [{ id: "d001" }, { id: "d002" }] }]);
  });
});
