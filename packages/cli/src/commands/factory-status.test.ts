import { migrateFactory } from "@slipway/protocols/factory/tables";
import { layoutAt } from "@slipway/kernel/host/layout";
import { openProjects } from "@slipway/protocols/factory/projects/projects";
import { openRecords } from "@slipway/kernel/open-records";
import { initialiseProject } from "@slipway/protocols/factory/project/initialise";
import type { ProjectRows } from "@slipway/protocols/factory/project/project";
import { specOf } from "@slipway/protocols/factory/project/testing/specs";
import { expect, test } from "vitest";
import { letters, type Project } from "../testing/project.ts";

/** A project as a run initialises it, with this many tasks in three stories. */
async function initialised(perStory: number): Promise<Project> {
  const project = letters();
  const records = await openRecords({ layout: layoutAt(project.root) });
  await migrateFactory(records.database.db, records.database.sqlite.path);
  const { database, door, layout, clock } = records;
  const projects: ProjectRows = openProjects({ db: database.db, door });
  const room = { projects, stateStore: layout.stateStore, clock };
  const call = { actor: { type: "orchestrator", id: "test" }, operationId: "init" } as const;
  await initialiseProject(room, call, "numbers", specOf({ pillars: 1, epics: 1, stories: 3, tasks: perStory }));
  await records.close();
  return project;
}

test("[FAC-218] a project of more than 500 tasks is reported as large, on the page and in JSON; one of fewer is not", async () => {
  const large = await initialised(167);
  const shown = await large.slipway(["factory", "status"]);
  expect(shown.stdout).toContain("0 of 501 tasks shipped");
  expect(shown.stdout).toContain("\n  large: more than 500 tasks;");
  expect((await large.slipway(["factory", "status", "--json"])).json()).toMatchObject([{ summary: { total: 501, large: true } }]);

  const small = await initialised(166);
  expect((await small.slipway(["factory", "status"])).stdout).not.toContain("large");
  expect((await small.slipway(["factory", "status", "--json"])).json()).toMatchObject([{ summary: { total: 498, large: false } }]);
});
