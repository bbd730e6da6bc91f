import { describe, expect, test } from "vitest";
import { buildAll, factoryProject, goOn, WITHOUT_APPROVAL } from "../testing/factory-project.ts";
import { answersFor, type Project } from "../testing/project.ts";

const agents = (roles: object) => JSON.stringify({ version: 1, roles: {}, runtime: { default_provider: "replay", budgets: { roles } } });

/** Two features, and a factory project of two tasks: each protocol's planner is called twice. */
function twoPlanners(roles: object): Project {
  const project = factoryProject({
    "other.spec.md": "# Other\n\nThe second letter file says two.\n",
    "slipway/policy.yaml": WITHOUT_APPROVAL,
    "slipway/agents.yaml": agents(roles),
  });
  answersFor(project, "other", "src/b.txt");
  return project;
}

const features = (project: Project) => project.slipway(["run", "letters.spec.md", "other.spec.md", "--cassette", project.cassette]);
const ONE_CALL = { max_calls: 1 };

describe("a budget of a role", () => {
  test("of the factory limits only the factory's planner, and every report says so", async () => {
    const project = twoPlanners({ "factory/planner": ONE_CALL });
    expect(await features(project)).toMatchObject({ code: 0 });
    const asked = await buildAll(project);
    expect(asked.code).toBe(23);
    expect(asked.stdout).toContain("the budget of the role factory/planner might be exceeded (1 call of 1 call spent)");
    expect((await project.slipway(["inbox", "Q2"])).stdout).toContain("The role factory/planner has a budget of 1 call");
    expect((await project.slipway(["status"])).stdout).toContain("budget of the role factory/planner: 1 call of 1 call spent");
    const { stdout } = await project.slipway(["cost"]);
    expect(stdout).toMatch(/by role\n(?: {2}.*\n)* {2}factory\/planner +\$0\.01 {2}1 call /);
    expect(stdout).toContain("the role factory/planner: 1 call of 1 call spent, 0 calls reserved, 0 calls left");
    expect((await project.slipway(["cost", "--all"])).stdout).toMatch(/\n {2}planner +\$0\.02 {2}2 calls /);

    expect((await project.slipway(["answer", "Q2", "raise"])).code).toBe(0);
    expect(await goOn(project)).toMatchObject({ code: 0, stdout: expect.stringMatching(/releases 2 modules/) });
    expect(project.sql("SELECT scope, name, raised FROM budgets")).toEqual([{ scope: "role", name: "factory/planner", raised: 2 }]);
  });

  test("without a protocol limits only the planner of features", async () => {
    const project = twoPlanners({ planner: ONE_CALL });
    expect(await buildAll(project)).toMatchObject({ code: 0, stdout: expect.stringMatching(/releases 2 modules/) });
    const asked = await features(project);
    expect(asked.code).toBe(23);
    expect(asked.stdout).toContain("the budget of the role planner might be exceeded");
  });

  test("of an unknown role is refused before anything is recorded, with file, field and hint", async () => {
    const project = twoPlanners({ arbiter: ONE_CALL });
    for (const argv of [["run", "letters.spec.md"], ["factory", "numbers.md"], ["agents"]]) {
      const { code, stderr } = await project.slipway(argv);
      expect(code).toBe(2);
      expect(stderr).toContain('slipway/agents.yaml: runtime.budgets.roles: there is no role "arbiter". Did you mean "factory/arbiter"?');
    }
    expect(project.sql("SELECT * FROM runs")).toEqual([]);
  });
});

describe("calls paid before roles were stored with their protocol", () => {
  test("a run of features continues under its budget, with either key for the planner", async () => {
    const project = twoPlanners({ planner: ONE_CALL });
    expect((await features(project)).code).toBe(23);
    expect(project.sql("SELECT name FROM budgets WHERE scope = 'role' AND configured IS NOT NULL")).toEqual([{ name: "planner" }]);
    project.write("slipway/agents.yaml", agents({ "features/planner": ONE_CALL, planner: { max_calls: 9 } }));
    project.git("commit", "-qam", "the longer key");
    await project.slipway(["answer", "Q1", "retry"]);
    const again = await goOn(project);
    expect(again.stdout).toContain("the budget of the role planner might be exceeded (1 call of 1 call spent)");
  });

  test("a run of the factory continues under its own planner's budget, with the amounts spent and raised", async () => {
    const project = twoPlanners({ "factory/planner": ONE_CALL });
    expect((await buildAll(project)).code).toBe(23);
    project.sql("UPDATE reservations SET role = replace(role, 'factory/', '')");
    project.sql("UPDATE telemetry SET role = replace(role, 'factory/', '')");
    project.sql("UPDATE budgets SET name = replace(name, 'factory/', ''), raised = 1");
    project.sql("DELETE FROM schema_version WHERE name = 'factory/role-names'");
    const { stdout } = await project.slipway(["cost"]);
    expect(stdout).toMatch(/\n {2}factory\/planner +\$0\.01 {2}1 call /);
    expect(stdout).toContain("the role factory/planner: 1 call of 1 call spent");
    expect(project.sql("SELECT name, raised FROM budgets")).toEqual([{ name: "factory/planner", raised: 1 }]);
    await project.slipway(["answer", "Q2", "retry"]);
    expect((await goOn(project)).stdout).toContain("the budget of the role factory/planner might be exceeded (1 call of 1 call spent)");
  });
});
