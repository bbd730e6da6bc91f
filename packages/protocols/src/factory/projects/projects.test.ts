import { migrateFactory } from "../tables.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openBench, type Bench } from "@slipway/kernel/record/operations/testing/door";
import { refusalOf } from "@slipway/kernel/host/file-views/testing/yard";
import { openProjects, type NewProject, type ProjectChange, type Projects } from "./projects.ts";

type Kept = Projects<{ status: string }, { title: string }, { done: number }>;

const SYSTEM = { type: "system", id: "test" } as const;
const call = (operationId: string) => ({ actor: SYSTEM, operationId });
const task = (number: number) => ({
  task_id: `T-${number}`,
  declaration_order: number,
  entry: { status: "PENDING" },
  sheet: { title: `number ${number}` },
});
const project = (project_id: string, tasks: number): NewProject<{ status: string }, { title: string }, { done: number }> => ({
  project_id,
  spec_version: "1.0.0",
  plan_digest: "d",
  summary: { done: 0 },
  tasks: Array.from({ length: tasks }, (_, number) => task(number)),
});
const shipped = (done: number): ProjectChange<{ status: string }, { title: string }, { done: number }> => ({
  entries: [{ task_id: "T-1", entry: { status: "SHIPPED" } }],
  sheets: [{ task_id: "T-0", sheet: { title: "other" } }],
  added: [task(1234)],
  summary: { done },
});

let bench: Bench;
let projects: Kept;
beforeEach(async () => {
  bench = await openBench();
  await migrateFactory(bench.db, bench.folder);
  projects = openProjects(bench);
});
afterEach(() => bench.close());

test("a project is stored with all its tasks, in order, and read by its head or by its tasks", async () => {
  expect(await projects.head()).toBeNull();
  const head = await projects.initialise(call("a"), project("p", 1234));
  expect(head).toEqual({
    project_id: "p",
    spec_version: "1.0.0",
    plan_digest: "d",
    revision: 1,
    updated_at: 1000,
    summary: { done: 0 },
    origin: null,
  });
  const entries = await projects.entries("p");
  expect([...entries.keys()]).toEqual(project("p", 1234).tasks.map(({ task_id }) => task_id));
  expect(await projects.sheet("p", "T-1233")).toEqual({ title: "number 1233" });
  expect(await projects.sheet("p", "T-9999")).toBeNull();
  await projects.initialise(call("b"), project("q", 1));
  expect((await projects.head())?.project_id).toBe("q");
});

test("a change affects the named tasks, is computed once, and raises the version", async () => {
  await projects.initialise(call("a"), project("p", 3));
  let worked = 0;
  for (let time = 0; time < 2; time++) {
    const head = await projects.change(call("change"), "p", { kind: "ship" }, (revision) => {
      worked++;
      return shipped(revision);
    });
    expect(head).toMatchObject({ revision: 2, summary: { done: 1 } });
  }
  expect(worked).toBe(1);
  expect([...(await projects.entries("p"))].map(([id, { status }]) => `${id} ${status}`)).toEqual([
    "T-0 PENDING",
    "T-1 SHIPPED",
    "T-2 PENDING",
    "T-1234 PENDING",
  ]);
  expect(await projects.sheet("p", "T-0")).toEqual({ title: "other" });
});

test("a change that cannot be computed leaves everything unchanged", async () => {
  await projects.initialise(call("a"), project("p", 3));
  const fail = () => {
    throw new Error("no");
  };
  await expect(projects.change(call("change"), "p", {}, fail)).rejects.toThrow("no");
  // The existing row rolls back those before it.
  await expect(projects.change(call("again"), "p", {}, () => ({ ...shipped(5), added: [task(1)] }))).rejects.toThrow();
  expect(await projects.head()).toMatchObject({ revision: 1, summary: { done: 0 } });
  expect((await projects.entries("p")).get("T-1")).toEqual({ status: "PENDING" });
});

test("a project is initialised once, and must exist", async () => {
  await projects.initialise(call("a"), project("p", 1));
  await projects.initialise(call("a"), project("p", 1));
  expect((await refusalOf(() => projects.initialise(call("b"), project("p", 1)))).code).toBe("operation_conflict");
  const lost = { ...shipped(0), entries: [{ task_id: "T-9", entry: { status: "SHIPPED" } }] };
  expect((await refusalOf(() => projects.change(call("d"), "p", {}, () => lost))).message).toMatch(/no project or task "p\/T-9"/);
  expect((await refusalOf(() => projects.change(call("c"), "none", {}, () => shipped(0)))).code).toBe("run_not_found");
});

test("the last project made from a page is found, with its tasks", async () => {
  const from = (page: string, page_digest: string) => ({ page, page_digest, spec_digest: "s" });
  await projects.initialise(call("a"), { ...project("p", 2), origin: from("SPEC.md", "1") });
  await projects.initialise(call("b"), { ...project("q", 1), origin: from("SPEC.md", "2") });
  await projects.initialise(call("c"), { ...project("r", 1), origin: from("OTHER.md", "3") });
  await projects.initialise(call("d"), project("s", 1));
  expect(await projects.latestFrom("SPEC.md")).toMatchObject({ project_id: "q", origin: { page_digest: "2", spec_digest: "s" } });
  expect(await projects.latestFrom("NEW.md")).toBeNull();
  expect(await projects.tasks("p")).toEqual([task(0), task(1)]);
  const changed = { ...project("p", 2), origin: from("SPEC.md", "other") };
  expect((await refusalOf(() => projects.initialise(call("a"), changed))).code).toBe("operation_conflict");
});
