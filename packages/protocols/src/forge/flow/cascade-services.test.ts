import { expect, test } from "vitest";
import type { ForgeRun } from "../forge-run.ts";
import { cascadeServices } from "./cascade-services.ts";

test("the base has the files that were modified, deleted or renamed since, and none that was added", async () => {
  const features = {
    context: async () => ({ files: ["new.json", "package.json", "same.js", "to.js"].map((path) => ({ path })) }),
    changedFiles: async () => [
      { path: "new.json", change_type: "added" },
      { path: "package.json", change_type: "modified" },
      { path: "gone.js", change_type: "deleted" },
      { path: "to.js", change_type: "renamed", old_path: "from.js" },
    ],
  };
  const { paths } = cascadeServices({ change: { services: { kernel: { features } } } } as unknown as ForgeRun);
  expect(await paths("parts", "base")).toEqual(["package.json", "same.js", "gone.js", "from.js"]);
  expect(await paths("parts", "now")).toEqual(["new.json", "package.json", "same.js", "to.js"]);
});
