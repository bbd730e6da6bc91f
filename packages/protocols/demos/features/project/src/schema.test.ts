import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { schemaAfter, type Migration } from "./schema.ts";

const folder = new URL("../migrations/", import.meta.url);
const migrations = readdirSync(folder)
  .toSorted()
  .map((name) => JSON.parse(readFileSync(new URL(name, folder), "utf8")) as Migration);

test("every migration in the folder can be applied, in order", () => {
  assert.equal(schemaAfter(migrations).orders?.placed_on, "date");
});

test("a gap in the numbers is refused", () => {
  assert.throws(() => schemaAfter([{ id: 2, description: "too early", steps: [] }]), /migration 1 is missing/);
});

test("a column is added to a table that is there", () => {
  const steps = [
    { create_table: "cars", columns: { plate: "text" } },
    { add_column: "colour", to: "cars", type: "text" },
  ];
  assert.deepEqual(schemaAfter([{ id: 1, description: "cars", steps }]), { cars: { plate: "text", colour: "text" } });
});

test("a column needs its table", () => {
  const steps = [{ add_column: "colour", to: "cars", type: "text" }];
  assert.throws(() => schemaAfter([{ id: 1, description: "no such table", steps }]), /there is no table cars/);
});
