import { witnessSchema } from "@slipway/languages/witnesses/definition";
import { clauseSchema } from "@slipway/languages/micro-contracts/contract";
import { expect, test } from "vitest";
import { z } from "zod";
import { latticeJson, type Lattice } from "./lattice.ts";

const definition = {
  name: "PositiveAmount",
  description: "Above zero.",
  base: { generic: false, type_params: [], inner_type: "number" },
  invariants: [{ id: "positive", description: "Above zero", formal: "value > 0", testable: true }],
  constructors: [{ name: "positiveAmount", trust_level: "safe" as const }],
};

const lattice: Lattice = {
  tree: { "src/domain/a.ts": "secret text of the file" },
  functions: [
    {
      id: "src/domain/a.ts#f",
      path: "src/domain/a.ts",
      name: "f",
      signature: "export function f(a: PositiveAmount): number",
      contract: { clauses: [{ kind: "ENSURES", predicate: "result > a", line: 2 }] },
      calls: ["src/domain/a.ts#g"],
    },
  ],
  witnesses: [{ name: "PositiveAmount", definition, level: "distinction", invariants: [{ id: "positive", level: "runtime" }] }],
};

const editorFormat = z.strictObject({
  version: z.literal(1),
  functions: z.array(
    z.strictObject({
      id: z.string(),
      path: z.string(),
      name: z.string(),
      signature: z.string(),
      clauses: z.array(clauseSchema),
      calls: z.array(z.string()),
    }),
  ),
  witnesses: z.array(witnessSchema.extend({ level: z.string() })),
});

test("[CRI-198] structure, contracts and witnesses are exported in a form that a program can read", () => {
  const read = editorFormat.parse(JSON.parse(latticeJson(lattice)));
  expect(read.functions).toEqual([expect.objectContaining({ id: "src/domain/a.ts#f", clauses: lattice.functions[0]?.contract.clauses })]);
  expect(read.witnesses).toEqual([{ ...definition, level: "distinction" }]);
});

test("[CRI-198] the export holds no source text", () => {
  expect(latticeJson(lattice)).not.toContain("secret text");
});
