import { expect, test } from "vitest";
import { letters, type Project } from "../testing/project.ts";
import { COMPLETED, recordRun } from "../testing/recorded-criticality.ts";

const decision = { category: "data_model", phase: "ignition", source: "architect", confidence: "inferred" } as const;

/** d002 and d003 depend on d001. */
async function withLedger(): Promise<Project> {
  const project = letters();
  await recordRun(project, {
    id: "2026-11-18_tides",
    state: COMPLETED,
    decisions: [
      { ...decision, constraint: "Heights are in metres." },
      { ...decision, constraint: "Tables are sorted.", dependencies: ["d001"] },
      { ...decision, constraint: "Tables have units.", dependencies: ["d001"] },
    ],
  });
  return project;
}

const change = (project: Project, ...args: string[]) => project.slipway(["criticality", "decision", ...args]);

test("[CRI-092] [CRI-094] a person suspends what depends on a decision, and reinstates or discards each of them with a reason", async () => {
  const project = await withLedger();
  expect((await change(project, "suspend_dependents", "d001")).stdout).toBe("d002, d003: suspended\n");
  expect((await project.slipway(["criticality", "ledger"])).stdout).toContain("suspended\n  d002");
  expect((await change(project, "reinstate", "d002")).stderr).toContain("reinstate needs your reason.");
  expect((await change(project, "reinstate", "d002", "--comment", "checked")).stdout).toBe("d002: in force again\n");
  expect((await change(project, "discard", "d003", "--comment", "no use")).stdout).toBe("d003: discarded\n");
  expect(project.sql("SELECT id, status FROM decisions ORDER BY id")).toEqual([
    { id: "d001", status: "active" },
    { id: "d002", status: "active" },
    { id: "d003", status: "invalidated" },
  ]);
});

test("[CRI-190] compact moves ended decisions to the archive, where --all still shows them", async () => {
  const project = await withLedger();
  await change(project, "suspend_dependents", "d001");
  await change(project, "discard", "d003", "--comment", "no use");
  expect((await change(project, "compact", "--json")).json()).toMatchObject([{ action: "compact", changed: ["d003"] }]);
  expect((await change(project, "compact")).stdout).toBe("Nothing changes.\n");
  expect((await project.slipway(["criticality", "ledger", "--all"])).stdout).toContain("d003  Tables have units.");
});

test("an action that there is not, and one without its decision, are refused", async () => {
  const project = await withLedger();
  expect((await change(project, "delete", "d001")).stderr).toContain("reinstate, discard, suspend_dependents, compact");
  expect((await change(project, "discard", "--comment", "x")).stderr).toContain("discard needs the id of a decision.");
});
