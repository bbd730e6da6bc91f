import { expect, test } from "vitest";
import { typescriptAdapter } from "@slipway/languages/typescript/adapter";
import { importConstructors } from "./import-constructors.ts";

const WITNESS = typescriptAdapter().generateWitness({
  name: "Sku",
  description: "An article number.",
  base: { generic: false, type_params: [], inner_type: "string" },
  invariants: [{ id: "some", description: "Not empty", formal: "value.length > 0", testable: true }],
  constructors: [{ name: "sku", trust_level: "safe" }],
});

test("a file that imports the type of a witness imports its constructors and its guard", () => {
  expect(importConstructors(`import type { Sku } from "../witnesses/sku.ts";\n\nexport function f(sku: Sku): void {}\n`, [WITNESS])).toBe(
    `import { isSku, sku, type Sku } from "../witnesses/sku.ts";\n\nexport function f(sku: Sku): void {}\n`,
  );
});

test.each([
  `import { sku, isSku, type Sku } from "../witnesses/sku.ts";\n`,
  `import type { Account } from "../domain/account.ts";\n`,
  `import type { Other } from "../witnesses/other.ts";\n`,
  `import type { Sku } from "../witnesses/sku.ts";\nexport const isSku = 1;\nexport async function sku(): Promise<Sku> {}\n`,
])("other imports and names that are taken stay as they are: %j", (text) => {
  expect(importConstructors(text, [WITNESS])).toBe(text);
});
