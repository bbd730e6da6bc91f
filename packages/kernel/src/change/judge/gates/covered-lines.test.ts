import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../host/sandbox/testing/scratch.ts";
import { readCoveredLines } from "./covered-lines.ts";
import type { PlannedGate } from "./precedence.ts";

const gate = (type: string): PlannedGate => ({ coverage: { type, path: "report" } }) as unknown as PlannedGate;
const read = async (type: string, text: string) => {
  const root = scratchFolder();
  writeFileSync(join(root, "report"), text);
  return [...(await readCoveredLines(root, gate(type)))].map(([file, lines]) => [file, [...lines]]);
};

test.each([
  ["lcov", "SF:a.js\nDA:1,2\nDA:2,0\nDA:2,1\nend_of_record\n"],
  [
    "cobertura_xml",
    '<coverage><packages><package><classes><class filename="a.js"><lines><line number="1" hits="2"/><line number="2" hits="0"/><line number="2" hits="1"/></lines></class></classes></package></packages></coverage>',
  ],
])("lines of %s ran if any record says so", async (type, text) => {
  expect(await read(type, text)).toEqual([
    [
      "a.js",
      [
        [1, true],
        [2, true],
      ],
    ],
  ]);
});

test("other reports, and those that cannot be read, have none", async () => {
  expect(await read("jacoco_xml", "<report/>")).toEqual([]);
  expect(await read("lcov", "DA:x")).toEqual([]);
  expect([...(await readCoveredLines(scratchFolder(), { coverage: null } as unknown as PlannedGate))]).toEqual([]);
});
