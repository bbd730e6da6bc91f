import { describe, expect, test } from "vitest";
import { REFERENCE } from "@slipway/protocols/criticality/benchmark/testing/reference";
import { startSlipway } from "../testing/child.ts";
import { letters, type Project } from "../testing/project.ts";

/** Answers from answers.json by model and function, and notes every call. */
const AGENT = `import { appendFileSync, readFileSync } from "node:fs";
const { role, subject, attempt, model } = JSON.parse(readFileSync(0, "utf8"));
appendFileSync("calls.log", [model, role, subject, attempt].join(" ") + "\\n");
const answers = JSON.parse(readFileSync("answers.json", "utf8"));
const body = answers[model]?.[subject] ?? answers.good[subject];
if (body === "HANG") setInterval(() => undefined, 1000);
else if (body === "DOWN") process.stdout.write(JSON.stringify({ error: "out of order", code: "provider_unavailable" }));
else process.stdout.write(JSON.stringify({ output: { body }, usage: { input_tokens: 100, output_tokens: 50, cost_usd: 0.02 } }));
`;

type Bodies = Readonly<Record<string, string>>;

const GOOD: Bodies = Object.fromEntries(Object.entries(REFERENCE).map(([id, body]) => [subjectOf(id), body]));

/** Bodies that keep their contract, and fail hidden tests. */
const WRONG: Bodies = {
  "domain.slug.slugOf": 'return (title.toLowerCase().match(/[a-z0-9]+/g) ?? []).join("-");',
  "domain.distance.editDistance": "return left === right ? 0 : Math.max(left.length, right.length);",
};

