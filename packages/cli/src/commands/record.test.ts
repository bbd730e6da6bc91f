import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sandboxWorksHere } from "@slipway/kernel/host/sandbox/testing/scratch";
import { describe, expect, test } from "vitest";
import { scratchFolder } from "../init/testing/scratch.ts";
import { letters, lettersToApprove, nothingMissing, patchOf, planFor, type Project } from "../testing/project.ts";

const runOf = (project: Project) => String(project.sql("SELECT run_id FROM runs WHERE parent_run_id IS NULL")[0]?.["run_id"]);
const treeOf = (project: Project) => project.git("rev-parse", "main^{tree}").trim();

/** With a red gate and a repaired answer on the way. */
function eventful(): Project {
  const project = letters();
  project.record("builder", "1", patchOf("src/a.txt", "one", "BUG"));
  project.record("builder", "2", { type: "PATCH", summary: "no diff" });
  const output = patchOf("src/a.txt", "BUG", "two");
  const again = { role: "builder", subject: "letters", attempt: "2", repair: 1, prompt_digest: null, output };
  writeFileSync(join(project.cassette, "builder/letters.2.repair1.json"), JSON.stringify(again));
  return project;
}

async function merged(project: Project, ...more: string[]): Promise<void> {
  expect((await project.slipway(["run", "letters.spec.md", "--cassette", project.cassette, ...more])).code).toBe(23);
  const tree = String(project.sql("SELECT tree FROM features")[0]?.["tree"]);
  expect((await project.slipway(["approve", "letters", "--tree", tree])).code).toBe(0);
  expect((await project.slipway(["merge", "letters", "--cassette", project.cassette])).code).toBe(0);
}

const available = sandboxWorksHere();

/** Its first builder claims to be done without a change. */
const FOLDER_AGENT = `
import { writeFileSync } from "node:fs";
const request = JSON.parse(await new Response(process.stdin).text());
const done = { type: "PATCH", summary: "one to two" };
if (request.role === "builder" && request.attempt === "2") writeFileSync("src/a.txt", "two\\n");
const answers = { planner: ${JSON.stringify(planFor("letters"))}, builder: done, qa: ${JSON.stringify(nothingMissing("src/a.txt"))} };
console.log(JSON.stringify({ output: answers[request.role] }));
`;

const entries = (folder: string) =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith(".json"))
    .toSorted();

