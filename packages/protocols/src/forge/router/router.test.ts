import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CompletionStatus, PlayedForgeRole } from "../agents.ts";
import type { RouteAction } from "./actions.ts";
import { BUDGETS } from "./budgets.ts";
import type { TaskVerification } from "../rules/thresholds.ts";
import type { AgentOutcome, RouteInput } from "./inputs.ts";
import { advance, route, routeGate, withPlan } from "./route.ts";
import { initialState, type RouteState } from "./state.ts";
import { DECISION_TABLE } from "./table.ts";

const start = initialState({ feature_slug: "names", approval_mode: "autonomous", run_id: "2026-02-26T14:30:00Z" });

function at(counters: Partial<RouteState["counters"]> = {}, approval_mode: RouteState["approval_mode"] = "autonomous"): RouteState {
  return { ...start, approval_mode, counters: { ...start.counters, ...counters } };
}

function agent(role: PlayedForgeRole, status: CompletionStatus | null = "DONE", attempts = 1, deterministic = false): AgentOutcome {
  return { role, instance: `${role}-1`, attempts, status, deterministic };
}

function agents(role: PlayedForgeRole, ...statuses: (CompletionStatus | null)[]): AgentOutcome[] {
  return statuses.map((status, index) => ({ ...agent(role, status, 2), instance: `${role}-${index + 1}` }));
}

const three = agents("adversarial-reviewer", "DONE", "DONE", "DONE");
const review = (input: "design review" | "code review", approvals: number, blockers = 0): RouteInput => {
  return { input, agents: three, submitted: 3, approvals, blockers };
};
const task = (passed: number, over: Partial<{ size: "Standard" | "Large"; failed: number; verifier: CompletionStatus }> = {}) => {
  return { task_id: "task-01", size: "Standard", verifier: "DONE", passed, failed: 0, ...over } as const;
};
const verification = (tasks: readonly TaskVerification[], more_waves = false): RouteInput => {
  return { input: "verification", agents: [agent("verifier")], tasks, more_waves };
};

