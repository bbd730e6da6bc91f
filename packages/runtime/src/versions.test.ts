import { readFileSync, globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workflowVersions } from "./versions.ts";

test("contains every workflow of the protocols, so that each can be resumed after an upgrade", async () => {
  const folder = join(import.meta.dirname, "..", "..", "protocols", "src");
  const files = globSync("**/*.ts", { cwd: folder }).filter((path) => !/\.test\.ts$|(^|\/)testing\//.test(path));
  const named = files.flatMap((path) =>
    [...readFileSync(join(folder, path), "utf8").matchAll(/\bworkflow<[^()]*>\(\s*"([\w-]+)"/g)].map(([, name]) => name),
  );
  expect(named.length).toBeGreaterThan(5);
  expect([...(await workflowVersions()).keys()].toSorted()).toEqual(named.toSorted());
});
