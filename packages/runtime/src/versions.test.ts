import { readFileSync, globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workflowVersions } from "./versions.ts";

test("contains every workflow of the protocols, so that each can be resumed after an upgrade", async () => {
  const folder = join(import.meta.dirname, "..", "..", "protocols", "src");
  const files = globSync("**/*.ts", { cwd: folder }).filter((path) => !/\.test\.ts$|(^|\/)testing\//.test(path));
  const source = files.map((path) => readFileSync(join(folder, path), "utf8")).join("\n");
  const constants = new Map([...source.matchAll(/^export const (\w+) = "([\w-]+)";$/gm)].map(([, name, value]) => [name, value]));
  const named = [...source.matchAll(/\bworkflow<[^()]*>\(\s*(?:"([\w-]+)"|(\w+))/g)].map(
    ([, name, constant]) => name ?? constants.get(constant),
  );
  expect(named.length).toBeGreaterThan(5);
  expect([...(await workflowVersions()).keys()].toSorted()).toEqual(named.toSorted());
});
