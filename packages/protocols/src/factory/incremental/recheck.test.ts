import { fingerprintOf } from "@slipway/languages/contracts/fingerprint";
import { openProjects } from "../projects/projects.ts";
import { openArtifacts } from "../artifacts/artifacts.ts";
import { nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import { evidenceRefOf } from "@slipway/languages/contracts/evidence";
import { beforeEach, describe, expect, test } from "vitest";
import { codeOf, contractOf, examplesOf, testsOf } from "../engineering/testing/modules.ts";
import { rememberingSandbox } from "../engineering/testing/remembering.ts";
import { initialiseProject } from "../project/initialise.ts";
import type { Project, ProjectRecords } from "../project/project.ts";
import { specOf } from "../project/testing/specs.ts";
import { engineeringStore } from "../store.ts";
import { factoryRecords, shippedEntry, type FactoryRecords } from "../testing/factory-records.ts";
import { rebuildPlan } from "./earlier.ts";
import { recheckTask } from "./recheck.ts";

const SPEC = specOf({ pillars: 1, epics: 1, stories: 1, tasks: 2, dependsOn: (task) => (task === 1 ? [0] : []) });
const [FIRST, SECOND] = ["T-pillar-0-epic-0-story-0-001", "T-pillar-0-epic-0-story-0-002"];
const CALLING = `import { base } from "#MM-base";\n${codeOf("caller").replace("n * 2", "base(n)")}`;

let kept: FactoryRecords;
let store: ReturnType<typeof engineeringStore>;
let projectStore: ProjectRecords;
let project: Project;

/** A shipped version: sealed, with evidence, and in the index. */
async function ship(name: string, version: string, depends_on: readonly string[] = [], files: Record<string, string> = {}, ask?: string) {
  const dependencies = depends_on.map((ref) => ({ ref: ask ?? ref.replace("@", "@^"), why: "it doubles" }));
  const contract = contractOf(`MM-${name}`, name, { module_version: version, dependencies });
  const wide =
    files["wide"] === undefined ? contract : { ...contract, tags: ["n"], inputs: [{ name: "n", type: "number", constraints: ["finite"] }] };
  const evidence = {
    ship_id: "SHIP-0a1b2c3d",
    module_id: `MM-${name}`,
    module_version: version,
    verified_at: "2026-01-02T03:04:05Z",
    environment: { repo_revision: "r", dependency_lock_ref: "sha256:0", runner_id: "x" },
    verification: { result: "PASS", interface_fingerprint: fingerprintOf(wide), evidence_ref: evidenceRefOf(`MM-${name}`, version) },
  };
  const code = depends_on.length > 0 ? CALLING : codeOf(name);
  const all = {
    "contract.json": JSON.stringify(wide),
    "examples.md": examplesOf(name),
    "implementation/index.ts": code,
    "tests/module.test.ts": testsOf(name),
    ...files,
    "ship.json": JSON.stringify(evidence),
  };
  await store.sealModule(kept.call(), { module_id: `MM-${name}`, version, files: all, depends_on });
  await kept.ship(shippedEntry(name, { version, dependencies: dependencies.map(({ ref }) => ref) }));
}

const supersede = (name: string, by: string) =>
  kept.index.retire(kept.call(), { module_ref: `MM-${name}@1.0.0`, status: "SUPERSEDED", superseded_by: `MM-${name}@${by}`, note: "n" });

beforeEach(async () => {
  kept = await factoryRecords();
  const { records, documents, folder } = kept;
  const { database, door, objects, clock } = records;
  const artifacts = openArtifacts({ db: database.db, door, objects, fs: nodeFileSystem, folder });
  store = engineeringStore({ artifacts, documents, sealing: documents, index: kept.index });
  projectStore = { projects: openProjects({ db: database.db, door }), stateStore: folder, clock };
  project = await initialiseProject(projectStore, kept.call(), "p", SPEC);
  await ship("base", "1.0.0");
  await ship("caller", "1.0.0", ["MM-base@1.0.0"]);
});

const stores = () => ({ documents: kept.documents, codeIndex: kept.index, store, sandbox: rememberingSandbox });
const look = () => recheckTask(stores(), project, SECOND!, ["MM-caller@1.0.0"], new AbortController().signal);

describe("modules that may be kept", () => {
  test("are kept if their dependencies are unchanged, whichever task made them", async () => {
    expect(await look()).toEqual({ kept: true, module_refs: ["MM-caller@1.0.0"], retested: [] });
  });

  test("are kept with a new version that they pass their tests with, and not with one that breaks them", async () => {
    await ship("base", "1.0.1");
    await supersede("base", "1.0.1");
    expect(await look()).toMatchObject({ kept: true, retested: ["MM-caller@1.0.0"] });
    expect((await store.shippedModule("MM-caller@1.0.0"))?.depends_on).toEqual(["MM-base@1.0.1"]);
  });

  test("are tested again, too, if the new version is an indirect dependency", async () => {
    await ship("far", "1.0.0");
    await ship("near", "1.0.0", ["MM-far@1.0.0"], { "implementation/index.ts": codeOf("near") });
    await ship("outer", "1.0.0", ["MM-near@1.0.0"], { "implementation/index.ts": codeOf("outer") });
    const outer = () => recheckTask(stores(), project, SECOND!, ["MM-outer@1.0.0"], new AbortController().signal);
    expect(await outer()).toMatchObject({ kept: true, retested: [] });
    await ship("far", "1.0.1");
    await supersede("far", "1.0.1");
    expect(await outer()).toMatchObject({ kept: true, retested: ["MM-outer@1.0.0"] });
  });

  test.each([
    [
      "fail",
      { "implementation/index.ts": codeOf("base").replace("n * 2", "n * 3") },
      /^the tests of MM-caller@1\.0\.0 fail with MM-base@1\.0\.1: "doubles"/,
    ],
    ["do not run", { "implementation/index.ts": "export {}" }, /^the tests of MM-caller@1\.0\.0 (do not run|fail) with MM-base@1\.0\.1/],
    ["do not fit", { wide: "" }, /^the interface of MM-base changed \(MM-base@1\.0\.0 to MM-base@1\.0\.1\)$/],
  ])("are rebuilt if their tests %s", async (_, files, because) => {
    await ship("base", "1.0.1", [], files);
    await supersede("base", "1.0.1");
    expect(await look()).toMatchObject({ kept: false, because: expect.stringMatching(because) as string });
  });

  test("are rebuilt if the task of a dependency makes something else, or if the dependency is gone", async () => {
    const before = { action: "rebuild" as const, because: [], module_refs: ["MM-base@1.0.0"], revisable: [] };
    const sheet = { ...(await project.sheet(FIRST!)), before };
    await project.apply(kept.call(), { kind: "dispatch", task: FIRST! }, { [FIRST!]: sheet });
    await ship("other", "1.0.0");
    await project.apply(kept.call(), { kind: "ship", task: FIRST!, module_refs: ["MM-other@1.0.0"], at: "2026-01-02T03:04:05Z" });
    expect(await look()).toEqual({ kept: false, because: "MM-base, which MM-caller@1.0.0 calls, is no longer made" });
    await ship("lost", "1.0.0", ["MM-nowhere@1.0.0"]);
    const lost = await recheckTask(stores(), project, SECOND!, ["MM-lost@1.0.0"], new AbortController().signal);
    expect(lost).toMatchObject({ kept: false });
  });
});

test("a task whose module uses a deprecated one is built again, with the reason", async () => {
  for (const [task, ref] of [
    [FIRST!, "MM-base@1.0.0"],
    [SECOND!, "MM-caller@1.0.0"],
  ] as const) {
    await project.apply(kept.call(), { kind: "dispatch", task });
    await project.apply(kept.call(), { kind: "ship", task, module_refs: [ref], at: "2026-01-02T03:04:05Z" });
  }
  const plan = () => rebuildPlan({ projects: projectStore.projects, codeIndex: kept.index, store }, "p", SPEC);
  expect((await plan()).tasks.map(({ action }) => action)).toEqual(["keep", "keep"]);
  await kept.index.retire(kept.call(), { module_ref: "MM-base@1.0.0", status: "DEPRECATED", superseded_by: null, note: "n" });
  expect((await plan()).tasks.map(({ action, because }) => [action, ...because])).toEqual([
    ["rebuild", "MM-base@1.0.0 is DEPRECATED"],
    ["rebuild", "MM-caller@1.0.0 calls MM-base@1.0.0, which is DEPRECATED"],
  ]);
});
