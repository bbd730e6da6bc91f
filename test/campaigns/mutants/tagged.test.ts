import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { readNeighbours } from "./neighbours.ts";
import { taggedRooms } from "./tagged.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tagged-"));
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const rooms = () => taggedRooms(folder, readNeighbours(folder));
const TAGGED = 'test("[FEA-082] an approval ends", () => {});';

test("a source is chosen if a tagged test imports it itself or through one other file", () => {
  write("packages/kernel/src/locks/far.ts", "");
  write("packages/kernel/src/locks/lease.ts", 'import { a } from "./far.ts";');
  write("packages/kernel/src/locks/take.ts", 'import { a } from "./lease.ts";');
  write("packages/kernel/src/locks/take.test.ts", `import { a } from "./take.ts";\n${TAGGED}`);
  expect(rooms()).toEqual([
    {
      name: "kernel/locks",
      package: "kernel",
      sources: ["packages/kernel/src/locks/lease.ts", "packages/kernel/src/locks/take.ts"],
      tests: ["packages/kernel/src/locks/take.test.ts"],
    },
  ]);
});

test.each([
  ["no requirement id", "take.test.ts", 'test("an approval ends", () => {});'],
  ["an id only in its code", "take.test.ts", 'const [FEA-082] = 1; test("an approval ends", () => {});'],
  ["an id, but of another package", "../../mcp/src/take.test.ts", TAGGED],
])("a source is not chosen for a test with %s", (_, path, text) => {
  write("packages/kernel/src/take.ts", "");
  write(join("packages/kernel/src", path), `import { a } from "@slipway/kernel/take";\n${text}`);
  expect(rooms()).toEqual([]);
});

test("what only tests use is not chosen", () => {
  write("packages/kernel/src/locks/testing/scene.ts", "");
  write("packages/kernel/src/locks/take.test.ts", `import { a } from "./testing/scene.ts";\n${TAGGED}`);
  expect(rooms()).toEqual([]);
});

test("titles filled from a table of ids are tagged", () => {
  write("packages/kernel/src/take.ts", "");
  write("packages/kernel/src/take.test.ts", 'import { a } from "./take.ts";\ntest.each([["FEA-082"]])("[%s] it ends", () => {});');
  expect(rooms().map(({ name, sources }) => ({ name, sources }))).toEqual([{ name: "kernel", sources: ["packages/kernel/src/take.ts"] }]);
});

test("each folder has the tagged tests that reach it, under the name of its first folder", () => {
  for (const at of ["change/locks", "change/turn"]) {
    write(`packages/kernel/src/${at}/take.ts`, "");
    write(`packages/kernel/src/${at}/take.test.ts`, `import { a } from "./take.ts";\n${TAGGED}`);
  }
  expect(rooms().map(({ name, tests }) => ({ name, tests }))).toEqual([
    { name: "kernel/change", tests: ["packages/kernel/src/change/locks/take.test.ts"] },
    { name: "kernel/change", tests: ["packages/kernel/src/change/turn/take.test.ts"] },
  ]);
});
