import type { Project } from "../contract.ts";

export const UNITS = `/** Metres in so many kilometres. */
export function metres(kilometres: number): number {
  return kilometres * 1000;
}

export function format(value: number, unit: string): string {
  return \`\${value} \${unit}\`;
}
`;

export const UNITS_TEST = `import assert from "node:assert";
import { test } from "node:test";
import { format, metres } from "../src/units.ts";

test("a kilometre has a thousand metres", () => {
  assert.equal(metres(2), 2000);
});

test("formats a value with its unit", () => {
  assert.equal(format(3, "km"), "3 km");
});
`;

export const ROUTE = `import { format, metres } from "../../units/src/units.ts";

export function describe(kilometres: number): string {
  return kilometres < 1 ? format(metres(kilometres), "m") : format(kilometres, "km");
}
`;

export const ROUTE_TEST = `import assert from "node:assert";
import { test } from "node:test";
import { describe } from "../src/route.ts";

test("short ways are told in metres", () => {
  assert.equal(describe(0.5), "500 m");
});

test("long ways are told in kilometres", () => {
  assert.equal(describe(12), "12 km");
});
`;

/** Two packages, one of which depends on the other. */
export const workspace: Project = {
  name: "workspace",
  files: {
    "package.json": `${JSON.stringify(
      {
        name: "ways",
        private: true,
        type: "module",
        engines: { node: ">=24" },
        workspaces: ["packages/*"],
        scripts: {
          test: "node --test --test-reporter=spec --test-reporter-destination=stdout --test-reporter=junit --test-reporter-destination=reports/junit.xml 'packages/*/test/*.test.ts'",
        },
      },
      null,
      2,
    )}\n`,
    "README.md": "# Ways\n",
    ".gitignore": "node_modules/\n",
    "reports/.gitignore": "*\n!.gitignore\n",
    "packages/units/package.json":
      '{ "name": "units", "type": "module", "scripts": { "test": "node --test --test-reporter=junit --test-reporter-destination=../../reports/junit.xml" } }\n',
    "packages/units/src/units.ts": UNITS,
    "packages/units/test/units.test.ts": UNITS_TEST,
    "packages/route/package.json": '{ "name": "route", "type": "module", "scripts": { "test": "node --test" } }\n',
    "packages/route/src/route.ts": ROUTE,
    "packages/route/test/route.test.ts": ROUTE_TEST,
  },
  test: ["node", "--run", "test"],
  tests: ["packages/units/test/units.test.ts", "packages/route/test/route.test.ts"],
};
