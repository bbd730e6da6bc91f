import { expect, test } from "vitest";
import { smokeCommand } from "./smoke.ts";

const SMOKE = {
  path: "smoke.mjs",
  text: 'import { add } from "./src/add.js";\nif (add(1, 2) !== 3) process.exit(1);\nconsole.log("ok");\n',
  command: ["node", "smoke.mjs"],
};
const CHANGED = ["src/add.js"];

test("[FOR-065] a smoke script of 3 to 5 lines that uses a changed file is laid out for its command alone", () => {
  expect(smokeCommand(SMOKE, CHANGED)).toMatchObject({
    name: "smoke",
    command: ["node", "smoke.mjs"],
    files: { "smoke.mjs": SMOKE.text },
    optional: false,
  });
  expect(smokeCommand({ ...SMOKE, command: ["node", "./smoke.mjs"] }, CHANGED)).toMatchObject({ name: "smoke" });
  expect(smokeCommand({ ...SMOKE, text: SMOKE.text.replace("src/add.js", "src/calc") }, ["src/calc/index.js"])).toMatchObject({
    name: "smoke",
  });
});

test.each([
  [{ text: "console.log(add);\n" }, "has 1 lines"],
  [{ text: 'import "./src/add.js";\n'.repeat(6) }, "has 6 lines"],
  [{ text: 'console.log("a");\n'.repeat(3) }, "names no changed file"],
  [{ command: ["node", "other.mjs"] }, "does not start the smoke script"],
  [{ command: [] }, "does not start the smoke script"],
])("[FOR-065] a script with %j is no evidence: it %s", (wrong, why) => {
  expect(smokeCommand({ ...SMOKE, ...wrong }, CHANGED)).toContain(why);
});
