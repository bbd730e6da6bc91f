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
