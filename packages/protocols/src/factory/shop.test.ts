import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Ctx } from "@slipway/durable/ctx";
import { fingerprintOf } from "@slipway/languages/contracts/fingerprint";
import { openScratchKernel, type ScratchKernel } from "@slipway/kernel/change/testing/scratch-kernel";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { codeOf, contractOf, examplesOf, plannedModule } from "./engineering/testing/modules.ts";
import { inPlaceOf } from "./preparing.ts";
import { releasedModule } from "./releasing.ts";
import { openFactoryShop, type FactoryShop } from "./shop.ts";
import { factorySite } from "./site.ts";
import { shippedEntry } from "./testing/factory-records.ts";
import { migrateFactory } from "./tables.ts";

let scratch: ScratchKernel;
let shop: FactoryShop;
let calls = 0;
const call = (run = "run/task:1") => ({ actor: { type: "orchestrator", id: "test" } as const, operationId: `${run}/${calls++}` });

beforeEach(async () => {
  scratch = await openScratchKernel({ "notes.md": "committed\n" });
  await migrateFactory(scratch.records.database.db, scratch.records.database.sqlite.path);
  const desk = { invoke: () => Promise.reject(new Error("nobody is asked")) };
  shop = openFactoryShop({ kernel: scratch.kernel, desk, env: {} });
});
afterEach(async () => {
  shop.language.close();
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
  await shop.store.sealModule(call(), { module_id: "MM-twice", version, files, depends_on });
  await shop.index.register(call(), shippedEntry("twice", { version }));
}
const versionOf = async (ref: string) => (await shop.store.shippedModule(ref))?.version;

describe("the shop", () => {
  test("shows the product owner what is committed, and nothing else", async () => {
    writeFileSync(join(scratch.root, "draft.md"), "not committed\n");
    expect(Buffer.from((await shop.readRepository("notes.md"))!).toString()).toBe("committed\n");
    expect(await shop.readRepository("draft.md")).toBeNull();
    expect(await shop.readRepository("missing.md")).toBeNull();
    expect(shop.webSearch).toBeNull();
  });

  test("[FAC-008] the product owner's search is the code index's own: entries with their shapes, by a query alone", async () => {
    await ship("1.0.0");
    const query = { query: "what twice says", include_inactive: false, top_k: 10 };
    expect(await shop.searchCodeIndex(query)).toEqual((await shop.codeIndex.search({ query: query.query })).results);
    expect(await shop.searchCodeIndex(query)).toMatchObject([{ module_id: "MM-twice", io_summary: { inputs: ["text: string"] } }]);
    expect(await shop.index.search("twice")).toMatchObject([{ module_id: "MM-twice" }]);
  });

  test("loads the compiler when it is told to", async () => {
    const files = { "implementation/index.ts": codeOf() };
    expect(() => shop.language.elementsOf(files)).toThrow("not prepared");
    await shop.prepare();
    expect([...shop.language.elementsOf(files).keys()]).toContain("twice");
    expect(shop.language.readModule({ files }, contractOf()).exported).toContainEqual({ name: "twice", kind: "function" });
  });

  test("is not the place of a run whose project was replaced", async () => {
    const site = factorySite({ runId: "gone" } as Ctx, shop);
    await expect(site.project()).rejects.toMatchObject({ code: "operation_conflict" });
  });
});

describe("the store", () => {
  test("finds the highest version in a range; one out of use only where no other fits", async () => {
    expect(await shop.store.shippedModule("MM-twice@*")).toBeNull();
    expect(await shop.store.latestVersion("MM-twice")).toBeNull();
    for (const version of ["1.9.0", "1.10.0", "2.0.0"]) await ship(version);
    expect(await versionOf("MM-twice@^1.0.0")).toBe("1.10.0");
    await shop.codeIndex.retire(call(), {
      module_ref: "MM-twice@1.10.0",
      status: "SUPERSEDED",
      superseded_by: "MM-twice@2.0.0",
      note: "n",
    });
    expect(await versionOf("MM-twice@^1.0.0")).toBe("1.9.0");
    expect(await versionOf("MM-twice@1.10.0")).toBe("1.10.0");
    expect(await inPlaceOf(shop.codeIndex, "MM-twice@1.10.0")).toBe("MM-twice@2.0.0");
    expect(await shop.store.latestVersion("MM-twice")).toEqual({ version: "2.0.0", fingerprint: fingerprintOf(contractOf()) });
  });

  test("an entry of the index without a sealed module is none, for tasks and for a release", async () => {
    await shop.index.register(call(), shippedEntry("bare"));
    expect(await shop.store.shippedModule("MM-bare@1.0.0")).toBeNull();
    expect(await shop.store.latestVersion("MM-bare")).toBeNull();
    expect(await releasedModule(shop, "MM-bare@1.0.0")).toBeNull();
    await ship("1.0.0", ["MM-bare@1.0.0"]);
    expect(await releasedModule(shop, "MM-twice@1.0.0")).toMatchObject({ module_ref: "MM-twice@1.0.0", built_against: {} });
  });

  test("[FAC-157] a version is in the index once, however often it is registered", async () => {
    const [first, entry] = [call(), shippedEntry("twice")];
    expect(await shop.index.register(first, entry)).toEqual(await shop.index.register(first, entry));
    await shop.index.register(call(), entry).catch(() => undefined);
    expect(await shop.codeIndex.snapshot()).toHaveLength(1);
  });

  test("[FAC-141] a plan is locked once; the same call again changes nothing", async () => {
    const locked = {
      plan: { micro_plan_id: "MP-0a1b2c3d", parent_task_ref: "T-a@1.0.0", modules: [] as never[] },
      contracts: [],
      contract_refs: [],
    };
    await expect(shop.store.lockPlan(call(), locked)).rejects.toThrow("/plan/modules");
    const whole = { ...locked, plan: { ...locked.plan, modules: [plannedModule("MM-twice")] } };
    const first = call();
    expect(await shop.store.lockPlan(first, whole)).toEqual(await shop.store.lockPlan(first, whole));
    await expect(shop.store.lockPlan(call(), whole)).rejects.toThrow("MP-0a1b2c3d cannot be changed");
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
    const outcome = await shop.exceptions.raise(call(), raised);
    expect(outcome).toMatchObject({ ok: false });
    expect(JSON.stringify(outcome)).toContain(problem);
  });
});
