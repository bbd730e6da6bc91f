import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ProductSpec } from "../product/spec.ts";
import { initialiseProject } from "./initialise.ts";
import { planProject } from "./plan.ts";
import { openProject, projectStatus, type Project } from "./project.ts";
import { planSplit } from "./split.ts";
import { stateMachineSchema } from "./state.ts";
import { testRoom, type TestProject } from "./testing/room.ts";
import { specOf, specTask } from "./testing/specs.ts";

const AT = "2026-01-02T03:04:05Z";
const spec = specOf({ pillars: 1, epics: 2, stories: 1, tasks: 2, dependsOn: (task) => (task === 0 ? [] : [task - 1]) });
const { tasks, files } = planProject(spec);
const [first = "", second = ""] = tasks.map(({ task_id }) => task_id);
const ship = (task: string) => ({ kind: "ship" as const, task, module_refs: ["MM-a@1.0.0"], at: AT });
const halt = (task: string) => ({ kind: "halt" as const, task, reason: "no agreement", escalation_ref: "ESC-0a1b2c3d" });

const initialise = (projectStore: TestProject, id = "one", from: ProductSpec = spec) =>
  initialiseProject(projectStore, projectStore.call(), id, from);
const machineFile = ({ stateStore }: TestProject) => join(stateStore, "project/state_machine.json");
const machineIn = (projectStore: TestProject) => stateMachineSchema.parse(JSON.parse(readFileSync(machineFile(projectStore), "utf8")));

/** Everything in the state store. */
function stored({ stateStore }: TestProject): string[] {
  if (!existsSync(stateStore)) return [];
  return readdirSync(stateStore, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(stateStore.length + 1))
    .toSorted();
}

describe("initialisation", () => {
  test("[FAC-055] [FAC-061] writes every task's file and the state machine, and nothing else", async () => {
    const projectStore = await testRoom();
    const project = await initialise(projectStore);
    expect(stored(projectStore)).toEqual([...files.map(({ path }) => path), "project/state_machine.json"].toSorted());
    for (const { path, text } of files) expect(readFileSync(join(projectStore.stateStore, path), "utf8")).toBe(text);
    expect(machineIn(projectStore)).toEqual({
      project_id: "one",
      spec_version: "1.0.0",
      updated_at: new Date(projectStore.clock.now()).toISOString(),
      tasks: project.machine().tasks,
    });
  });

  test.each([
    ["a name without a slug", { name: "日本語" }],
    ["a field that cannot be filled", { description: "" }],
    ["a missing dependency", { depends_on: ["TSK-999"] }],
  ])("[FAC-056] with %s leaves nothing on disk and nothing in the database", async (_, parts) => {
    const projectStore = await testRoom();
    const broken = structuredClone(spec);
    broken.pillars[0]!.epics[1]!.stories[0]!.tasks[1] = specTask(3, parts);
    await expect(initialise(projectStore, "one", broken)).rejects.toMatchObject({ code: "spec_ingest_failed" });
    expect(stored(projectStore)).toEqual([]);
    expect(await openProject(projectStore)).toBeNull();
  });

  test("[FAC-056] that fails while it writes leaves the former files", async () => {
    const projectStore = await testRoom();
    await initialise(projectStore);
    const before = stored(projectStore);
    const wall = structuredClone(spec);
    wall.pillars[0]!.epics[0]!.name = "New";
    // The temporary folder of the new one cannot be created.
    writeFileSync(`${projectStore.stateStore}-aside`, "");
    await expect(
      initialiseProject({ ...projectStore, stateStore: `${projectStore.stateStore}-aside` }, projectStore.call(), "two", wall),
    ).rejects.toMatchObject({
      code: "io_error",
    });
    expect(stored(projectStore)).toEqual(before);
    expect((await projectStatus(projectStore))?.project_id).toBe("one");
  });

  test("of another project replaces the files, and the same call twice does it once", async () => {
    const projectStore = await testRoom();
    const call = projectStore.call();
    const project = await initialiseProject(projectStore, call, "one", spec);
    await project.apply(projectStore.call(), { kind: "dispatch", task: first });
    expect((await initialiseProject(projectStore, call, "one", spec)).task(first).status).toBe("IN_PROGRESS");
    await expect(initialise(projectStore, "one")).rejects.toMatchObject({ code: "operation_conflict" });
    const other = specOf({ pillars: 1, epics: 1, stories: 1, tasks: 1 });
    await initialise(projectStore, "two", other);
    expect(stored(projectStore).filter((path) => path.startsWith("project/"))).toEqual(
      [...planProject(other).files.map(({ path }) => path), "project/state_machine.json"].toSorted(),
    );
    await expect(initialiseProject(projectStore, call, "one", spec)).rejects.toMatchObject({ code: "operation_conflict" });
  });
});

