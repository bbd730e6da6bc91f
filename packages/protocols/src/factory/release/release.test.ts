import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { splitRef } from "../code-index/entry.ts";
import { describe, expect, test } from "vitest";
import { machine, tasksAs } from "../escalation/testing/samples.ts";
import type { Task } from "../project/state.ts";
import { factoryRecords, shippedEntry } from "../testing/factory-records.ts";
import type { ReleasedModule } from "./gates.ts";
import { fullRelease, partialRelease } from "./release.ts";
import { releaseKind, releaseSchema } from "./schema.ts";
import { inOrder, releaseIsDue } from "./set.ts";

const AT = "2026-01-02T03:04:05.000Z";
const print = (text: string) => text.repeat(64).slice(0, 64);

/** Modules that were really shipped: report uses parse, parse uses lex, which is reused from another project. */
const MODULES: Record<string, ReleasedModule> = Object.fromEntries(
  [
    module("MM-report@1.0.0", "c", { "MM-parse@1.0.0": print("b") }),
    module("MM-parse@1.0.0", "b", { "MM-lex@1.2.0": print("a") }),
    module("MM-lex@1.2.0", "a", {}),
  ].map((one) => [one.module_ref, one]),
);

function module(module_ref: string, fingerprint: string, built_against: Record<string, string>): ReleasedModule {
  const dependencies = Object.keys(built_against).map((ref) => `${splitRef(ref).module_id}@^${splitRef(ref).version}`);
  return {
    module_ref,
    ship_ref: `SHIP-${splitRef(module_ref).module_id.slice(3)}`,
    fingerprint: print(fingerprint),
    dependencies,
    built_against,
  };
}

function tasks(...rows: readonly [Task["status"], ...string[]][]): Record<string, Task> {
  return Object.fromEntries(
    Object.entries(tasksAs(...rows.map(([status]) => status)))
      .slice(0, rows.length)
      .map(([id, task], number) => [id, { ...task, depends_on: [], module_refs: rows[number]?.slice(1) ?? [] } as Task]),
  );
}

async function projectStore(modules: Record<string, ReleasedModule> = MODULES) {
  const made = await factoryRecords();
  for (const { module_ref, dependencies } of Object.values(MODULES)) {
    const { module_id, version } = splitRef(module_ref);
    await made.ship(shippedEntry(module_id.slice(3), { version, dependencies: [...dependencies] }));
  }
  const ports = { documents: made.documents, index: made.index, moduleOf: async (ref: string) => modules[ref] ?? null };
  const full = (given = tasks(["SHIPPED", "MM-report@1.0.0"], ["SHIPPED", "MM-parse@1.0.0"])) =>
    fullRelease(ports, made.call(), machine(given), AT);
  const partial = (...refs: string[]) => partialRelease(ports, made.call(), refs, machine(), AT);
  const onDisk = (name: string) => JSON.parse(readFileSync(join(made.folder, "releases", name), "utf8")) as Record<string, unknown>;
  const retire = (module_ref: string, superseded_by: string | null = null) =>
    made.index.retire(made.call(), { module_ref, status: superseded_by === null ? "DEPRECATED" : "SUPERSEDED", superseded_by, note: "n" });
  return { ...made, full, partial, onDisk, retire };
}

describe("the full release", () => {
  test("begins when nothing is left to do and something is shipped", () => {
    const due = (...statuses: Task["status"][]) => releaseIsDue(tasks(...statuses.map((status): [Task["status"]] => [status])));
    expect([due("SHIPPED"), due("SHIPPED", "ABANDONED"), due("ABANDONED"), due()]).toEqual([true, true, false, false]);
    for (const status of ["PENDING", "IN_PROGRESS", "BLOCKED", "HALTED"] as const) expect(due("SHIPPED", status)).toBe(false);
  });

  test("has the project's modules and their dependencies, producers first, and names abandoned tasks", async () => {
    const { full } = await projectStore();
    const release = await full(tasks(["SHIPPED", "MM-report@1.0.0"], ["ABANDONED"], ["SHIPPED", "MM-parse@1.0.0"]));
    expect(release?.modules).toEqual([
      { module_ref: "MM-lex@1.2.0", ship_ref: "SHIP-lex" },
      { module_ref: "MM-parse@1.0.0", ship_ref: "SHIP-parse" },
      { module_ref: "MM-report@1.0.0", ship_ref: "SHIP-report" },
    ]);
    expect(release).toMatchObject({ overall_result: "PASS", notes: expect.stringMatching(/^Abandoned: T-.*-002\.$/) });
  });

  test("is refused before that, without modules, and with missing modules", async () => {
    const { full, documents } = await projectStore();
    expect(await full(tasks(["SHIPPED", "MM-parse@1.0.0"], ["PENDING"]))).toBeNull();
    expect(await full(tasks(["SHIPPED"]))).toBeNull();
    await expect(full(tasks(["SHIPPED", "MM-gone@1.0.0"]))).rejects.toThrow("MM-gone@1.0.0 is not SHIPPED");
    expect(await documents.list(releaseKind)).toEqual([]);
  });
});

