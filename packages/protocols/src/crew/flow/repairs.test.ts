import { afterEach, describe, expect, test } from "vitest";
import {
  comment,
  file,
  finding,
  integrator,
  leanIntake,
  LETTERS_TWO,
  OWN,
  plan,
  planTask,
  qa,
  reviewer,
  security,
} from "./testing/artifacts.ts";
import { openBench, type BenchOptions, type CrewBench, type Models, type People } from "./testing/bench.ts";
import { builds, mends, reviews, TEAM, YES } from "./testing/team.ts";

let bench: CrewBench;
afterEach(() => bench.close());

const LEAN: Models = { "spec-agent": [leanIntake()], coder: [builds(), mends()], reviewer: [reviews], qa: [qa()] };
const lean = async (models: Models, people: People = {}, options: BenchOptions = {}) => {
  bench = await openBench({ ...LEAN, ...models }, people, { mode: "lean", ...options });
  return bench;
};
const refuses = ({ prompt }: { readonly prompt: string }) =>
  reviewer(prompt, [comment("blocker", "It crashes.")], { status: "BLOCKED", summary: "It crashes." });

describe("a negative verdict", () => {
  test("[CRW-093][CRW-094][CRW-041] of Reviewer is repaired by Coder with the findings, and counted on disk before", async () => {
    const counts: unknown[] = [];
    const counted = (request: Parameters<ReturnType<typeof mends>>[0], turn: number) => {
      counts.push(bench.status().retry_counts);
      return mends()(request, turn);
    };
    await lean({ reviewer: [refuses, reviews], coder: [builds(), counted] });
    expect((await bench.result()).status).toBe("merged");
    expect(bench.states()).toEqual(["INTAKE_LEAN", "IMPLEMENT_LOOP", "FIX_REVIEW", "IMPLEMENT_LOOP", "INTEGRATE", "DONE"]);
    expect(counts).toEqual([{ "T-001": { FIX_REVIEW: 1 } }]);
    expect(bench.last("coder").prompt).toContain("Repair: blocker src/a.txt:1: It crashes.");
    expect(bench.roles()).toEqual(["SpecAgent meta", "Coder T-001", "Reviewer T-001", "Coder T-001", "Reviewer T-001", "QA T-001"]);
  });

  test("[CRW-050] leaves the task out of blocked", async () => {
    const tasks: string[] = [];
    const seen = (request: Parameters<ReturnType<typeof mends>>[0], turn: number) => {
      tasks.push(bench.file("tasks.yaml"));
      return mends()(request, turn);
    };
    await lean({ reviewer: [refuses, reviews], coder: [builds(), seen] });
    await bench.result();
    expect(tasks[0]).toContain("status: implemented");
  });

  test("[CRW-093] of QA goes to QA again when it says that the tests are wrong", async () => {
    const wrong = qa(
      {},
      {},
      { status: "BLOCKED", summary: "A test is wrong.", next: { recommended_agent: "QA", recommended_task_id: "same", reason: "tests" } },
    );
    const repaired = qa({}, { files_changed: ["test/q.test.sh"], tests_added_or_updated: ["test/q.test.sh"] }, {}, [
      file("test/q.test.sh", "true\n"),
    ]);
    await lean({ qa: [wrong, repaired, qa()] });
    expect((await bench.result()).status).toBe("merged");
    expect(bench.states()).toContain("FIX_TESTS");
    expect(bench.roles().slice(3)).toEqual(["QA T-001", "QA T-001", "QA T-001"]);
  });

  test("[CRW-018] an OK that does not meet the definition of done does not pass", async () => {
    const gates = { meets_definition_of_done: false, needs_review: false, needs_tests: false, security_concerns: [] };
    await lean({ reviewer: [({ prompt }) => reviewer(prompt, [], { gates }), reviews] });
    await bench.result();
    expect(bench.states()).toContain("FIX_REVIEW");
  });

  test("[CRW-093][CRW-095] of the build is repaired by Coder in lean mode, and checked again", async () => {
    const bad = builds([file("src/a.txt", "two BUG\n"), file("test/a.test.sh", "x\n")]);
    await lean({ coder: [bad, builds([file("src/a.txt", "two\n")])] });
    expect((await bench.result()).status).toBe("merged");
    expect(bench.states()).toEqual(["INTAKE_LEAN", "IMPLEMENT_LOOP", "INTEGRATE", "FIX_BUILD", "INTEGRATE", "DONE"]);
    expect(bench.last("coder").prompt).toContain('"ci_status": "red"');
    expect(bench.last("coder").prompt).toContain('"last_failed_step": "gates"');
    expect(bench.status()).toMatchObject({ last_ci_result: "green", retry_counts: { meta: { FIX_BUILD: 1 } } });
  });

  const bad = builds([file("src/a.txt", "two BUG\n"), file("test/a.test.sh", "x\n")]);
  const integratorLeavesIt = (agent: string) => {
    const next = { recommended_agent: agent, recommended_task_id: "meta", reason: "product" };
    const { output, files } = integrator(["gates: a product decision"]);
    return { output: { ...output, status: "BLOCKED", summary: "Product code fails.", next }, files };
  };

  test("[CRW-093] of the build goes to Integrator in full mode, and to Coder when Integrator says so", async () => {
    const coder = [bad, builds([file("src/a.txt", "two\n")])];
    bench = await openBench({ ...TEAM, coder, integrator: [integratorLeavesIt("Coder"), integrator()] }, YES);
    expect((await bench.result()).status).toBe("merged");
    const build = bench.roles().slice(bench.roles().indexOf("Integrator meta"));
    expect(build).toEqual(["Integrator meta", "Coder meta", "Docs meta", "Integrator meta"]);
  });

  test("[CRW-093] of the build that Integrator can neither repair nor leave to Coder blocks; resumed, it may still name Coder", async () => {
    const answers = [integrator(["gates: seen"]), integratorLeavesIt("Orchestrator"), integratorLeavesIt("Coder"), integrator()];
    const coder = [bad, builds([file("src/a.txt", "two\n")])];
    bench = await openBench({ ...TEAM, coder, integrator: answers }, { ...YES, crew_blocked: [{ decision: "resume" }] });
    expect((await bench.result()).status).toBe("merged");
    expect(bench.asked.at(-1)?.body).toContain("agent_blocked: Integrator: Product code fails.");
    const from = bench.states().indexOf("FIX_BUILD");
    const states = ["FIX_BUILD", "BLOCKED", "FIX_BUILD", "INTEGRATE", "FIX_BUILD", "INTEGRATE", "RELEASE", "DONE"];
    expect(bench.states().slice(from)).toEqual(states);
    expect(bench.last("coder").prompt).toContain("Repair: build or checks failed: gates");
  });
});