describe("the decision table", () => {
  test("[FOR-139] has 21 numbered rows, each with its input", () => {
    expect(DECISION_TABLE.map(({ row, input }) => `${row} ${input}`).join(", ")).toBe(
      "1 setup, 2 setup, 3 research, 4 research, 5 spec, 6 design, 7 design review, 8 design review, 9 design review, 10 plan, " +
        "11 implementation, 12 verification, 13 verification, 14 verification, 15 code review, 16 code review, 17 code review, " +
        "18 knowledge, 19 confidence, 20 confidence, 21 any agent",
    );
  });

  test.each<[string, RouteState, RouteInput, number, RouteAction["type"], Partial<ReturnType<typeof route>>]>([
    ["a clean tree", at(), { input: "setup", check: "git", dirty: false, on_main: false, trivial: false }, 1, "proceed", {}],
    ["concerns", at(), { input: "setup", check: "pushback", concerns: ["Blocker"] }, 2, "pushback", {}],
    ["research", at(), { input: "research", agents: agents("researcher", "DONE", "DONE", "DONE", "DONE") }, 3, "gate", { facts: [] }],
    ["a specification", at(), { input: "spec", agents: [agent("spec")] }, 5, "go", {}],
    ["a design", at(), { input: "design", agents: [agent("designer")] }, 6, "go", {}],
    ["a plan", at(), { input: "plan", agents: [agent("planner")], overall_risk: "🟡" }, 10, "gate", {}],
    ["High", at(), { input: "confidence", confidence: "High" }, 19, "commit", {}],
    ["Medium", at(), { input: "confidence", confidence: "Medium" }, 19, "commit", {}],
    ["Low", at(), { input: "confidence", confidence: "Low" }, 20, "leave-staged", {}],
  ])("[FOR-139] %s is decided by its own row", (_what, state, input, row, type, more) => {
    expect(route(state, input)).toMatchObject({ row, escalation: null, action: { type }, ...more });
  });

  test("[FOR-024] a dirty tree or the branch main warns for a change that is not trivial", () => {
    const warns = (dirty: boolean, on_main: boolean, trivial: boolean) =>
      route(at(), { input: "setup", check: "git", dirty, on_main, trivial }).action;
    expect(warns(true, false, false)).toEqual({ type: "proceed", warn: true });
    expect(warns(false, true, false)).toEqual({ type: "proceed", warn: true });
    expect(warns(true, true, true)).toEqual({ type: "proceed", warn: false });
  });

  test("[FOR-028] concerns of any severity are asked or logged, and never end a run", () => {
    const how = (mode: RouteState["approval_mode"], concerns: ("Blocker" | "Minor")[]) =>
      route(at({}, mode), { input: "setup", check: "pushback", concerns }).action;
    expect(how("autonomous", ["Blocker"])).toEqual({ type: "pushback", how: "log" });
    expect(how("interactive", ["Blocker"])).toEqual({ type: "pushback", how: "ask" });
    expect(how("interactive", [])).toEqual({ type: "pushback", how: "none" });
  });

  test.each([
    [4, 3, []],
    [3, 3, ["research-reduced"]],
    [2, 3, ["research-reduced"]],
    [1, 4, []],
    [0, 4, []],
  ])("[FOR-030] %i of 4 researchers fire row %i", (done, row, facts) => {
    const statuses = Array.from({ length: 4 }, (_, index) => (index < done ? "DONE" : "ERROR") as CompletionStatus);
    expect(route(at(), { input: "research", agents: agents("researcher", ...statuses) })).toMatchObject({ row, facts });
  });

  test("[FOR-031] the specification leads to the design, and the design to its review", () => {
    expect(route(at(), { input: "spec", agents: [agent("spec")] }).action).toEqual({ type: "go", step: "3" });
    expect(route(at(), { input: "design", agents: [agent("designer")] }).action).toEqual({ type: "go", step: "3b" });
  });

  test("[FOR-138] the risk of the plan is kept, then comes gate 4a, then implementation", () => {
    const input = { input: "plan", agents: [agent("planner")], overall_risk: "🔴" } as const;
    const { action } = route(at(), input);
    expect(withPlan(at(), input).overall_risk).toBe("🔴");
    expect(advance(at(), action).current_step).toBe("4a");
    expect(routeGate("gate-post-planning", "approve")).toEqual({ type: "go", step: "5" });
  });

  test("[FOR-116][FOR-117] the answers at the gates go on, back or out", () => {
    expect(routeGate("gate-post-research", "proceed")).toEqual({ type: "go", step: "2" });
    expect(routeGate("gate-post-research", "expand")).toEqual({ type: "go", step: "1" });
    expect(routeGate("gate-post-planning", "revise")).toEqual({ type: "go", step: "4" });
    expect([routeGate("gate-post-research", "abort"), routeGate("gate-post-planning", "abort")]).toEqual([
      { type: "abort" },
      { type: "abort" },
    ]);
    expect(routeGate("gate-post-planning", "proceed")).toBeNull();
  });

  test("[FOR-042] the knowledge agent leads on to the commit decision whatever its status", () => {
    const knowledge = (status: CompletionStatus) => route(at(), { input: "knowledge", agents: agents("knowledge-agent", status) });
    expect(knowledge("DONE")).toMatchObject({ row: 18, action: { type: "go", step: "9" }, facts: [] });
    expect(knowledge("ERROR")).toMatchObject({ row: 18, action: { type: "go", step: "9" }, facts: ["knowledge-failed"] });
  });

  test("[FOR-038][FOR-081] no verifier is dispatched without staging and baselines", () => {
    const implementation = (baselines_recorded: boolean, staged: boolean) =>
      route(at(), { input: "implementation", agents: agents("implementer", "DONE", "DONE"), baselines_recorded, staged });
    expect(implementation(true, true)).toMatchObject({ row: 11, action: { type: "go", step: "6" } });
    expect(implementation(false, true)).toMatchObject({ row: 11, escalation: "evidence-missing", action: { type: "fail" } });
    expect(implementation(true, false)).toMatchObject({ row: 11, escalation: "evidence-missing", action: { type: "fail" } });
  });
});

