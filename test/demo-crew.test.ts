import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runRecordSchema } from "@slipway/protocols/crew/prompts/run-record";
import { artifactProblems } from "@slipway/protocols/crew/session/artifact-checks";
import { reportProblems } from "@slipway/protocols/crew/session/report";
import { parseStatus } from "@slipway/protocols/crew/session/status";
import { parseTasks } from "@slipway/protocols/crew/session/tasks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cassetteFiles, recordedCassette } from "./demo-author.ts";
import { CREW_CASSETTE } from "./demo-crew/author.ts";
import { KNOWN_ISSUES } from "./demo-crew/bookmark-scenes.ts";
import { canGoOffline, demoCommand } from "./demo-offline.ts";

const home = realpathSync(mkdtempSync(join(tmpdir(), "slipway-demo-crew-test-")));
const folder = join(home, "repository");
const env = {
  PATH: process.env["PATH"],
  HOME: home,
  XDG_CONFIG_HOME: join(home, "config"),
  XDG_STATE_HOME: join(home, "state"),
  USER: "kim",
};

interface Summary {
  readonly status: string;
  readonly session: string;
  readonly commit: string;
  readonly mode: string;
  readonly states: readonly string[];
  readonly decisions: readonly { readonly id: string; readonly answer: string }[];
  readonly dispatches: number;
  readonly repeated: number;
  readonly repairs: readonly { readonly task: string; readonly loop: string; readonly count: number }[];
  readonly words: readonly string[];
}

let summary: Summary;
const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, env, encoding: "utf8" });
const file = (name: string) => readFileSync(join(folder, ".slipway", "runs", summary.session, name), "utf8");

function statusNow() {
  const read = parseStatus(file("status.json"));
  if (!read.ok) throw new Error(read.problems.join("; "));
  return read.value;
}

/** Throws if the program ends with another exit code than 0. */
beforeAll(() => {
  const output = execFileSync(...demoCommand("crew", folder), { cwd: home, env, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  summary = JSON.parse(output.trim().split("\n").at(-1) ?? "") as Summary;
}, 240_000);
afterAll(() => rmSync(home, { recursive: true, force: true }));

test("the cassette of crew is what its author writes", () => {
  // A role's answer has changed: `npm run record:demo-crew`.
  expect(recordedCassette("crew")).toEqual(cassetteFiles(CREW_CASSETTE));
});

describe("the demo of crew", () => {
  test.skipIf(!canGoOffline)("runs without any network", () => {
    expect(summary).toMatchObject({ status: "merged", elapsed_ms: expect.any(Number) });
  });

  test("[CRW-066][CRW-082][CRW-101] a lean task that proves larger begins again in full mode, in the same session, and goes on to DONE", () => {
    expect(summary).toMatchObject({ status: "merged", mode: "full" });
    const { states } = summary;
    expect(states.slice(0, 8)).toEqual(
      "INTAKE_LEAN IMPLEMENT_LOOP INTAKE DESIGN APPROVE_DESIGN PLAN REVIEW_STRATEGY IMPLEMENT_LOOP".split(" "),
    );
    expect(states.slice(-4)).toEqual(["IMPLEMENT_LOOP", "INTEGRATE", "RELEASE", "DONE"]);
    expect(readdirSync(join(folder, ".slipway", "runs"))).toEqual([summary.session]);
  });

  test("[CRW-062] the person's wish changes the design before it is approved", () => {
    const history = file("approve-design-history.jsonl").trimEnd().split("\n");
    expect(history).toHaveLength(1);
    expect(history[0]).toContain("changes-requested: Say what becomes of an address that runs a script.");
    expect(file("architecture.md")).toContain("Only http and https addresses become links");
  });

  test("[CRW-059][CRW-114] each decision is in status.json with its answer; what is left is known and reported", () => {
    expect(summary.decisions).toEqual([
      { id: "UD-APPROVE-DESIGN", answer: "approved" },
      { id: "UD-REVIEW-STRATEGY", answer: "per-batch" },
      { id: "UD-1", answer: "fix" },
      { id: "UD-2", answer: "leave" },
      { id: "UD-3", answer: "fix-now" },
      { id: "UD-4", answer: "accept-risk" },
    ]);
    expect(summary.repairs).toEqual([
      { task: "T-002", loop: "FIX_REVIEW", count: 1 },
      { task: "T-002", loop: "FIX_SECURITY", count: 1 },
    ]);
    expect(statusNow().known_issues).toEqual(KNOWN_ISSUES);
    expect(reportProblems(file("report.md"), statusNow().known_issues)).toEqual([]);
  });

  test("[CRW-001][CRW-021] a review with words around its JSON does not count and is asked for again", () => {
    expect([summary.dispatches, summary.repeated]).toEqual([21, 1]);
  });

  test("[CRW-026] the files of the session are there, and each of them is valid", () => {
    expect(statusNow()).toMatchObject({ current_state: "DONE", session: summary.session });
    expect(parseTasks(file("tasks.yaml"), "full")).toMatchObject({
      ok: true,
      value: { tasks: [{ status: "completed" }, { status: "completed" }] },
    });
    for (const name of ["spec.md", "acceptance.json", "architecture.md"])
      expect(artifactProblems(name, file(name), "full"), name).toEqual([]);
    const log = file("run-log.jsonl").trimEnd().split("\n");
    for (const line of log) expect(runRecordSchema.safeParse(JSON.parse(line)).success, line).toBe(true);
  });

  test("[CRW-002] the final text names the session, what is left, the artifacts and the commands", () => {
    const text = summary.words.join("\n");
    for (const part of [`The session ${summary.session} is done.`, ...KNOWN_ISSUES, `${summary.session}/report.md`, "node --test"])
      expect(text).toContain(part);
  });

  test("the change is merged: its commit is main, and main's tests pass", () => {
    expect(git("rev-parse", "main").trim()).toBe(summary.commit);
    expect(git("show", "main:src/page.js")).toContain("noopener");
    const { status, stdout } = spawnSync(process.execPath, ["--test"], { cwd: folder, env, encoding: "utf8" });
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^ℹ fail 0$/m)]);
  });
});
