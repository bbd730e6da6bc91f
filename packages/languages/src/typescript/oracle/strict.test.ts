import { expect, test } from "vitest";
import { openOracle } from "./oracle.ts";
import { strictProblems } from "./strict.ts";

const problems = (text: string) => strictProblems({ "tsconfig.json": text }).map(({ message }) => message);

test.each([
  `{ "compilerOptions": { "strict": true } }`,
  `\uFEFF// a comment\n{\n  "compilerOptions": {\n    /* more */ "target": "es2024",\n    "strict": true,\n  },\n}\n// the end`,
  `{ "compilerOptions": { "strict": false, "strict": true } }`,
])("[CRI-044] is strict: %j", (text) => expect(problems(text)).toEqual([]));

test.each([
  `{}`,
  ``,
  `null`,
  `[]`,
  `{ "strict": true }`,
  `{ "compilerOptions": { "strict": false } }`,
  `{ "compilerOptions": { "strict": "true" } }`,
  `{ "compilerOptions": { "strict": 1 } }`,
  `{ "compilerOptions": { "strict": true, "strict": false } }`,
  `{ "compilerOptions": { // "strict": true\n } }`,
  `{ "extends": "./base.json" }`,
  `{ "compilerOptions": { "strict": true }`,
  `{ "compilerOptions": { "strict": true } }); ({}`,
  `{ ...{ "compilerOptions": { "strict": true } } }`,
])("[CRI-044] is not strict: %j", (text) => expect(problems(text)).toEqual([`tsconfig.json has no "strict": true in compilerOptions.`]));

test("[CRI-044] parts of strict may not be switched off", () => {
  expect(
    problems(`{ "compilerOptions": { "strict": true, "strictNullChecks": false, "noImplicitAny": false, "alwaysStrict": true } }`),
  ).toEqual([
    "tsconfig.json switches off noImplicitAny, which is a part of strict.",
    "tsconfig.json switches off strictNullChecks, which is a part of strict.",
  ]);
});

test("[CRI-044] a tree without a strict tsconfig.json fails its check", async () => {
  for (const tree of [{}, { "tsconfig.json": "{}" }, { "src/tsconfig.json": `{ "compilerOptions": { "strict": true } }` }]) {
    const oracle = openOracle({ ...tree, "src/a.ts": "export const a = 1;\n" });
    const { passed, problems: found } = await oracle.check();
    await oracle.close();
    expect(passed).toBe(false);
    expect(found).toMatchObject([{ file: "tsconfig.json", message: expect.stringContaining(`"strict": true`) }]);
  }
});