describe("reviews", () => {
  test.each([
    ["design review", 3, 0, 7, { type: "go", step: "4" }, []],
    ["design review", 2, 0, 7, { type: "go", step: "4" }, ["dissent"]],
    ["design review", 1, 0, 8, { type: "revise-design" }, []],
    ["design review", 0, 0, 8, { type: "revise-design" }, []],
    ["design review", 2, 1, 9, { type: "fail" }, []],
    ["code review", 3, 0, 15, { type: "go", step: "8" }, []],
    ["code review", 2, 0, 15, { type: "go", step: "8" }, ["dissent"]],
    ["code review", 1, 0, 16, { type: "fix" }, []],
    ["code review", 2, 1, 17, { type: "fail" }, []],
  ] as const)("[FOR-033][FOR-041][FOR-104][FOR-105] %s: %i approvals, %i blockers", (scope, approvals, blockers, row, action, facts) => {
    expect(route(at(), review(scope, approvals, blockers))).toMatchObject({ row, action, facts });
  });

  test("[FOR-034] the second design review without two approvals leads to planning", () => {
    const expected = {
      row: 8,
      escalation: "design-review-exhausted",
      action: { type: "go", step: "4" },
      facts: ["design-review-exhausted"],
    };
    expect(route(at({ design_round: 2 }), review("design review", 1))).toEqual(expected);
  });

  test("[FOR-041] the second code review without two approvals leads to the knowledge agent", () => {
    const expected = { row: 16, escalation: "code-review-exhausted", action: { type: "go", step: "8" }, facts: ["code-review-exhausted"] };
    expect(route(at({ code_round: 2 }), review("code review", 0))).toEqual(expected);
  });

  test("[FOR-105] a blocker ends the run at once, also while another reviewer could be retried", () => {
    const input: RouteInput = {
      input: "code review",
      agents: [agent("adversarial-reviewer", "ERROR")],
      submitted: 2,
      approvals: 0,
      blockers: 1,
    };
    expect(route(at({ code_round: 2 }), input)).toMatchObject({ row: 17, action: { type: "fail" } });
  });

  test("[FOR-088] two verdicts are not evaluated", () => {
    const input: RouteInput = { input: "design review", agents: three, submitted: 2, approvals: 2, blockers: 0 };
    expect(route(at(), input)).toMatchObject({ row: 21, escalation: "review-incomplete", action: { type: "fail" } });
  });
});

describe("verification", () => {
  test("[FOR-082] a Standard task needs two signals, a Large one three", () => {
    const row = (passed: number, size: "Standard" | "Large") => route(at(), verification([task(passed, { size })])).row;
    expect([row(1, "Standard"), row(2, "Standard"), row(2, "Large"), row(3, "Large")]).toEqual([14, 12, 14, 12]);
  });

  test("[FOR-083] signals do not outweigh a failed check or a verifier that is not DONE", () => {
    expect(route(at(), verification([task(9, { failed: 1 })])).row).toBe(14);
    expect(route(at(), verification([task(9, { verifier: "NEEDS_REVISION" })])).row).toBe(14);
  });

  test("[FOR-036] the next wave comes before the code review", () => {
    expect(route(at(), verification([task(2)], true)).action).toEqual({ type: "next-wave" });
    expect(route(at(), verification([task(2)], false)).action).toEqual({ type: "go", step: "7" });
  });

  test("[FOR-094][FOR-095] iteration 1 replans, iteration 2 reverts and replans, iteration 3 reverts and goes on with Low", () => {
    const iteration = (iteration: number, more_waves = false) =>
      route(at({ iteration }), verification([task(0), { ...task(2), task_id: "task-02" }], more_waves));
    expect(iteration(1)).toMatchObject({ row: 14, action: { type: "replan", tasks: ["task-01"] }, facts: [] });
    expect(iteration(2)).toMatchObject({ row: 13, escalation: null, action: { type: "revert", tasks: ["task-01"], next: "replan" } });
    expect(iteration(3)).toEqual({
      row: 13,
      escalation: "verification-exhausted",
      action: { type: "revert", tasks: ["task-01"], next: "code-review" },
      facts: ["verification-exhausted"],
    });
    expect(iteration(3, true).action).toMatchObject({ next: "next-wave" });
  });
});

