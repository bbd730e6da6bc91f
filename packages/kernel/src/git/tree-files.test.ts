import { expect, test } from "vitest";
import { scratch } from "./testing/scratch.ts";
import { regularFilesAt } from "./tree-files.ts";

test("of the paths, those that are regular files in the commit; names mean only themselves", async () => {
  const repo = scratch();
  repo.write("run.sh", "echo\n", 0o755);
  repo.write(":(top)odd*.ts", "odd\n");
  repo.write("oddly.ts", "plain\n");
  repo.write("ümlaut\u00e9.ts", "u\n");
  repo.link("src/link.ts", "add.ts");
  const commit = repo.commit();
  const { git } = await repo.open();
  const asked = [
    "src/add.ts",
    "run.sh",
    ":(top)odd*.ts",
    "ümlaut\u00e9.ts",
    "src",
    "src/link.ts",
    "src/none.ts",
    "odd*.ts",
    "src/add.ts",
    "-r",
  ];
  expect((await regularFilesAt(git, commit, asked)).toSorted()).toEqual(
    [":(top)odd*.ts", "run.sh", "src/add.ts", "ümlaut\u00e9.ts"].toSorted(),
  );
  repo.write("src/none.ts", "later\n");
  expect(await regularFilesAt(git, commit, ["src/none.ts"])).toEqual([]);
  expect(await regularFilesAt(git, "no such commit", [])).toEqual([]);
});

test("more paths than fit into one command line", async () => {
  const repo = scratch();
  const { git } = await repo.open();
  const many = Array.from({ length: 4_000 }, (_, index) => `src/${"x".repeat(200)}/${index}.ts`);
  expect(await regularFilesAt(git, repo.commit("again"), [...many, "src/add.ts"])).toEqual(["src/add.ts"]);
});
