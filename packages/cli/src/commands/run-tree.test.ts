import { runViewSchema } from "@slipway/protocols/run-view";
import { expect, test } from "vitest";
import { buildAll, factoryProject, WITHOUT_APPROVAL } from "../testing/factory-project.ts";
import { lettersToApprove, type Project } from "../testing/project.ts";

const latest = (project: Project) => String(project.sql("SELECT run_id FROM runs WHERE parent_run_id IS NULL")[0]?.["run_id"]);
const tree = async (project: Project) => (await project.slipway(["status", latest(project), "--json"])).json()[0];

test("a run of features is a tree: the run, and below it each feature with what it is waiting for", async () => {
  const project = await lettersToApprove();
  const run = latest(project);
  const { code, stdout } = await project.slipway(["status", run]);
  expect(code).toBe(0);
  expect(stdout).toMatch(new RegExp(`^${run} \\(features\\): waiting\\n {2}letters: ready_to_merge.*needs you: Q1 \\(approval\\)`));
  const view = runViewSchema.parse(await tree(project));
  expect(view.nodes).toMatchObject([
    { id: run, parent: null, kind: "run" },
    { id: "feature:letters", parent: run, kind: "feature", waits_for: [{ for: "person", what: "Q1 (approval)" }] },
  ]);
});

test("a run of the factory is a tree of the same form: phases, tasks, modules and the release", async () => {
  const project = factoryProject({ "slipway/policy.yaml": WITHOUT_APPROVAL });
  expect((await buildAll(project)).code).toBe(0);
  const view = runViewSchema.parse(await tree(project));
  expect(view).toMatchObject({ protocol: "factory", status: "completed" });
  const parents = new Set(view.nodes.map(({ id }) => id));
  expect(view.nodes.slice(1).filter(({ parent }) => parent === null || !parents.has(parent))).toEqual([]);
  expect(new Set(view.nodes.map(({ kind }) => kind))).toEqual(new Set(["run", "phase", "task", "module", "feature"]));
  const { stdout } = await project.slipway(["status", latest(project)]);
  expect(stdout).toMatch(/\n {4}\S.*: SHIPPED\n {6}MM-\S+@1\.0\.0: SHIPPED\n/);
});

test("a question without a feature is shown at the run", async () => {
  const project = factoryProject();
  await project.slipway(["factory", "numbers.md", "--cassette", project.cassette]);
  const run = latest(project);
  expect((await project.slipway(["status", run])).stdout).toBe(`${run} (factory): waiting; needs you: Q1 (spec_approval)\n`);
  expect(await tree(project)).toMatchObject({ nodes: [{ id: run, waits_for: [{ for: "person", what: "Q1 (spec_approval)" }] }] });
});

test("a run that does not exist is refused", async () => {
  const project = await lettersToApprove();
  expect(await project.slipway(["status", "nothing"])).toMatchObject({ code: 2, stderr: expect.stringMatching(/^run_not_found: /) });
});