describe("[FAC-071] a change", () => {
  test("is in the rows, in the file and in the view, and visible to another process", async () => {
    const projectStore = await testRoom();
    const project = await initialise(projectStore);
    await project.apply(projectStore.call(), { kind: "dispatch", task: first });
    await project.apply(projectStore.call(), halt(first));
    expect(machineIn(projectStore).tasks[first]).toMatchObject({ status: "HALTED", escalation_ref: "ESC-0a1b2c3d" });
    const other = await openProject(await projectStore.another());
    expect(other?.machine()).toEqual(project.machine());
    expect((await projectStatus(projectStore))?.summary).toEqual(project.view());
    expect(project.decision()).toEqual({ kind: "halted", tasks: [first] });
  });

  test("is never computed on an outdated state", async () => {
    const projectStore = await testRoom();
    const project = await initialise(projectStore);
    const other = (await openProject(projectStore))!;
    await project.apply(projectStore.call(), { kind: "dispatch", task: first });
    // It reads again, and then the change is not possible.
    await expect(other.apply(projectStore.call(), { kind: "dispatch", task: first })).rejects.toMatchObject({
      code: "invalid_status_transition",
    });
    await other.apply(projectStore.call(), ship(first));
    await project.apply(projectStore.call(), { kind: "dispatch", task: second });
    expect(project.view().counts).toMatchObject({ SHIPPED: 1, IN_PROGRESS: 1 });
    expect((await openProject(projectStore))?.machine().tasks).toEqual(project.machine().tasks);
  });

  test("that is repeated after a crash is applied once", async () => {
    const projectStore = await testRoom();
    const project = await initialise(projectStore);
    const [start, end] = [projectStore.call(), projectStore.call()];
    for (let time = 0; time < 2; time++) await project.apply(start, { kind: "dispatch", task: first });
    for (const place of [project, (await openProject(projectStore))!]) await place.apply(end, ship(first));
    expect(project.task(first).status).toBe("SHIPPED");
    expect((await projectStatus(projectStore))?.revision).toBe(3);
  });

  test("that is refused changes nothing, in any process", async () => {
    const projectStore = await testRoom();
    const project = await initialise(projectStore);
    const before = project.machine();
    for (const change of [ship(first), halt(second), { kind: "dispatch" as const, task: second }]) {
      await expect(project.apply(projectStore.call(), change)).rejects.toMatchObject({ code: "invalid_status_transition" });
    }
    expect(project.machine()).toEqual(before);
    expect((await openProject(projectStore))?.machine()).toEqual(before);
  });

  test("[FAC-041] never changes the order of a task", async () => {
    const projectStore = await testRoom();
    const project = await initialise(projectStore);
    const orders = (of: Project) => Object.values(of.machine().tasks).map(({ declaration_order }) => declaration_order);
    const before = orders(project);
    for (const task of [first, second]) {
      await project.apply(projectStore.call(), { kind: "dispatch", task });
      await project.apply(projectStore.call(), ship(task));
    }
    expect(orders(project)).toEqual(before);
  });

  test("does not come from the file: an edit of it is ignored and overwritten", async () => {
    const projectStore = await testRoom();
    const project = await initialise(projectStore);
    const text = readFileSync(machineFile(projectStore), "utf8");
    writeFileSync(machineFile(projectStore), text.replaceAll("PENDING", "SHIPPED"));
    expect((await openProject(projectStore))?.decision()).toEqual({ kind: "start", task: first });
    await project.flush();
    expect(readFileSync(machineFile(projectStore), "utf8")).toBe(text);
  });
});

test("a task's file is written with the current state of its dependencies", async () => {
  const projectStore = await testRoom();
  const project = await initialise(projectStore);
  const { path } = await project.sheet(second);
  const text = await project.taskFile(second, [{ ref: "MM-a@1.0.0", summary: "counts", examples: null }]);
  expect(readFileSync(join(projectStore.stateStore, path), "utf8")).toBe(text);
  expect(text).toContain("- MM-a@1.0.0: counts");
  await expect(project.sheet("T-none-001")).rejects.toThrow(/There is no task/);
});

test("added tasks have rows and details; without details they are refused", async () => {
  const projectStore = await testRoom();
  const project = await initialise(projectStore);
  await project.apply(projectStore.call(), { kind: "dispatch", task: first });
  await project.apply(projectStore.call(), halt(first));
  const wish = { ...specTask(0), name: "Half", depends_on: [] };
  const { task_id: _, ...part } = wish;
  const { change, sheets } = planSplit(
    { task_id: first, entry: project.task(first), sheet: await project.sheet(first) },
    project.machine().tasks,
    [part],
  );
  await expect(project.apply(projectStore.call(), change)).rejects.toThrow(/has no details/);
  expect(project.task(first).status).toBe("HALTED");
  const amendedSheet = { ...(await project.sheet(second)), acceptance_criteria: ["Other"] };
  await project.apply(projectStore.call(), change, { ...sheets, [second]: amendedSheet });
  const reopened = (await openProject(projectStore))!;
  const [added = ""] = reopened.task(first).superseded_by ?? [];
  expect(await reopened.sheet(added)).toMatchObject({ name: "Half" });
  expect((await reopened.sheet(second)).acceptance_criteria).toEqual(["Other"]);
  expect(machineIn(projectStore).tasks[added]?.status).toBe("PENDING");
});

test("the file of a large project is not rewritten each time: only after a while, or when it matters", async () => {
  const projectStore = await testRoom();
  // Each read of the clock advances a second, so a write seems to take one.
  const slow = { ...projectStore.clock, monotonic: () => (projectStore.clock.time += 1000) };
  const project = await initialiseProject({ ...projectStore, clock: slow }, projectStore.call(), "one", spec);
  await project.apply(projectStore.call(), { kind: "dispatch", task: first });
  expect(machineIn(projectStore).tasks[first]?.status).toBe("IN_PROGRESS");
  await project.apply(projectStore.call(), ship(first));
  expect(machineIn(projectStore).tasks[first]?.status).toBe("IN_PROGRESS");
  await project.apply(projectStore.call(), { kind: "dispatch", task: second });
  await project.apply(projectStore.call(), halt(second));
  expect(machineIn(projectStore).tasks).toEqual(project.machine().tasks);
});

test("leftovers of a killed initialisation are removed by the next", async () => {
  const projectStore = await testRoom();
  mkdirSync(join(projectStore.stateStore, ".project-0a1b/x"), { recursive: true });
  await initialise(projectStore);
  await expect.poll(() => readdirSync(projectStore.stateStore)).toEqual(["project"]);
});
