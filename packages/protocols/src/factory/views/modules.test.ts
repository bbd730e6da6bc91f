import { describe, expect, test } from "vitest";
import type { CodeIndexEntry, IndexStatus } from "../code-index/entry.ts";
import { moduleView, type ModuleStores } from "./modules.ts";

const entry = (version: string, status: IndexStatus = "SHIPPED", module_id = "MM-dates") =>
  ({ module_id, version, status, superseded_by: null, notes: "" }) as CodeIndexEntry;

const LOG = {
  module_id: "MM-dates",
  module_version: "1.0.0",
  executed_at: "2026-11-18T10:00:00Z",
  tests: [{ name: "formats", result: "PASS" }],
  summary: { total: 1, passed: 1, failed: 0 },
};

/** An index with these versions, whose modules are stored with this record of their tests. */
function storesWith(entries: readonly CodeIndexEntry[], log: string | null = JSON.stringify(LOG), isStored = true): ModuleStores {
  const sources = { "src/secret.ts": "export {}", ...(log === null ? {} : { "tests/execution_log.json": log }) };
  const module = {
    contract: { purpose: "dates" },
    examples: "one",
    ship: { ship_id: "SHIP-00000000" },
    sources,
    depends_on: ["MM-text@2.1.0"],
  };
  return {
    codeIndex: { versionsOf: async () => [...entries], dependentsOf: async () => [entry("3.0.0", "SHIPPED", "MM-letters")] },
    store: { shippedModule: async () => (isStored ? module : null) },
  } as unknown as ModuleStores;
}
const refOf = async (stores: ModuleStores, named: string) => (await moduleView(stores, named))?.module_ref ?? null;

describe("the version that a person is shown", () => {
  const versions = [entry("1.9.0"), entry("1.10.0"), entry("2.0.0", "DEPRECATED")];

  test.each([
    ["MM-dates", "MM-dates@1.10.0", "the highest in use, by number, not the deprecated one above it"],
    ["MM-dates@1.9.0", "MM-dates@1.9.0", "the one that is named"],
    ["MM-dates@^1.0.0", "MM-dates@1.10.0", "the highest of the range"],
    ["MM-dates@2.0.0", "MM-dates@2.0.0", "a deprecated one, where it is named"],
    ["MM-dates@^3.0.0", null, "none that the range does not allow"],
    ["MM-dates@latest", null, "none for a range that cannot be read"],
  ])("for %s is %s: %s", async (named, shown, _why) => {
    expect(await refOf(storesWith(versions), named)).toBe(shown);
  });

  test("is a retired one where nothing else is left, and says so", async () => {
    expect(await moduleView(storesWith([entry("1.0.0", "SUPERSEDED")]), "MM-dates")).toMatchObject({ status: "SUPERSEDED" });
  });

  test("is none for a module that nobody shipped, or whose files are gone", async () => {
    expect(await refOf(storesWith([]), "MM-dates")).toBeNull();
    expect(await refOf(storesWith([entry("1.0.0")], null, false), "MM-dates")).toBeNull();
  });
});

describe("what is shown of a module", () => {
  test("is its contract, its evidence and who uses it, and none of its source", async () => {
    const view = await moduleView(storesWith([entry("1.0.0")]), "MM-dates");
    expect(view).toMatchObject({
      tests: { summary: { passed: 1 } },
      built_with: ["MM-text@2.1.0"],
      dependents: ["MM-letters@3.0.0"],
      versions: [{ version: "1.0.0", status: "SHIPPED" }],
      folder: "state_store/modules/MM-dates/1.0.0",
    });
    expect(JSON.stringify(view)).not.toContain("export {}");
  });

  test.each([
    ["missing", null],
    ["one whose counts are not those of its tests", JSON.stringify({ ...LOG, summary: { total: 9, passed: 9, failed: 0 } })],
  ])("has no tests where their record is %s: a person would trust numbers that nobody counted", async (_what, log) => {
    expect((await moduleView(storesWith([entry("1.0.0")], log), "MM-dates"))?.tests).toBeNull();
  });
});
