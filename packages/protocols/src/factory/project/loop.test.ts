import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { initialiseProject } from "./initialise.ts";
import { changeFor, outcomeSchema, projectLoop, type ProjectSteps } from "./loop.ts";
import type { Project } from "./project.ts";
import { testRoom } from "./testing/room.ts";
import { specOf } from "./testing/specs.ts";

const AT = "2026-01-02T03:04:05Z";

/** The loop on a real project; only the engineering and the person are scripted. */
async function run(engineer: (task: string, turn: number) => unknown, answer: (project: Project) => Promise<void> = async () => undefined) {
  const projectStore = await testRoom();
  const seen: string[] = [];
  let project: Project;
  /** A step gets the result of the step before it. */
  let given = 0;
  const next = (state: number) => {
    expect(state).toBe(given);
    return ++given;
  };
  const steps: ProjectSteps<number> = {
    async init_state_machine() {
      const spec = specOf({ pillars: 1, epics: 1, stories: 1, tasks: 3, dependsOn: (task) => (task === 2 ? [0] : []) });
      project = await initialiseProject(projectStore, projectStore.call(), "one", spec);
      seen.push("init_state_machine");
      return given;
    },
    async dispatch() {
      const decision = project.decision();
      if (decision.kind === "start") await project.apply(projectStore.call(), { kind: "dispatch", task: decision.task });
      seen.push(`dispatch ${decision.kind}`);
      return decision;
    },
    async engineering(state, task, turn) {
      seen.push(`engineering ${task.slice(-3)}`);
      return { outcome: engineer(task, turn), state: next(state) };
    },
    async update_state_machine(state, task, outcome) {
      await project.apply(projectStore.call(), changeFor(task, outcome, AT));
      seen.push(`update_state_machine ${outcome.result}`);
      return next(state);
    },
    async waitForPerson(state, { kind }) {
      seen.push(`wait ${kind}`);
      await answer(project);
      return next(state);
    },
  };
  await projectLoop(steps);
  return { seen, project: project!, projectStore };
}

const SHIPPED = { result: "SHIPPED", module_refs: ["MM-a@1.0.0"] };
const HALTED = { result: "HALTED", reason: "no agreement", escalation_ref: "ESC-0a1b2c3d" };

describe("the project loop", () => {
  test("[FAC-040] initialises once and repeats its three steps until everything is shipped", async () => {
    const { seen, project } = await run(() => SHIPPED);
    const turn = (task: string) => ["dispatch start", `engineering ${task}`, "update_state_machine SHIPPED"];
    expect(seen).toEqual(["init_state_machine", ...turn("001"), ...turn("002"), ...turn("003"), "dispatch complete"]);
    expect(project.view()).toMatchObject({ complete: true, large: false, counts: { SHIPPED: 3 } });
  });

  test("[FAC-046] stops dispatching at a halt, and continues the same run after the answer", async () => {
    let halted = false;
    const { seen, project } = await run(
      (task) => {
        if (!task.endsWith("001") || halted) return SHIPPED;
        halted = true;
        return HALTED;
      },
      async (at) => {
        expect(Object.values(at.machine().tasks).map(({ status }) => status)).toEqual(["HALTED", "PENDING", "BLOCKED"]);
        await at.apply(
          { actor: { type: "person", id: "kim" }, operationId: "answer" },
          { kind: "requeue", task: at.view().halted[0]!.task, by: "AMEND_SPEC" },
        );
      },
    );
    expect(seen.slice(1, 6)).toEqual([
      "dispatch start",
      "engineering 001",
      "update_state_machine HALTED",
      "dispatch halted",
      "wait halted",
    ]);
    expect(project.view().complete).toBe(true);
  });

  test("[FAC-047] ends when all is SHIPPED or ABANDONED, and not while something is BLOCKED by an abandoned task", async () => {
    const { seen, project } = await run(
      (task) => (task.endsWith("001") ? HALTED : SHIPPED),
      async (at) => {
        const of = (status: string) => Object.entries(at.machine().tasks).find(([, task]) => task.status === status)?.[0] ?? "";
        const task = of("HALTED") || of("BLOCKED");
        const call = { actor: { type: "person", id: "kim" } as const, operationId: `abandon ${task}` };
        await at.apply(call, { kind: "abandon", task, by: "ABANDON_TASK", rationale: "not needed" });
      },
    );
    expect(seen.filter((step) => step.startsWith("wait"))).toEqual(["wait halted", "wait blocked"]);
    expect(Object.values(project.machine().tasks).map(({ status }) => status)).toEqual(["ABANDONED", "SHIPPED", "ABANDONED"]);
  });

  test.each([
    { ...SHIPPED, proposals: [] },
    { ...HALTED, retry_count: 2 },
    { result: "DONE" },
    { result: "SHIPPED", module_refs: [] },
    { result: "HALTED", reason: " ", escalation_ref: "ESC-1" },
    null,
  ])("[FAC-040] uses only the result of the engineering loop: not %j", async (outcome) => {
    expect(outcomeSchema.safeParse(outcome).success).toBe(false);
    await expect(run(() => outcome)).rejects.toThrow();
  });

  test("engineering gets the file of its task", async () => {
    const { project, projectStore } = await run(() => SHIPPED);
    const [first = ""] = Object.keys(project.machine().tasks);
    const { path } = await project.sheet(first);
    expect(readFileSync(join(projectStore.stateStore, path), "utf8")).toContain(`## Task ID: ${first}`);
  });
});