describe("any agent", () => {
  const REQUIRED = ["spec", "designer", "planner", "implementer", "verifier", "adversarial-reviewer"] as const;
  const inputs: Record<(typeof REQUIRED)[number], (agents: readonly AgentOutcome[]) => RouteInput> = {
    spec: (agents) => ({ input: "spec", agents }),
    designer: (agents) => ({ input: "design", agents }),
    planner: (agents) => ({ input: "plan", agents, overall_risk: "🟢" }),
    implementer: (agents) => ({ input: "implementation", agents, baselines_recorded: true, staged: true }),
    verifier: (agents) => ({ input: "verification", agents, tasks: [task(2)], more_waves: false }),
    "adversarial-reviewer": (agents) => ({ input: "design review", agents, submitted: 3, approvals: 3, blockers: 0 }),
  };

  test.each(REQUIRED)("[FOR-135][FOR-054] %s is dispatched once more, then the run ends", (role) => {
    for (const status of ["ERROR", null] as const) {
      expect(route(at(), inputs[role]([agent(role, status, 1)]))).toMatchObject({
        row: 21,
        action: { type: "retry", instances: [`${role}-1`] },
      });
      expect(route(at(), inputs[role]([agent(role, status, 2)]))).toMatchObject({
        row: 21,
        escalation: "agent-failed",
        action: { type: "fail" },
      });
    }
  });

  test.each(REQUIRED)("[FOR-134] a deterministic failure of %s is not tried again, an invalid block once", (role) => {
    expect(route(at(), inputs[role]([agent(role, "ERROR", 1, true)])).action.type).toBe("fail");
    expect(route(at(), inputs[role]([agent(role, null, 1, true)])).action.type).toBe("retry");
    expect(route(at(), inputs[role]([agent(role, null, 2, true)])).action.type).toBe("fail");
  });

  test("[FOR-029] only the failed researchers are dispatched again", () => {
    const outcomes = [
      agent("researcher"),
      { ...agent("researcher", null), instance: "impact" },
      { ...agent("researcher", "ERROR", 2), instance: "patterns" },
    ];
    expect(route(at(), { input: "research", agents: outcomes }).action).toEqual({ type: "retry", instances: ["impact"] });
  });

  test("[FOR-134] a tool call is tried at most six times", () => {
    expect((1 + BUDGETS.toolRetries) * (1 + BUDGETS.redispatches)).toBe(6);
  });

  test("a step in which nothing was dispatched does not go on", () => {
    for (const role of REQUIRED) expect(route(at(), inputs[role]([]))).toMatchObject({ row: 21, action: { type: "fail" } });
    expect(route(at(), { input: "verification", agents: [agent("verifier")], tasks: [], more_waves: false }).row).toBe(21);
  });
});

const role = fc.constantFrom<PlayedForgeRole>(
  "researcher",
  "spec",
  "planner",
  "implementer",
  "verifier",
  "adversarial-reviewer",
  "knowledge-agent",
);
const status = fc.constantFrom<CompletionStatus | null>("DONE", "NEEDS_REVISION", "ERROR", null);
const anyAgents = fc.array(
  fc.record({ role, instance: fc.string(), attempts: fc.integer({ min: 1, max: 3 }), status, deterministic: fc.boolean() }),
  { maxLength: 4 },
);
const small = fc.integer({ min: 0, max: 4 });
const anyTask = fc.record({
  task_id: fc.constantFrom("task-01", "task-02"),
  size: fc.constantFrom("Standard" as const, "Large" as const),
  verifier: fc.constantFrom<CompletionStatus>("DONE", "NEEDS_REVISION"),
  passed: small,
  failed: small,
});
const counts = { agents: anyAgents, submitted: small, approvals: small, blockers: fc.integer({ min: 0, max: 1 }) };
const anyInput: fc.Arbitrary<RouteInput> = fc.oneof(
  fc.record({
    input: fc.constant("setup" as const),
    check: fc.constant("git" as const),
    dirty: fc.boolean(),
    on_main: fc.boolean(),
    trivial: fc.boolean(),
  }),
  fc.record({
    input: fc.constant("setup" as const),
    check: fc.constant("pushback" as const),
    concerns: fc.array(fc.constant("Major" as const)),
  }),
  fc.record({ input: fc.constantFrom("research" as const, "spec" as const, "design" as const, "knowledge" as const), agents: anyAgents }),
  fc.record({ input: fc.constantFrom("design review" as const, "code review" as const), ...counts }),
  fc.record({ input: fc.constant("plan" as const), agents: anyAgents, overall_risk: fc.constantFrom("🟢" as const, "🔴" as const) }),
  fc.record({ input: fc.constant("implementation" as const), agents: anyAgents, baselines_recorded: fc.boolean(), staged: fc.boolean() }),
  fc.record({
    input: fc.constant("verification" as const),
    agents: anyAgents,
    tasks: fc.array(anyTask, { maxLength: 3 }),
    more_waves: fc.boolean(),
  }),
  fc.record({ input: fc.constant("confidence" as const), confidence: fc.constantFrom("High" as const, "Medium" as const, "Low" as const) }),
);
const round = fc.integer({ min: 1, max: 2 });
const anyState = fc
  .record({ design_round: round, code_round: round, iteration: fc.integer({ min: 1, max: 3 }), interactive: fc.boolean() })
  .map(({ interactive, ...counters }) => at(counters, interactive ? "interactive" : "autonomous"));

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) frozen(inner);
    Object.freeze(value);
  }
  return value;
}