test("[FAC-197] a manifest has its id, its gates and the overall verdict, and is written once", async () => {
  const { full, onDisk, folder } = await projectStore();
  const release = (await full())!;
  const { failures, ...manifest } = release;
  expect(failures).toEqual([]);
  expect(manifest).toEqual({
    release_id: expect.stringMatching(/^REL-[0-9a-f]{8}$/),
    created_at: AT,
    spec_version: "1.0.0",
    modules: expect.any(Array),
    integration_gates: { dependency_check: "PASS", fingerprint_check: "PASS", deprecation_check: "PASS", code_index_check: "PASS" },
    overall_result: "PASS",
    notes: "",
  });
  expect(onDisk(`${release.release_id}.json`)).toEqual(manifest);
  expect(existsSync(join(folder, "releases", `${release.release_id}.failure.json`))).toBe(false);
  const gates = { ...release.integration_gates, fingerprint_check: "FAIL" as const };
  for (const changed of [
    { overall_result: "FAIL" },
    { integration_gates: gates },
    { integration_gates: gates, overall_result: "FAIL" },
    { modules: [] },
  ])
    expect(releaseSchema.safeParse({ ...release, ...changed }).success).toBe(false);
});

describe("a partial release", () => {
  test("has exactly the named modules", async () => {
    const { partial } = await projectStore();
    expect((await partial("MM-parse@1.0.0", "MM-lex@1.2.0", "MM-lex@1.2.0")).modules.map(({ module_ref }) => module_ref)).toEqual([
      "MM-lex@1.2.0",
      "MM-parse@1.0.0",
    ]);
  });

  test("is refused as a whole if one of them is not shipped", async () => {
    const { partial, retire, documents } = await projectStore();
    await retire("MM-report@1.0.0");
    for (const ref of ["MM-lex@9.0.0", "MM-report@1.0.0", "MM-lex", "everything"])
      await expect(partial("MM-lex@1.2.0", ref)).rejects.toMatchObject({ code: "policy_violation", details: { module_refs: [ref] } });
    await expect(partial()).rejects.toMatchObject({ code: "invalid_cli_args" });
    expect(await documents.list(releaseKind)).toEqual([]);
  });
});

