import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { trustFilesOf } from "@slipway/kernel/config/trust/testing/trust-anything";
import { coder, leanIntake, LETTERS_TWO, qa, RUN, said } from "@slipway/protocols/crew/flow/testing/artifacts";
import { expect, test } from "vitest";
import { startSlipway } from "../testing/child.ts";
import { FILES, letters, type Project } from "../testing/project.ts";

/** Plays every role. While there is a file `prose`, nothing that it says is an answer. Each prompt is kept. */
const TEAM = String.raw`
const { appendFileSync, existsSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
const { role, prompt, schema } = JSON.parse(readFileSync(0, "utf8"));
appendFileSync(join(__dirname, "prompts"), JSON.stringify({ role, prompt }) + "\n");
const { [role]: answer } = JSON.parse(readFileSync(join(__dirname, "answers.json"), "utf8"));
const [session] = /\d{4}-\d\d-\d\d_letters-say(?:-two)?/.exec(prompt);
const items = [...prompt.matchAll(/^- ([a-z0-9-]+) \((?:security|architecture|logic|performance|quality|devils_advocate)\):/gm)];
if (role === "reviewer") answer.output.artifacts.notes = items.map(([, id]) => id + ": OK");
const said = JSON.stringify({ output: "files" in (schema.properties ?? {}) ? answer : answer.output });
const prose = JSON.stringify({ text: "All of it is done." });
process.stdout.write(existsSync(join(__dirname, "prose")) ? prose : said.replaceAll("${RUN}", session));
`;

const GROUPS = ["security", "architecture", "logic", "performance", "quality", "devils_advocate"];

function answers(): string {
  const intake = leanIntake();
  const tasks = intake.files.find(({ path }) => path.endsWith("tasks.yaml"))?.content ?? "";
  const reviewer = said({ review_comments: [], checklist_summary: Object.fromEntries(GROUPS.map((group) => [group, "OK"])) });
  return JSON.stringify({ "spec-agent": intake, coder: coder(tasks, "T-001", LETTERS_TWO), reviewer, qa: qa() });
}

/** A project with this team, whose gates do not end before it is let go. */
function crewed(): Project {
  const policy = (FILES["slipway/policy.yaml"] ?? "").replace("merge_policy: {", "merge_policy: { require_user_approval: false,");
  const project = letters({ "slipway/policy.yaml": `${policy}sandbox: { read_only: [~/signals] }\n` });
  const { home } = project;
  const command = JSON.stringify([process.execPath, join(home, "team.cjs")]);
  project.write("slipway/agents.yaml", `version: 1\nroles: {}\nruntime:\n  default_provider: custom\n  custom: { command: ${command} }\n`);
  project.write("check.sh", `while ! grep -q go ${join(home, "signals", "go")}; do sleep 0.05; done\n`);
  project.git("commit", "-qam", "a team");
  trustFilesOf(project.root, project.env);
  mkdirSync(join(home, "signals"));
  for (const [name, text] of Object.entries({ "team.cjs": TEAM, "answers.json": answers(), prose: "", "signals/go": "" }))
    writeFileSync(join(home, name), text);
  return project;
}

/** The text of each session's status.json, by the session's name. */
function sessionsOf({ root }: Project): Record<string, string> {
  const runs = join(root, ".slipway", "runs");
  const names = readdirSync(runs).toSorted();
  return Object.fromEntries(names.map((name) => [name.replace(/^[0-9-]+_/, ""), readFileSync(join(runs, name, "status.json"), "utf8")]));
}

test("[CRW-025][CRW-027] of two crews the second is refused while the first is at work, and later has a session of its own; a blocked one goes on in another process", async () => {
  const project = crewed();
  const crew = ["crew", "Letters say two", "--lean"];
  const first = startSlipway(project, crew);
  await first.says("the gates are tried on the base branch");
  const { code, json } = await project.slipway([...crew, "--json"]);
  expect([code, json()]).toMatchObject([2, [{ error: { code: "run_lease_held", details: { pid: first.process.pid } } }]]);
  expect(project.sql("SELECT run_id FROM runs WHERE parent_run_id IS NULL")).toHaveLength(1);
  writeFileSync(join(project.home, "signals", "go"), "go");
  expect((await first.ended).code).toBe(23);
  const [run] = project.sql("SELECT run_id FROM runs WHERE parent_run_id IS NULL").map(({ run_id }) => String(run_id));

  const before = sessionsOf(project);
  expect(before).toEqual({ "letters-say-two": expect.stringContaining('"blocker": "subagent_failure"') });
  expect((await project.slipway(crew)).code).toBe(23);
  expect(sessionsOf(project)).toEqual({ ...before, "letters-say": expect.stringContaining('"blocker": "subagent_failure"') });

  rmSync(join(project.home, "prose"));
  const { "letters-say": other } = sessionsOf(project);
  const comment = 'Say "two";\n\tno \\n more. 🧑‍🚀';
  expect((await project.slipway(["answer", "Q1", "resume", "--comment", comment])).code).toBe(0);
  expect((await project.slipway(["resume", run ?? ""])).code).toBe(0);
  expect(project.git("show", "main:src/a.txt")).toBe("two\n");
  expect(sessionsOf(project)).toEqual({ "letters-say": other, "letters-say-two": expect.stringContaining('"current_state": "DONE"') });
  const prompts = readFileSync(join(project.home, "prompts"), "utf8").trimEnd().split("\n");
  const asked = prompts.map((line) => JSON.parse(line) as { role: string; prompt: string });
  expect(asked.map(({ role }) => role)).toEqual([...Array<string>(7).fill("spec-agent"), "coder", "reviewer", "qa"]);
  const told = asked.map(({ prompt }) => prompt.includes(JSON.stringify(`The user says: ${comment}`)));
  expect(told).toEqual([...Array<boolean>(6).fill(false), ...Array<boolean>(4).fill(true)]);
}, 240_000);
