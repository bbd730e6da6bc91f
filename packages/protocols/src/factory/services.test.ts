import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Ctx } from "@slipway/durable/ctx";
import { fingerprintOf } from "@slipway/languages/contracts/fingerprint";
import { openScratchKernel, type ScratchKernel } from "@slipway/kernel/change/testing/scratch-kernel";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { codeOf, contractOf, examplesOf, plannedModule } from "./engineering/testing/modules.ts";
import { currentVersionOf } from "./tasks/prepare-task.ts";
import { releasedModule } from "./release/release-project.ts";
import { openFactoryServices, type FactoryServices } from "./services.ts";
import { projectRun } from "./project-run.ts";
import { shippedEntry } from "./testing/factory-records.ts";
import { migrateFactory } from "./tables.ts";

let scratch: ScratchKernel;
let services: FactoryServices;
let calls = 0;
const call = (run = "run/task:1") => ({ actor: { type: "orchestrator", id: "test" } as const, operationId: `${run}/${calls++}` });

beforeEach(async () => {
  scratch = await openScratchKernel({ "notes.md": "committed\n" });
  await migrateFactory(scratch.records.database.db, scratch.records.database.sqlite.path);
  const dispatcher = { invoke: () => Promise.reject(new Error("nobody is asked")) };
  services = openFactoryServices({ kernel: scratch.kernel, dispatcher, env: {} });
});
afterEach(async () => {
  services.language.close();
  await scratch.close();
});

async function ship(version: string, depends_on: readonly string[] = []) {
  const contract = contractOf("MM-twice", "twice", { module_version: version });
  const evidence = {
    module_id: "MM-twice",
    module_version: version,
    ship_id: "SHIP-0a1b2c3d",
    verified_at: "2026-01-01T00:00:00.000Z",
    verification: { result: "PASS", interface_fingerprint: fingerprintOf(contract), evidence_ref: "log" },
    environment: { repo_revision: "a", dependency_lock_ref: "b", runner_id: "c" },
  };
  const files = { "ship.json": JSON.stringify(evidence), "contract.json": JSON.stringify(contract), "examples.md": examplesOf() };
  await services.store.sealModule(call(), { module_id: "MM-twice", version, files, depends_on });
  await services.index.register(call(), shippedEntry("twice", { version }));
}
const versionOf = async (ref: string) => (await services.store.shippedModule(ref))?.version;

describe("the services", () => {
  test("show the product owner committed files only", async () => {
    writeFileSync(join(scratch.root, "draft.md"), "not committed\n");
    expect(Buffer.from((await services.readRepository("notes.md"))!).toString()).toBe("committed\n");
    expect(await services.readRepository("draft.md")).toBeNull();
    expect(await services.readRepository("missing.md")).toBeNull();
    expect(services.webSearch).toBeNull();
  });

  test("[FAC-008] the product owner's search is the code index's own: entries with their signatures, by a query alone", async () => {
    await ship("1.0.0");
    const query = { query: "what twice says", include_inactive: false, top_k: 10 };
    expect(await services.searchCodeIndex(query)).toEqual((await services.codeIndex.search({ query: query.query })).results);
    expect(await services.searchCodeIndex(query)).toMatchObject([{ module_id: "MM-twice", io_summary: { inputs: ["text: string"] } }]);
    expect(await services.index.search("twice")).toMatchObject([{ module_id: "MM-twice" }]);
  });

  test("load the compiler on request", async () => {
    const files = { "implementation/index.ts": codeOf() };
    await expect(services.language.elementsOf(files)).rejects.toThrow("not prepared");
    await services.prepare();
    expect([...(await services.language.elementsOf(files)).keys()]).toContain("twice");
    expect((await services.language.readModule({ files }, contractOf())).exported).toContainEqual({ name: "twice", kind: "function" });
  });

  test("refuse a run whose project was replaced", async () => {
    const run = projectRun({ runId: "gone" } as Ctx, services);
    await expect(run.project()).rejects.toMatchObject({ code: "operation_conflict" });
  });
});

describe("the store", () => {
  test("finds the highest version in a range; an inactive one only if no other fits", async () => {
    expect(await services.store.shippedModule("MM-twice@*")).toBeNull();
    expect(await services.store.latestVersion("MM-twice")).toBeNull();
    for (const version of ["1.9.0", "1.10.0", "2.0.0"]) await ship(version);
    expect(await versionOf("MM-twice@^1.0.0")).toBe("1.10.0");
    await services.codeIndex.retire(call(), {
      module_ref: "MM-twice@1.10.0",
      status: "SUPERSEDED",
      superseded_by: "MM-twice@2.0.0",
      note: "n",
    });
    expect(await versionOf("MM-twice@^1.0.0")).toBe("1.9.0");
    expect(await versionOf("MM-twice@1.10.0")).toBe("1.10.0");
    expect(await currentVersionOf(services.codeIndex, "MM-twice@1.10.0")).toBe("MM-twice@2.0.0");
    expect(await services.store.latestVersion("MM-twice")).toEqual({ version: "2.0.0", fingerprint: fingerprintOf(contractOf()) });
  });

  test("ignores an index entry without a sealed module, for tasks and for a release", async () => {
    await services.index.register(call(), shippedEntry("bare"));
    expect(await services.store.shippedModule("MM-bare@1.0.0")).toBeNull();
    expect(await services.store.latestVersion("MM-bare")).toBeNull();
    expect(await releasedModule(services, "MM-bare@1.0.0")).toBeNull();
    await ship("1.0.0", ["MM-bare@1.0.0"]);
    expect(await releasedModule(services, "MM-twice@1.0.0")).toMatchObject({ module_ref: "MM-twice@1.0.0", built_against: {} });
  });

  test("[FAC-157] has a version in the index once, however often it is registered", async () => {
    const [first, entry] = [call(), shippedEntry("twice")];
    expect(await services.index.register(first, entry)).toEqual(await services.index.register(first, entry));
    await services.index.register(call(), entry).catch(() => undefined);
    expect(await services.codeIndex.snapshot()).toHaveLength(1);
  });

  test("[FAC-141] locks a plan once; the same call again changes nothing", async () => {
    const locked = {
      plan: { micro_plan_id: "MP-0a1b2c3d", parent_task_ref: "T-a@1.0.0", modules: [] as never[] },
      contracts: [],
      contract_refs: [],
    };
    await expect(services.store.lockPlan(call(), locked)).rejects.toThrow("/plan/modules");
    const whole = { ...locked, plan: { ...locked.plan, modules: [plannedModule("MM-twice")] } };
    const first = call();
    expect(await services.store.lockPlan(first, whole)).toEqual(await services.store.lockPlan(first, whole));
    await expect(services.store.lockPlan(call(), whole)).rejects.toThrow("MP-0a1b2c3d cannot be changed");
  });
});

describe("raising an exception", () => {
  const change = {
    target_module: "MM-twice@1.0.0",
    reason: "r",
    evidence: ["e"],
    proposed_delta: {},
    compatibility: "BREAKING",
    urgency: "LOW",
  };
  test.each([
    ["arbiter", "run/task:1/MM-a/adjudicate:1", "cannot be raised by arbiter"],
    ["proposer", "run/task:1/elsewhere", "/proposed_delta"],
  ])("is refused for the %s of %s", async (role, run_id, problem) => {
    const raised = { ...change, raised_by: { role, run_id, artifact_ref: "T-a@1.0.0" } } as never;
    const outcome = await services.exceptions.raise(call(), raised);
    expect(outcome).toMatchObject({ ok: false });
    expect(JSON.stringify(outcome)).toContain(problem);
  });
});