describe("the gates", () => {
  test("[FAC-193] a dependency that is left out or no longer in use fails dependency_check", async () => {
    const { partial, full, retire } = await projectStore();
    const left = await partial("MM-parse@1.0.0");
    expect(left).toMatchObject({
      overall_result: "FAIL",
      integration_gates: { dependency_check: "FAIL", fingerprint_check: "PASS", deprecation_check: "PASS", code_index_check: "PASS" },
      failures: [{ gate: "dependency_check", culprits: [{ module_ref: "MM-parse@1.0.0", reference: "MM-lex@^1.2.0" }] }],
    });
    await retire("MM-lex@1.2.0");
    const release = await full();
    expect(release?.failures.find(({ gate }) => gate === "dependency_check")?.culprits).toMatchObject([
      { module_ref: "MM-parse@1.0.0", problem: expect.stringContaining("which is DEPRECATED") },
    ]);
  });

  test("[FAC-194] a consumer built against another contract fails fingerprint_check, and so does one without a record", async () => {
    const drifted = { ...MODULES, "MM-lex@1.2.0": { ...MODULES["MM-lex@1.2.0"]!, fingerprint: print("f") } };
    const release = await (await projectStore(drifted)).full();
    expect(release).toMatchObject({ integration_gates: { dependency_check: "PASS", fingerprint_check: "FAIL" } });
    expect(release?.failures[0]?.culprits).toEqual([
      {
        module_ref: "MM-parse@1.0.0",
        reference: "MM-lex@1.2.0",
        problem: `was built against MM-lex@1.2.0 (${print("a")}); MM-lex@1.2.0 has ${print("f")}`,
      },
    ]);
    const unknown = { ...MODULES, "MM-parse@1.0.0": { ...MODULES["MM-parse@1.0.0"]!, built_against: {} } };
    const { partial } = await projectStore(unknown);
    expect((await partial("MM-lex@1.2.0", "MM-parse@1.0.0")).failures[0]).toMatchObject({
      gate: "fingerprint_check",
      culprits: [{ problem: "has no record of the version of MM-lex it was built against" }],
    });
  });

  test("[FAC-195] an active module that depends on a deprecated one fails deprecation_check", async () => {
    const { full, retire, ship } = await projectStore();
    await ship(shippedEntry("lex", { version: "1.3.0" }));
    await retire("MM-lex@1.2.0", "MM-lex@1.3.0");
    const release = await full();
    expect(release?.failures.find(({ gate }) => gate === "deprecation_check")?.culprits).toEqual([
      { module_ref: "MM-parse@1.0.0", reference: "MM-lex@1.2.0", problem: "MM-lex@1.2.0 is SUPERSEDED; use MM-lex@1.3.0" },
    ]);
  });

  test("[FAC-195] without a record of its dependencies, every version its range allows counts", async () => {
    const unknown = { ...MODULES, "MM-parse@1.0.0": { ...MODULES["MM-parse@1.0.0"]!, built_against: {} } };
    const { partial, retire } = await projectStore(unknown);
    await retire("MM-lex@1.2.0");
    const { failures, integration_gates } = await partial("MM-parse@1.0.0");
    expect(integration_gates).toMatchObject({ deprecation_check: "FAIL", dependency_check: "FAIL" });
    expect(failures.find(({ gate }) => gate === "deprecation_check")?.culprits).toMatchObject([
      { problem: expect.stringContaining("no replacement") },
    ]);
  });

  test("[FAC-195] a deprecated module may depend on deprecated ones; [FAC-196] it fails code_index_check", async () => {
    const { full, retire } = await projectStore();
    await retire("MM-lex@1.2.0");
    await retire("MM-parse@1.0.0");
    const release = await full(tasks(["SHIPPED", "MM-parse@1.0.0"]));
    expect(release?.integration_gates).toMatchObject({ deprecation_check: "PASS", code_index_check: "FAIL" });
    expect(release?.failures.find(({ gate }) => gate === "code_index_check")?.culprits.map(({ module_ref }) => module_ref)).toEqual([
      "MM-lex@1.2.0",
      "MM-parse@1.0.0",
    ]);
  });

  test("[FAC-196] a module without an entry fails code_index_check", async () => {
    const ghost = module("MM-ghost@1.0.0", "d", {});
    const { full } = await projectStore({ ...MODULES, "MM-ghost@1.0.0": ghost });
    const release = await full(tasks(["SHIPPED", "MM-ghost@1.0.0"]));
    expect(release?.failures).toMatchObject([{ gate: "code_index_check", culprits: [{ problem: "has no entry in the code index" }] }]);
  });
});

test("[FAC-198] a failed release leaves manifest and report together, and the next one is new", async () => {
  const { partial, onDisk } = await projectStore();
  const failed = await partial("MM-parse@1.0.0");
  expect(onDisk(`${failed.release_id}.json`)).toMatchObject({
    overall_result: "FAIL",
    notes: expect.stringContaining("dependency_check FAIL"),
  });
  expect(onDisk(`${failed.release_id}.failure.json`)).toEqual({ release_id: failed.release_id, failures: failed.failures });
  expect(failed.failures[0]).toMatchObject({
    explanation: expect.stringMatching(/\S/),
    culprits: [{ problem: expect.stringMatching(/\S/) }],
  });
  const mended = await partial("MM-parse@1.0.0", "MM-lex@1.2.0");
  expect(mended.overall_result).toBe("PASS");
  expect(mended.release_id).not.toBe(failed.release_id);
});

test("a long chain is sorted, and a cycle does not hang", () => {
  const chain = Array.from({ length: 20_000 }, (_, number) =>
    module(`MM-m${number}@1.0.0`, "a", number === 0 ? {} : { [`MM-m${number - 1}@1.0.0`]: print("a") }),
  );
  expect(inOrder(chain.toReversed()).map(({ module_ref }) => module_ref)).toEqual(chain.map(({ module_ref }) => module_ref));
  const circle = [module("MM-a@1.0.0", "a", { "MM-b@1.0.0": "x" }), module("MM-b@1.0.0", "b", { "MM-a@1.0.0": "x" })];
  expect(inOrder(circle)).toHaveLength(2);
});