describe("a run as a cassette", () => {
  test("exported from its transcripts, it replays to the same tree without drift", async () => {
    const first = eventful();
    await merged(first);
    const folder = join(first.home, "exported");
    const { code, stdout } = await first.slipway(["record", "export", runOf(first), folder]);
    expect(code).toBe(0);
    expect(stdout).toBe(
      `5 answers of ${runOf(first)} are in ${folder}.\nReplay them: slipway run SPEC.md --agent-provider replay --cassette ${folder}\n`,
    );
    expect(entries(folder)).toEqual([
      "builder/letters.1.json",
      "builder/letters.2.json",
      "builder/letters.2.repair1.json",
      "cassette.json",
      "planner/letters.1.json",
      "qa/letters.1.json",
    ]);
    const second = letters();
    const replayed = { ...second, cassette: folder };
    const ended = await second.slipway(["run", "letters.spec.md", "--provider", "replay", "--cassette", folder]);
    expect(ended.stdout + ended.stderr).not.toContain("another prompt");
    const tree = String(second.sql("SELECT tree FROM features")[0]?.["tree"]);
    await second.slipway(["approve", "letters", "--tree", tree]);
    expect((await second.slipway(["merge", "letters", "--cassette", replayed.cassette])).code).toBe(0);
    expect(treeOf(second)).toBe(treeOf(first));
    expect(second.read("src/a.txt")).toBe("two\n");
  });

  test("recorded during the run, it equals the later export", async () => {
    const project = eventful();
    const live = join(project.home, "live");
    await merged(project, "--record", live);
    expect((await project.slipway(["record", "export", "--json"])).json()).toMatchObject([
      { ok: true, run: runOf(project), folder: join(project.root, `${runOf(project)}.cassette`), entries: 5, missing: [], redacted: [] },
    ]);
    const exported = join(project.root, `${runOf(project)}.cassette`);
    expect(entries(live)).toEqual(entries(exported));
    for (const name of entries(live).filter((entry) => entry !== "cassette.json"))
      expect(readFileSync(join(live, name), "utf8")).toBe(readFileSync(join(exported, name), "utf8"));
  });

  test.skipIf(!available)("has the computed patch of an agent that edits files, and the claim without a change", async () => {
    const agent = join(scratchFolder(), "agent.mjs");
    writeFileSync(agent, FOLDER_AGENT);
    const custom = { command: [process.execPath, agent], works: "folder", programs: [dirname(agent)] };
    const runtime = { default_provider: "custom", custom };
    const files = { "slipway/agents.yaml": JSON.stringify({ version: 1, roles: {}, runtime }) };
    const first = letters(files);
    expect((await first.slipway(["run", "letters.spec.md"])).code).toBe(23);
    const folder = join(first.home, "exported");
    expect((await first.slipway(["record", "export", runOf(first), folder])).code).toBe(0);
    const entry = (name: string) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Record<string, unknown>;
    expect(entry("builder/letters.1.json")).toMatchObject({ failure: { code: "patch_rejected" } });
    expect(entry("builder/letters.2.json")).toMatchObject({ output: { type: "PATCH", unified_diff: expect.stringContaining("+two") } });
    const second = letters(files);
    const ended = await second.slipway(["run", "letters.spec.md", "--provider", "replay", "--cassette", folder]);
    expect(ended.code).toBe(23);
    const trees = [first, second].map((project) => project.sql("SELECT tree FROM features")[0]?.["tree"]);
    expect(trees[0]).toBe(trees[1]);
    const shown = await first.slipway(["transcript", runOf(first), "builder:1"]);
    expect(shown.stdout).toContain("== rejected by the harness: patch_rejected");
    expect((await first.slipway(["transcript", runOf(first), "builder:2"])).stdout).toContain("== output, made by the harness");
  });

  test("names calls without a transcript, and refuses a folder that is not empty", async () => {
    const project = await lettersToApprove();
    project.sql("UPDATE telemetry SET transcript_digest = NULL WHERE role = 'qa'");
    project.sql(`UPDATE telemetry SET transcript_digest = '${"0".repeat(64)}' WHERE role = 'planner'`);
    const folder = join(project.home, "out");
    const { code, stdout } = await project.slipway(["record", "export", runOf(project), folder]);
    expect(code).toBe(3);
    expect(stdout).toMatch(/^1 answers of .*\nmissing: \S+\/planner:1 has no transcript\nmissing: \S+\/qa:1 has no transcript\n/);
    const again = await project.slipway(["record", "export", runOf(project), folder]);
    expect([again.code, again.stderr.split("\n")[0]]).toEqual([2, `invalid_cli_args: ${folder} is not empty.`]);
    expect((await project.slipway(["record", "import"])).stderr).toMatch(/There is no `slipway record import`/);
  });
});

test("--provider is an alias of --agent-provider, which wins if both are given", async () => {
  const project = letters({ "slipway/agents.yaml": "version: 1\nroles: {}\n" });
  expect((await project.run("--provider", "replay")).code).toBe(23);
  const other = letters({ "slipway/agents.yaml": "version: 1\nroles: {}\n" });
  expect((await other.run("--provider", "custom", "--agent-provider", "replay")).code).toBe(23);
});

test("the run's own log has every call by default", async () => {
  const project = eventful();
  await merged(project);
  const lines = project
    .read(`.slipway/runs/${runOf(project)}/journal.jsonl`)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { event: string; data: Record<string, unknown> });
  expect(lines.filter(({ event }) => event === "model_call").map(({ data }) => [data["role"], data["calls"], data["tokensIn"]])).toEqual([
    ["planner", 1, 10],
    ["builder", 1, 10],
    ["builder", 2, 10],
    ["qa", 1, 10],
  ]);
  expect(lines.at(-1)).toMatchObject({ event: expect.stringMatching(/completed|finished|ended/) });
  const steps = project.sql("SELECT count(*) AS n FROM events WHERE stream <> 'repository' AND kind = 'step'")[0]?.["n"];
  expect(lines.filter(({ event }) => event === "step")).toHaveLength(Number(steps));
});
