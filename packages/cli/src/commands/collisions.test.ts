import { POLICY } from "@slipway/kernel/change/testing/scratch-kernel";
import { expect, test } from "vitest";
import { answersFor, letters, type Project } from "../testing/project.ts";

const OTHER = { "other.spec.md": "# Other\n\nThe first letter file says two as well.\n" };
const BLOCK = { "slipway/policy.yaml": `${POLICY}collision_policy: block\n` };

/** `letters`, and `other`, whose plan has this file. */
async function two(path: string, files: Readonly<Record<string, string>> = {}): Promise<Project> {
  const project = letters({ ...OTHER, ...files });
  answersFor(project, "other", path);
  await project.slipway(["run", "letters.spec.md", "other.spec.md", "--cassette", project.cassette]);
  return project;
}

test("plans that do not overlap", async () => {
  const project = await two("src/b.txt");
  await project.slipway(["approve", "letters"]);
  expect(await project.slipway(["collisions"])).toMatchObject({
    code: 0,
    stdout: "No two of the 2 accepted plans collide.\nother needs you: slipway approve other\n",
  });
  expect((await project.slipway(["collisions", "--json"])).json()).toMatchObject([
    {
      features: ["letters", "other"],
      pairs: [],
      waiting: [{ feature: "other", waits_for: { for: "person", kind: "approval", number: expect.any(Number) } }],
    },
  ]);
});

test.each([
  ["a plan waits in the queue", BLOCK],
  ["a plan waits within its run", {}],
])("%s: shows which feature waits for which, and for which file", async (_, files) => {
  const project = await two("src/a.txt", files);
  const { stdout } = await project.slipway(["collisions"]);
  expect(stdout).toBe(
    "Fewer than two plans are accepted, so none can collide.\nletters needs you: slipway approve letters\nother waits for letters (src/a.txt)\n",
  );
  expect((await project.slipway(["collisions", "--json"])).json()).toMatchObject([
    {
      features: ["letters"],
      pairs: [],
      waiting: [
        { feature: "letters" },
        { feature: "other", waits_for: { for: "feature", features: ["letters"], resources: ["src/a.txt"] } },
      ],
    },
  ]);
  expect((await project.slipway(["status"])).stdout).toMatch(/^other +(blocked|planning) .*waits for letters \(src\/a\.txt\)$/m);
});

test("accepted plans that collide under the current policy are shown as a matrix, with what each pair shares", async () => {
  const project = await two("src/b.txt");
  project.write("slipway/policy.yaml", `${POLICY}exclusive_areas: [src]\n`);
  project.git("commit", "-qam", "src is for one at a time");
  const { stdout } = await project.slipway(["collisions"]);
  expect(stdout).toBe(
    [
      "           1   2",
      "1 letters  ·   A",
      "2 other    A   ·",
      "F file, A area, C contract, M migration",
      "",
      "letters and other",
      "  area src",
      "letters needs you: slipway approve letters",
      "other needs you: slipway approve other",
      "",
    ].join("\n"),
  );
  expect((await project.slipway(["collisions", "--json"])).json()).toMatchObject([
    { pairs: [{ features: ["letters", "other"], collisions: [{ type: "area", resource: "src" }] }] },
  ]);
});

test("before any run", async () => {
  expect((await letters().slipway(["collisions"])).stderr).toMatch(/^run_not_found: Nothing has run in this repository yet/);
});
