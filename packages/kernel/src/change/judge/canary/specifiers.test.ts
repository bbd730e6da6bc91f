import { expect, test } from "vitest";
import { planTests } from "./plan-plants.ts";

test.each([
  ["test/price.test.ts", "../src/price.ts", "./price.test.ts"],
  ["test/price.test.ts", "../src/price.js", "./price.test.js"],
  ["test/price.test.mts", "../src/price.mjs", "./price.test.mjs"],
  ["test/price.test.ts", "../src/price", "./price.test"],
  ["test/price.test.js", "../src/price.js", "./price.test.js"],
  ["test/price.test.ts", "price", "./price.test.ts"],
])(
  "what is planted beside the changed %s, which imports %s, loads %s: a name that does not load would fail an honest gate",
  (near, imported, loads) => {
    const text = `import { test } from "vitest";\nimport { price } from "${imported}";\ntest("adds", () => price());\n`;
    const known = { path: near, text, framework: "vitest", direct: [], indirect: [] };
    const ground = { tests: [known], changed: [near], paths: new Set([near]), worktree: "/work/tree", reported: null };
    const [plant] = planTests(ground, (limit) => 1 % limit);
    expect([...(plant?.text ?? "").matchAll(/["'](\.\/[^"']+)["']/g)].map(([, specifier]) => specifier)).toContain(loads);
  },
);

test.each([
  ["its neighbour did not change", "vitest", ["src/price.ts"]],
  ["its framework loads all test files at once", "mocha", ["test/price.test.js"]],
])("what is planted loads no other test if %s", (_why, framework, changed) => {
  const near = "test/price.test.js";
  const text = 'import { price } from "../src/price.js";\ntest("adds", () => price());\n';
  const known = { path: near, text, framework, direct: ["src/price.ts"], indirect: [] };
  const ground = { tests: [known], changed, paths: new Set([near]), worktree: "/work/tree", reported: null };
  const plants = planTests(ground, (limit) => 1 % limit);
  expect(plants).toHaveLength(1);
  expect(plants[0]?.text).not.toContain("./price.test.js");
});
