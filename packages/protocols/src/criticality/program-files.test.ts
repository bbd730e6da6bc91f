import { typescriptAdapter } from "@slipway/languages/typescript/adapter";
import { HOLE } from "@slipway/languages/typescript/source/hole";
import { expect, test } from "vitest";
import { parseConfig } from "./config/config.ts";
import type { CriticalityRun } from "./criticality-run.ts";
import { readLattice } from "./lattice/problems.ts";
import { programOf } from "./program-files.ts";
import type { Work } from "./work.ts";

const language = typescriptAdapter();
const run = { services: { language }, config: parseConfig(null).config } as unknown as CriticalityRun;
const PATH = "src/domain/a.ts";

/** A program of one function with this documentation. */
function finished(doc: string) {
  const tree = { [PATH]: `${doc}\nexport function f(left: number): number {\n  ${HOLE}\n}\n` };
  const { functions } = readLattice(tree, { files: [], calls: [] }, { claims: {}, features: {} }, language);
  const specification = { specText: "spec", claimsText: "claims" };
  const work = { lattice: { tree, functions, witnesses: [] }, reduction: { tree }, clusters: [], specification };
  return programOf(run, work as unknown as Work);
}

test("the gate has to run every test of a contract, by file and title", () => {
  const { files, tests } = finished("/** ENSURES: result >= left */");
  const [file] = tests?.files ?? [];
  expect(tests?.files).toHaveLength(1);
  expect(file?.titles.length).toBeGreaterThan(0);
  for (const title of file?.titles ?? []) expect(files[file?.path ?? ""]).toContain(title);
});

test("where no contract and no claim can be tested, the gate has to run none", () => {
  expect(finished("").tests).toBeNull();
});