function subjectOf(id: string): string {
  return id
    .replace(/^src\//, "")
    .replace(".ts#", ".")
    .replaceAll("/", ".");
}

/** A busy machine must not look like a slow function. */
const LONG_LIMITS = "[orchestrator.timeouts]\ninjection_per_function_seconds = 900\nmesoscopic_per_cluster_seconds = 900\n";

function benchmarkProject(answers: Readonly<Record<string, Bodies>> = {}): Project {
  const runtime = "{ default_provider: custom, default_model: good, custom: { command: [node, agent.mjs] }, outage_minutes: 0 }";
  return letters({
    "agent.mjs": AGENT,
    "answers.json": JSON.stringify({ good: GOOD, ...answers }),
    "slipway/agents.yaml": `version: 1\nroles: {}\nruntime: ${runtime}\n`,
    "slipway/criticality.toml": LONG_LIMITS,
  });
}

const measure = (project: Project, ...args: readonly string[]) => project.slipway(["criticality", "benchmark", ...args]);
const results = (project: Project) => project.sql("SELECT run_id, level, models FROM criticality_benchmarks ORDER BY at");
const calls = (project: Project) => project.read("calls.log").trim().split("\n");

const THREE = ["--case", "clamp,slug,distance"];

describe("slipway criticality benchmark", () => {
  test("[CRI-159] [CRI-197] measures the current models and a candidate, compares them, stores both, and flags a later regression", async () => {
    const project = benchmarkProject({ weak: WRONG });
    const compared = await measure(project, "--candidate", "worker=custom:weak", ...THREE);
    expect(compared.code).toBe(0);
    expect(compared.stdout).toMatch(/^run (\S+): 3 cases; worker custom:good, structurer custom:good, architect custom:good$/m);
    expect(compared.stdout).toMatch(/^run (\S+): 3 cases; worker custom:weak, structurer custom:good, architect custom:good$/m);
    expect(compared.stdout).toContain("  FAILED micro/slug: hidden tests fail: drops accents; 1 attempt at 1 function, $0.02, 150 tokens");
    expect(compared.stdout).toContain("worker, now custom:good: 3 of 3 cases pass, 100 % at the first attempt, 3 attempts, $0.02 a case");
    expect(compared.stdout).toContain("worker, candidate custom:weak: 1 of 3 cases pass, 33 % at the first attempt, 3 attempts,");
    expect(compared.stdout).toContain(
      "Recommendation: keep custom:good as worker: the candidate passes 1 of 3 cases, the current model 3.\n",
    );
    expect(project.git("status", "--porcelain").trim()).toBe("?? calls.log");
    expect(project.git("branch", "--format=%(refname:short)").trim()).toBe("main");
    const stored = results(project);
    expect(stored.map(({ models }) => (JSON.parse(String(models)) as Bodies)["worker"])).toEqual(["custom:good", "custom:weak"]);

    // The same model under the same name answers worse than before.
    project.write("answers.json", JSON.stringify({ good: { ...GOOD, ...WRONG } }));
    const worse = await measure(project, ...THREE, "--json");
    expect(worse.code).toBe(4);
    expect(worse.json().at(-1)).toMatchObject({
      status: "completed",
      value: {
        levels: [
          {
            level: "micro",
            before: stored[0]?.["run_id"],
            summary: { cases: 3, passed: 1, pass_rate: 1 / 3, first_pass_rate: 1 / 3, mean_cost_usd: 0.02 },
            regressions: [
              "1 of 3 cases pass, before 3; no longer: micro/slug, micro/distance",
              "33 % pass at the first attempt, before 100 %",
            ],
            cases: [{ case: "micro/clamp", passed: true, tier: "worker", attempts: 1, tokens_in: 100, tokens_out: 50 }, {}, {}],
          },
        ],
      },
    });
    const history = await measure(project, "--history");
    expect(history.stdout.match(/\d of 3 cases pass/g)).toEqual(["3 of 3 cases pass", "1 of 3 cases pass", "1 of 3 cases pass"]);
    expect((await measure(project, "--history", "--json")).json<object[]>()[0]).toHaveLength(3);
    expect((await measure(project, "--history", "--level", "module")).stdout).toMatch(/^No benchmark has ended yet\./);
  }, 240_000);

  test("[CRI-159] a benchmark that is killed stores nothing, and the same command continues it", async () => {
    const two = ["--case", "clamp,distance"];
    const project = benchmarkProject({ good: { ...GOOD, "domain.distance.editDistance": "HANG" } });
    const killed = startSlipway(project, ["criticality", "benchmark", ...two]);
    await killed.says("clamp.clamp accepted");
    killed.process.kill("SIGKILL");
    await killed.ended;
    expect(results(project)).toEqual([]);
    project.write("answers.json", JSON.stringify({ good: GOOD }));
    const continued = await measure(project, ...two);
    expect(continued.code).toBe(0);
    expect(continued.stdout).toMatch(/^run \S+: 2 cases; .* \(continued\)$/m);
    expect(continued.stdout).toContain("2 of 2 cases pass, 100 % at the first attempt");
    expect(calls(project).filter((call) => call.includes("clamp"))).toEqual(["good worker domain.clamp.clamp 1.1"]);
    expect(results(project)).toHaveLength(1);
    const [, run = ""] = /^run (\S+):/m.exec(continued.stdout) ?? [];
    expect((await project.slipway(["status", run])).stdout).toContain("  micro-clamp: completed\n  micro-distance: completed\n");
  }, 240_000);

  test("[CRI-197] a candidate for a higher tier begins with its tier, and the worker is not called", async () => {
    const project = benchmarkProject();
    const { code, stdout } = await measure(project, "--candidate", "structurer_model=custom:large", "--case", "clamp");
    expect(code).toBe(0);
    expect(calls(project)).toEqual(["good structurer domain.clamp.clamp 1.1", "large structurer domain.clamp.clamp 1.1"]);
    expect(stdout).toContain("  passed micro/clamp (fallback1): 1 attempt at 1 function");
    expect(stdout).toContain("Recommendation: keep custom:good as structurer: both pass 1 of 1 cases, and no benefit was measured.\n");
  }, 120_000);

  test("[CRI-159] cases escalate as in any run; a model without a valid answer fails its attempt, and a function that no tier can write fails its case", async () => {
    const bad = { "domain.roman.toRoman": "return 1;" };
    const project = benchmarkProject({ good: { ...GOOD, ...bad }, mute: { ...bad, "domain.clamp.clamp": 1 as unknown as string } });
    const { code, stdout } = await measure(project, "--model", "worker=custom:mute", "--case", "clamp,roman");
    expect(code).toBe(0);
    expect(stdout).toContain("  passed micro/clamp (fallback1): 2 attempts at 1 function");
    expect(stdout).toContain("  FAILED micro/roman: toRoman could not be written in 6 attempts: type failure; 6 attempts at 1 function");
    expect(new Set(calls(project).map((call) => call.split(" ").slice(0, 3).join(" ")))).toEqual(
      new Set([
        "mute worker domain.clamp.clamp",
        "mute worker domain.roman.toRoman",
        "good structurer domain.clamp.clamp",
        "good structurer domain.roman.toRoman",
        "good architect domain.roman.toRoman",
      ]),
    );
  }, 120_000);

  test("an outage is a question and not a result; given up, nothing is stored", async () => {
    const project = benchmarkProject({ good: { ...GOOD, "domain.clamp.clamp": "DOWN" } });
    expect((await measure(project, "--case", "clamp")).code).toBe(23);
    await project.slipway(["answer", "Q1", "give_up"]);
    const ended = await project.slipway(["resume"]);
    expect([ended.code, ended.stdout]).toEqual([3, expect.stringContaining("micro/clamp was given up")]);
    expect(results(project)).toEqual([]);
  }, 120_000);

  test.each([
    [["--level", "macro"], "--level", '--level: there is no level "macro".', "Did you mean micro?"],
    [["--case", "clam"], "--case", '--case: there is no case "clam".', "Did you mean clamp?"],
    [["--level", "module", "--case", "clamp"], "--case", '--case: there is no case "clamp".', "Choose from heap, calendar"],
    [["--model", "wroker=big"], "--model", '--model: there is no alias "wroker".', "Did you mean worker?"],
    [["--candidate", "auditor=big"], "--candidate", "the auditor takes no part in Injection", "Measure one of worker"],
    [["--candidate", "worker"], "--candidate", '--candidate worker: "" is not the name of a model.', "Name it as in [models]"],
    [["--candidate", "worker=a model"], "--candidate", '"a model" is not the name of a model.', "Name it as in [models]"],
    [["--model", "worker=a,worker_model=b"], "--model", "--model names a model for worker twice.", "Name one model"],
    [
      ["--candidate", "worker=a", "--agent-model", "b"],
      "--candidate",
      "--agent-model chooses the model of every role",
      "Leave --agent-model",
    ],
  ])("refuses %j before anything is recorded", async (args, field, message, next) => {
    const project = letters();
    const ended = await measure(project, ...args, "--json");
    expect(ended.code).toBe(2);
    const [told] = ended.json<{ error: { code: string; message: string; details: Record<string, unknown> } }>();
    expect(told?.error).toMatchObject({ code: "invalid_cli_args", details: { field } });
    expect(told?.error.message).toContain(message);
    expect(JSON.stringify(told?.error.details["suggested_next_actions"])).toContain(next);
  });

  test("refuses a candidate that plays the role already, and one whose provider is not configured", async () => {
    const project = benchmarkProject();
    const same = await measure(project, "--candidate", "worker=custom:good");
    expect([same.code, same.stderr]).toEqual([
      2,
      expect.stringContaining("invalid_cli_args: --candidate: custom:good plays worker already."),
    ]);
    const missing = await measure(project, "--candidate", "worker=replay:any");
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringMatching(/^cassette_missing: /)]);
    const env = { ...project.env, SLIPWAY_AGENT_MODEL: "big" };
    const ignored = await project.slipway(["criticality", "benchmark", "--model", "worker=a"], { env });
    expect(ignored.stderr).toMatch(/^invalid_cli_args: SLIPWAY_AGENT_MODEL chooses the model of every role/);
    expect(project.sql("SELECT run_id FROM runs")).toEqual([]);
  });
});