describe("a loop that is used up", () => {
  test("[CRW-094][CRW-054] asks after the fourth negative verdict, and acceptance waives the gate and is reported", async () => {
    await lean({ reviewer: [refuses] }, { crew_decisions: [{ decision: "accept with known issues" }] });
    expect((await bench.result()).status).toBe("merged");
    expect(bench.roles().filter((role) => role === "Coder T-001")).toHaveLength(4);
    expect(bench.roles().filter((role) => role === "Reviewer T-001")).toHaveLength(4);
    const body = bench.asked[0]?.body ?? "";
    for (const text of [
      "UD-1: FIX_REVIEW of T-001",
      "1. Tried:",
      "3. Tried:",
      "Failed: It crashes.",
      "other approach, accept with known issues, simplify scope, user guidance",
    ])
      expect(body).toContain(text);
    expect(bench.status().known_issues.join()).toContain("FIX_REVIEW of T-001: accepted with known issues (UD-1)");
    expect(bench.file("report.md")).toContain("accepted with known issues");
  });

  test("[CRW-094][CRW-072] guidance is passed to the next repair, which is counted from one again", async () => {
    await lean(
      { reviewer: [refuses, refuses, refuses, refuses, reviews] },
      { crew_decisions: [{ decision: "user guidance", comment: "Catch the error." }] },
    );
    expect((await bench.result()).status).toBe("merged");
    expect(bench.last("coder").prompt).toContain("Catch the error.");
    expect(bench.status().retry_counts).toEqual({ "T-001": { FIX_REVIEW: 1 } });
  });
});

describe("the gates of the repository", () => {
  test("[CRW-094][CRW-095] are waived by nobody: accepting them is taken as the wish that they pass", async () => {
    const broken = (request: Parameters<ReturnType<typeof mends>>[0], turn: number) =>
      builds([file("src/a.txt", `two BUG ${turn}\n`), file("test/a.test.sh", `true ${turn}\n`)])(request);
    const coder = [broken, broken, broken, broken, builds([file("src/a.txt", "two\n")])];
    await lean({ coder }, { crew_decisions: [{ decision: "accept with known issues" }] });
    expect((await bench.result()).status).toBe("merged");
    expect(bench.asked[0]?.body).toContain("FIX_BUILD of meta has been repaired 3 times");
    expect(bench.last("coder").prompt).toContain("The gates of the repository cannot be waived: make them pass.");
    expect(bench.status()).toMatchObject({ last_ci_result: "green", known_issues: [] });
    expect(bench.scratch.git("show", "main:src/a.txt")).toBe("two\n");
  });
});

