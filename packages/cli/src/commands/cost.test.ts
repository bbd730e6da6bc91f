import { describe, expect, test } from "vitest";
import { letters, lettersToApprove, type Project } from "../testing/project.ts";

const agents = (runtime: string) => ({
  "slipway/agents.yaml": `{ version: 1, roles: {}, runtime: { default_provider: replay, ${runtime} } }\n`,
});
const runId = (project: Project) => String(project.sql("SELECT run_id FROM runs WHERE parent_run_id IS NULL")[0]?.["run_id"]);

interface Report {
  readonly total: { readonly cost_usd: number; readonly calls: number };
  readonly by_role: readonly { readonly name: string }[];
  readonly budgets: readonly { readonly scope: string; readonly spent: number; readonly left: number }[];
}

describe("slipway cost", () => {
  test("usage of a run by feature, role and model, and what is left of its budgets", async () => {
    const project = letters(agents("budgets: { run: { max_cost_usd: 1 }, feature: { max_calls: 10 } }"));
    expect((await project.run()).code).toBe(23);
    const { code, stdout } = await project.slipway(["cost"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^run ${runId(project)}: \\$0\\.03 {2}3 calls {2}30 in, 15 out {2}`));
    expect(stdout).toMatch(/by feature\n {2}letters {2}\$0\.03/);
    expect(stdout).toMatch(/by role\n(?: {2}(?:builder|planner|qa) +\$0\.01 {2}1 call .*\n){3}/);
    expect(stdout).toMatch(/by model\n {2}replay {2}/);
    expect(stdout).toContain("the feature letters: 3 calls of 10 calls spent, 0 calls reserved, 7 calls left");
    expect(stdout).toContain("the run: $0.03 of $1.00 spent, $0.00 reserved, $0.97 left");
    const [report] = (await project.slipway(["cost", runId(project), "--json"])).json<Report>();
    expect(report).toMatchObject({
      total: { calls: 3, cost_usd: expect.closeTo(0.03) },
      budgets: [{ spent: 3, left: 7 }, { scope: "run" }],
    });
    expect(report?.by_role.map(({ name }) => name).toSorted()).toEqual(["builder", "planner", "qa"]);
    expect((await project.slipway(["status"])).stdout).toContain("budget of the run: $0.03 of $1.00 spent");
  });

  test("usage of all runs, with calls that were cut off", async () => {
    const project = await lettersToApprove();
    project.sql("UPDATE reservations SET status = 'cut_off', cost_usd = 0.5 WHERE role = 'qa'");
    const { stdout } = await project.slipway(["cost", "--all"]);
    expect(stdout).toMatch(new RegExp(`^all runs: .*\n\nby run\n {2}${runId(project)} `));
    expect(stdout).toContain("1 call was cut off by a kill: their usage is unknown; budgets count them at the maximum ($0.50).");
  });

  test("a repository or run without calls is reported as that", async () => {
    const project = letters();
    expect((await project.slipway(["cost"])).stderr).toMatch(/^run_not_found: Nothing has run/);
    await project.run();
    expect(await project.slipway(["cost", "2020-01-01_none"])).toMatchObject({ code: 2, stderr: expect.stringMatching(/^run_not_found/) });
    project.sql("DELETE FROM telemetry");
    expect((await project.slipway(["cost"])).stdout).toMatch(/^No agent has been called in run \S+ yet\.\n$/);
  });
});

test("a run whose budget might not suffice asks, exits 23, shows what was spent, and continues with the answer", async () => {
  const project = letters(agents("budgets: { run: { max_calls: 1 } }"));
  const first = await project.run();
  expect(first.code).toBe(23);
  expect(first.stdout).toContain("the budget of the run might be exceeded (1 call of 1 call spent)");
  expect(first.stdout).not.toContain("failed");
  const asked = (await project.slipway(["inbox"])).stdout;
  expect(asked).toContain("raise: raise it to 2 calls for this run");
  expect((await project.slipway(["answer", "Q1", '{"decision":"raise","limit":10}'])).code).toBe(0);
  const resumed = await project.slipway(["resume", "--cassette", project.cassette]);
  expect(resumed.stdout).toContain("builder proposes a patch");
  expect(resumed.stdout).toContain("slipway approve letters");
  expect(project.sql("SELECT count(*) AS n FROM telemetry")).toEqual([{ n: 3 }]);
});
