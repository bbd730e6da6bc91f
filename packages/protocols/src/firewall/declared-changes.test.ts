import { expect, test } from "vitest";
import { undeclaredChanges } from "./declared-changes.ts";

test("what an agent says it changed is compared with what it changed, in whatever spelling it says it", () => {
  const changed = ["docs/x.md", "src/a.ts"];
  expect(undeclaredChanges(["./src//a.ts", "src/b.ts"], { changed })).toEqual({ undeclared: ["docs/x.md"], missing: ["src/b.ts"] });
  expect(undeclaredChanges(["src/a.ts", "docs/x.md"], { changed })).toEqual({ undeclared: [], missing: [] });
});