describe("every input", () => {
  test("[FOR-139][FOR-140] fires exactly one row of its own kind or row 21, and the same one each time", () => {
    fc.assert(
      fc.property(anyState, anyInput, (state, input) => {
        const first = route(frozen(state), frozen(input));
        const row = DECISION_TABLE.find(({ row }) => row === first.row)!;
        expect([input.input, "any agent"]).toContain(row.input);
        expect(route(structuredClone(state), structuredClone(input))).toEqual(first);
      }),
      { numRuns: 1000 },
    );
  });

  test("[FOR-139] no row above the one that fired matches", () => {
    fc.assert(
      fc.property(anyState, anyInput, (state, input) => {
        const { row } = route(state, input);
        const above = row === 21 ? [] : DECISION_TABLE.filter((other) => other.row < row || other.row === 21);
        for (const other of above) expect(other.decide(state, input)).toBeNull();
      }),
      { numRuns: 1000 },
    );
  });
});

/** Plays a run whose agents, ledger and verdicts are drawn at random; gives the rows that fired. */
function play(draw: (choices: number) => number, waves: number): { rows: number[]; last: RouteAction } {
  let state: RouteState = { ...start, current_step: "1" };
  let wave = 1;
  let attempts = 1;
  const rows: number[] = [];
  const dispatched = (role: PlayedForgeRole) => [
    agent(role, (["DONE", "DONE", "DONE", "ERROR", null] as const)[draw(5)] ?? null, attempts),
  ];
  const counted = () => ({
    submitted: 3,
    approvals: draw(4),
    blockers: draw(20) === 0 ? 1 : 0,
    agents: dispatched("adversarial-reviewer"),
  });
  const input = (): RouteInput => {
    switch (state.current_step) {
      case "1":
        return { input: "research", agents: ["a", "b", "c", "d"].map((instance) => ({ ...dispatched("researcher")[0]!, instance })) };
      case "2":
        return { input: "spec", agents: dispatched("spec") };
      case "3":
        return { input: "design", agents: dispatched("designer") };
      case "3b":
        return { input: "design review", ...counted() };
      case "4":
        return { input: "plan", agents: dispatched("planner"), overall_risk: "🟡" };
      case "5":
        return { input: "implementation", agents: dispatched("implementer"), baselines_recorded: true, staged: true };
      case "6":
        return { input: "verification", agents: dispatched("verifier"), tasks: [task(draw(3))], more_waves: wave < waves };
      case "7":
        return { input: "code review", ...counted() };
      case "8":
        return { input: "knowledge", agents: dispatched("knowledge-agent") };
      default:
        return { input: "confidence", confidence: draw(2) === 0 ? "High" : "Low" };
    }
  };
  for (;;) {
    const { row, action } = route(state, input());
    rows.push(row);
    attempts = action.type === "retry" ? attempts + 1 : 1;
    if (action.type === "next-wave" || (action.type === "revert" && action.next === "next-wave")) wave++;
    state = advance(state, action);
    if (action.type === "gate")
      state = advance(state, routeGate(action.gate, action.gate === "gate-post-research" ? "proceed" : "approve")!);
    if (["commit", "leave-staged", "fail"].includes(action.type)) return { rows, last: action };
    if (rows.length > 10_000) return { rows, last: action };
  }
}

describe("a run", () => {
  test("[FOR-048] ends whatever its agents answer, within the budgets of its loops", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 400 }), fc.integer({ min: 1, max: 4 }), (choices, waves) => {
        let next = 0;
        const { rows, last } = play((count) => choices[next++ % choices.length]! % count, waves);
        const fired = (...numbers: number[]) => rows.filter((row) => numbers.includes(row)).length;
        expect(["commit", "leave-staged", "fail"]).toContain(last.type);
        expect(fired(8)).toBeLessThanOrEqual(2);
        expect(fired(16)).toBeLessThanOrEqual(2);
        expect(fired(13, 14)).toBeLessThanOrEqual(3 * (waves + 1));
        expect(fired(21)).toBeLessThanOrEqual(rows.length / 2 + 1);
      }),
      { numRuns: 500 },
    );
  });

  test("[FOR-022] whose agents all succeed takes the steps in their order", () => {
    const { rows } = play((count) => (count === 4 || count === 3 ? count - 1 : count === 20 ? 1 : 0), 1);
    expect(rows).toEqual([3, 5, 6, 7, 10, 11, 12, 15, 18, 19]);
  });
});

test("[FOR-141] the state has the fields of the pipeline and three reviewers", () => {
  expect(start).toMatchObject({
    feature_slug: "names",
    approval_mode: "autonomous",
    current_step: "0",
    overall_risk: null,
    reviewer_count: 3,
    run_id: "2026-02-26T14:30:00Z",
    completed_steps: [],
    error_log: [],
  });
});
