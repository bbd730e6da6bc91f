import { openScratchKernel } from "@slipway/kernel/change/testing/scratch-kernel";
import { planPack } from "@slipway/agents/packs/plan";
import { givenFiles, listTree } from "@slipway/agents/packs/source";
import { writtenChanges } from "@slipway/agents/packs/written";
import { expect, test } from "vitest";
import { addedLines, splitDiff } from "./session-diff.ts";

const OWN = ".slipway/runs/2026-11-18_change-letters/";

test("a diff is parted into the repository's files and the texts of the session, to the byte", async () => {
  const { kernel, git, close } = await openScratchKernel();
  const { repository } = kernel;
  const tree = git("rev-parse", "HEAD^{tree}").trim();
  const listing = await listTree(repository, tree);
  const own = givenFiles({ [`${OWN}spec.md`]: "old\n", [`${OWN}gone.md`]: "gone\n" }, repository.objectFormat);
  const plan = planPack({
    ...listing,
    files: [...listing.files, ...own],
    tree,
    rules: [{ path: ".", level: "FULL", permission: "write", reason: "test" }],
    objectFormat: repository.objectFormat,
  });
  const texts = ["diff --git a/x b/x\n+++ b/x\n@@ -1 +1 @@\n-a\n", "no end", "", "ünï\r\n\n\nlines"];
  const files = [
    ...texts.map((content, index) => ({ path: `${OWN}adr/ADR-00${index}.md`, content })),
    { path: `${OWN}spec.md`, content: "new\n" },
    { path: `${OWN}gone.md`, content: null },
    { path: "src/a.txt", content: "two\nthree\n" },
  ];
  const { diff, changed } = await writtenChanges(repository, plan, files);
  const { repository: rest, session } = splitDiff(diff, OWN);
  texts.forEach((text, index) => expect(session[`adr/ADR-00${index}.md`]).toBe(text));
  expect(session["spec.md"]).toBe("new\n");
  expect(session).not.toHaveProperty("gone.md");
  expect(changed).toContain(`${OWN}gone.md`);
  expect(rest).not.toContain(OWN);
  expect(addedLines(rest)).toEqual(new Map([["src/a.txt", "two\nthree\n"]]));
  await close();
});

test("of files whose names git quotes every added line is seen, not those of the last one alone", () => {
  const part = (name: string, text: string) =>
    `diff --git "a/${name}" "b/${name}"\nnew file mode 100644\n--- /dev/null\n+++ "b/${name}"\n@@ -0,0 +1 @@\n+${text}\n`;
  const added = addedLines(part('a\\".ts', "token") + part('b\\".ts', "harmless"));
  expect([...added.values()]).toEqual(["token\n", "harmless\n"]);
});