describe("the reviews of all at once", () => {
  const single: People = { ...YES, crew_review_strategy: [{ answer: "once at the end" }] };
  const two = { planner: [plan(planTask("T-001"), planTask("T-002", { depends_on: ["T-001"] }))] };

  test("[CRW-091][CRW-067] come after every task is implemented, as meta, and once more after a repair", async () => {
    const coder = [builds(LETTERS_TWO), builds([file("src/b.txt", "two\n"), file("test/b.test.sh", "true\n")]), mends()];
    bench = await openBench({ ...TEAM, ...two, coder, security: [security([finding("high")], blocked), security()] }, single);
    expect((await bench.result()).status).toBe("merged");
    expect(bench.status().user_decisions.find(({ decision_id }) => decision_id === "UD-REVIEW-STRATEGY")?.answer).toBe("single-final");
    const from = bench.roles().indexOf("Coder T-001");
    expect(bench.roles().slice(from)).toEqual([
      "Coder T-001",
      "Coder T-002",
      "Reviewer meta",
      "QA meta",
      "Security meta",
      "Coder meta",
      "Reviewer meta",
      "QA meta",
      "Security meta",
      "Integrator meta",
      "Docs meta",
      "Integrator meta",
    ]);
    expect(bench.status().retry_counts).toEqual({ meta: { FIX_SECURITY: 1 } });
    const late = bench.sent.find(({ role, prompt }) => role === "coder" && prompt.includes('"id": "T-002"'));
    expect(late?.prompt).toMatch(/id: T-001\n\s+status: implemented/);
  });
});

const blocked = {
  status: "BLOCKED",
  summary: "A hole.",
  gates: { meets_definition_of_done: false, needs_review: false, needs_tests: false, security_concerns: ["validation"] },
};

describe("a review of everything under per-batch", () => {
  test("[CRW-092] counts its repair under meta, and the tasks stay completed", async () => {
    const tasks: string[] = [];
    const reviewing = ({ prompt }: { readonly prompt: string }, turn: number) => (turn === 1 ? refuses({ prompt }) : reviewer(prompt));
    const repairing = (request: Parameters<ReturnType<typeof mends>>[0], turn: number) => {
      tasks.push(bench.file("tasks.yaml"));
      return mends()(request, turn);
    };
    bench = await openBench({ ...TEAM, reviewer: [reviewing], coder: [builds(), repairing] }, YES);
    expect((await bench.result()).status).toBe("merged");
    expect(tasks[0]).toContain("status: completed");
    expect(bench.status().retry_counts).toEqual({ meta: { FIX_REVIEW: 1 } });
    expect(bench.roles().slice(3)).toEqual([
      "Coder T-001",
      "Reviewer T-001",
      "QA T-001",
      "Reviewer meta",
      "Coder meta",
      "Reviewer meta",
      "Security meta",
      "Integrator meta",
      "Docs meta",
      "Integrator meta",
    ]);
  });
});

describe("a lean task that proves larger", () => {
  test.each([
    ["because Coder says so", builds(LETTERS_TWO, { notes: ["design-spec: none", "signal: task-larger: it needs a format"] })],
    [
      "because more than three files change",
      builds([...LETTERS_TWO, ...["c", "d"].map((name) => file(`src/${name}.txt`, "two\n"))], { notes: ["design-spec: none"] }),
    ],
  ])("[CRW-101] begins again at INTAKE in full mode, %s", async (_why, coder) => {
    const again = (await import("./testing/artifacts.ts")).fullIntake();
    const { files, output } = again;
    const second = { output, files: files.filter(({ path }) => !path.endsWith("status.json")) };
    const declared = { ...output, artifacts: { files_to_create_or_update: second.files.map(({ path }) => path) } };
    // The criteria are the same; a declared file has to change.
    const spec = second.files.map((one) => (one.path === `${OWN}acceptance.json` ? { ...one, content: `${one.content}\n` } : one));
    bench = await openBench({ ...TEAM, "spec-agent": [leanIntake(), { output: declared, files: spec }], coder: [coder, mends()] }, YES, {
      mode: "lean",
    });
    expect((await bench.result()).status).toBe("merged");
    expect(bench.states().slice(0, 4)).toEqual(["INTAKE_LEAN", "IMPLEMENT_LOOP", "INTAKE", "DESIGN"]);
    expect(bench.status()).toMatchObject({ mode: "full", current_state: "DONE" });
  });
});
