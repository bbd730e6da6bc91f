import { describe, expect, test } from "vitest";
import { factoryRecords, shippedEntry } from "../testing/factory-records.ts";
import { deprecate, deprecatedDependencies } from "./deprecate.ts";

const AT = "2026-01-02T03:04:05.000Z";
const because = { reason: "It loses seconds.", migration_note: "Call parse_span with the same text." };

async function projectStore() {
  const made = await factoryRecords();
  await made.ship(
    shippedEntry("parse", { notes: "The first one." }),
    shippedEntry("parse_span"),
    shippedEntry("report", { dependencies: ["MM-parse@^1.0.0"] }),
    shippedEntry("later", { dependencies: ["MM-parse@^2.0.0"] }),
  );
  return made;
}

describe("deprecating a module", () => {
  test("names its dependants, replacement, reason and time, and what to do", async () => {
    const { index, call } = await projectStore();
    const given = { module_ref: "MM-parse@1.0.0", ...because, replacement: "MM-parse_span@1.0.0" };
    const { entry, dependents } = await deprecate(index, call(), given, AT);
    expect(dependents).toEqual(["MM-report@1.0.0"]);
    expect(entry).toMatchObject({ status: "DEPRECATED", superseded_by: "MM-parse_span@1.0.0" });
    expect(entry.notes).toBe(`The first one.\nDeprecated at ${AT}: It loses seconds.\nMigration: Call parse_span with the same text.`);
  });

  test("needs no replacement, but always a reason and a note", async () => {
    const { index, call } = await projectStore();
    expect((await deprecate(index, call(), { module_ref: "MM-parse@1.0.0", ...because }, AT)).entry).toMatchObject({ superseded_by: null });
    for (const field of ["reason", "migration_note"])
      await expect(deprecate(index, call(), { module_ref: "MM-report@1.0.0", ...because, [field]: " " }, AT)).rejects.toThrow(`/${field}`);
    await expect(deprecate(index, call(), { module_ref: "MM-none@1.0.0", ...because }, AT)).rejects.toThrow("not in the code index");
    expect((await index.find("MM-report@1.0.0"))?.status).toBe("SHIPPED");
  });
});

test("a deprecated module stays and can be named; a search finds it on request", async () => {
  const { index, call } = await projectStore();
  const before = await index.find("MM-parse@1.0.0");
  await deprecate(index, call(), { module_ref: "MM-parse@1.0.0", ...because }, AT);
  const { contract_ref, examples_ref, ship_ref } = (await index.find("MM-parse@1.0.0"))!;
  expect({ contract_ref, examples_ref, ship_ref }).toEqual({
    contract_ref: before?.contract_ref,
    examples_ref: before?.examples_ref,
    ship_ref: before?.ship_ref,
  });
  const names = async (include_inactive: boolean) =>
    (await index.search({ query: "parse", include_inactive })).results.map(({ name }) => name);
  expect(await names(false)).not.toContain("parse");
  expect(await names(true)).toContain("parse");
});

test("a Challenger sees which dependencies are deprecated, possible replacements and the risk", async () => {
  const { index, call } = await projectStore();
  await deprecate(index, call(), { module_ref: "MM-parse@1.0.0", ...because, replacement: "MM-parse_span@1.0.0" }, AT);
  await deprecate(index, call(), { module_ref: "MM-later@1.0.0", ...because }, AT);
  const [first, second, ...others] = deprecatedDependencies(await index.snapshot().then((all) => [...all]));
  expect(first).toContain("MM-parse@1.0.0 is DEPRECATED. Would MM-parse_span@1.0.0 fit better?");
  expect(first).toContain("deprecation_check");
  expect(second).toContain("There is no replacement yet");
  expect(others).toEqual([]);
});
