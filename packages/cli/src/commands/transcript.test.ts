import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { layoutAt } from "@slipway/kernel/host/layout";
import { describe, expect, test } from "vitest";
import { letters, lettersToApprove, nothingMissing, patchOf, type Project } from "../testing/project.ts";

const SECRET = "correct-horse-battery";
const runOf = (project: Project) => String(project.sql("SELECT run_id FROM runs WHERE parent_run_id IS NULL")[0]?.["run_id"]);
const folderOf = (project: Project) => layoutAt(project.root).transcripts(runOf(project));

describe("slipway transcript", () => {
  test("lists the calls, and shows prompt and answer of one with tokens and price", async () => {
    const project = await lettersToApprove();
    const run = runOf(project);
    const listed = await project.slipway(["transcript"]);
    expect(listed.code).toBe(0);
    expect(listed.stdout.split("\n")).toEqual([
      `run ${run}`,
      expect.stringMatching(/^\S+Z {2}letters\/planner:1 +replay +10 tokens in, 5 out, \$0\.0100$/),
      expect.stringMatching(/letters\/builder:1 /),
      expect.stringMatching(/letters\/qa:1 /),
      "",
    ]);
    const shown = await project.slipway(["transcript", run, "builder:1"]);
    expect(shown.stdout).toContain("\n== system prompt\n  You implement one planned change.");
    expect(shown.stdout).toContain("\n== prompt\n  # Task\n  Role: builder\n");
    expect(shown.stdout).toMatch(/\n {2}… \d+ more characters \(--full\)\n/);
    expect(shown.stdout).toContain('\n== answer (10 tokens in, 5 out, $0.0100)\n  {"type":"PATCH"');
    expect(shown.stdout).toMatch(/\n== accepted\n {2}10 tokens in, 5 out, \$0\.0100, calls: 1\n$/);
    const full = await project.slipway(["transcript", run, "letters/builder:1", "--full"]);
    expect(full.stdout).toContain("It must satisfy this JSON Schema");
    expect(project.sql("SELECT transcript_digest AS d FROM telemetry").every(({ d }) => /^[0-9a-f]{64}$/.test(String(d)))).toBe(true);
    expect(readdirSync(folderOf(project))).toEqual([]);
  });

  test("as JSON lines, and in pages", async () => {
    const project = await lettersToApprove();
    const run = runOf(project);
    const list = (await project.slipway(["transcript", run, "--json"])).json<Record<string, unknown>>();
    expect(list).toMatchObject([
      { run, name: "letters/planner:1", state: "done" },
      { name: "letters/builder:1" },
      { name: "letters/qa:1" },
    ]);
    const lines = (await project.slipway(["transcript", run, "planner:1", "--json"])).json<{ kind: string }>();
    expect(lines.map(({ kind }) => kind)).toEqual(["invocation", "sent", "answer", "ended"]);
    const second = await project.slipway(["transcript", run, "planner:1", "--from", "2", "--limit", "1"]);
    expect(second.stdout).toMatch(/\n== answer [^]*\n… more: slipway transcript \S+ letters\/planner:1 --from 3\n$/);
    expect(second.stdout).not.toContain("== system prompt");
  });

  test("no secret of this process is in a transcript, a cassette or the run's log", async () => {
    const project = letters();
    project.record("qa", "1", { ...nothingMissing("src/a.txt"), text: `covered, says ${SECRET}` });
    const env = { ...project.env, OUR_VARIABLE: SECRET };
    const tape = join(project.home, "tape");
    const ended = await project.slipway(
      ["run", "letters.spec.md", "--cassette", project.cassette, "--provider-config-env", "OUR_VARIABLE", "--record", tape],
      { env },
    );
    expect(ended.code).toBe(23);
    expect(ended.stdout + ended.stderr).toContain("the answer of the qa for letters, attempt 1 contains a secret");
    const shown = await project.slipway(["transcript", runOf(project), "qa:1"], { env });
    expect(shown.stdout).toContain("covered, says [redacted]");
    expect(readFileSync(join(tape, "qa/letters.1.json"), "utf8")).not.toContain(SECRET);
    const exported = await project.slipway(["record", "export", runOf(project), join(project.home, "out")], { env });
    expect(exported.stdout).toMatch(/redacted: \S+qa:1 contained a secret/);
  });

  test("a repair is shown with its reasons", async () => {
    const project = letters();
    project.record("builder", "1", { type: "PATCH", summary: "no diff" });
    const again = {
      role: "builder",
      subject: "letters",
      attempt: "1",
      repair: 1,
      prompt_digest: null,
      output: patchOf("src/a.txt", "one", "two"),
    };
    writeFileSync(join(project.cassette, "builder/letters.1.repair1.json"), JSON.stringify(again));
    await project.run();
    const { stdout } = await project.slipway(["transcript", runOf(project), "builder:1"]);
    expect(stdout).toMatch(
      /== the answer was refused\n {2}- \/unified_diff: missing[^]*== prompt again, repair 1\n[^]*== answer, repair 1 [^]*calls: 2\n$/,
    );
  });

  test("calls that were cut off by a crash or stopped are listed and shown as such", async () => {
    const project = await lettersToApprove();
    const head = {
      kind: "invocation",
      version: 1,
      run: `${runOf(project)}/feature:letters`,
      role: "builder",
      subject: "letters",
      provider: "claude",
      model: "opus",
    };
    const write = (attempt: string, ...lines: object[]) =>
      writeFileSync(
        join(folderOf(project), `${attempt}.jsonl`),
        [{ ...head, step: `builder:${attempt}`, attempt }, ...lines].map((line) => `${JSON.stringify({ ...line, at: 1 })}\n`).join(""),
      );
    write(
      "7",
      { kind: "raw", line: "{}" },
      { kind: "tool", name: "read\u001b[2K\nforged", input: { path: "a" }, output: "one", ok: true, duration_ms: 4 },
    );
    appendFileSync(join(folderOf(project), "7.jsonl"), '{"kind":"te');
    const usage = { input_tokens: 1, output_tokens: 2, cost_usd: 0 };
    write(
      "8",
      { kind: "text", text: "hm\u001b[31m" },
      { kind: "usage", usage, model: "opus" },
      { kind: "failed", repair: 0, failure: { code: "agent_failed", message: "down", details: {} }, duration_ms: 1 },
      { kind: "output", output: { type: "PATCH" } },
      { kind: "stopped", reason: "agent_failed: down" },
    );
    write("9", { kind: "ended", ok: false, usage: { ...usage, duration_ms: 1, calls: 1, model: null }, failure: null });
    writeFileSync(join(folderOf(project), "other.jsonl"), "no transcript\n");
    const { stdout } = await project.slipway(["transcript"]);
    expect(stdout).toMatch(/letters\/builder:7 +claude opus +was cut off: its process ended in the middle\n/);
    expect(stdout).toMatch(/letters\/builder:8 +claude opus +has no outcome\n/);
    const cut = await project.slipway(["transcript", runOf(project), "builder:7"]);
    expect(cut.stdout).toMatch(
      /\n\* read<U\+001B>\[2K forged \{"path":"a"\}: ok, 4 ms\n {2}one\n\nThis transcript was cut off: its process ended in the middle\.\n$/,
    );
    expect((await project.slipway(["transcript", runOf(project), "builder:7", "--raw"])).stdout).toContain("\n| {}\n");
    const tried = await project.slipway(["transcript", runOf(project), "builder:8"]);
    expect(tried.stdout).toMatch(
      /\n {2}hm<U\+001B>\[31m\n {2}\(1 tokens in, 2 out, \$0\.0000\)\n\n== failed: agent_failed\n {2}down\n[^]*== no outcome\n {2}agent_failed: down\n/,
    );
    expect((await project.slipway(["transcript", runOf(project), "builder:9"])).stdout).toContain("== not accepted: ");
    // While a supervisor is alive, a file without an end may still be written by it.
    project.sql("UPDATE run_lease SET host = 'elsewhere', pid = 1, expires_at = 9000000000000000");
    expect((await project.slipway(["transcript"])).stdout).toMatch(/letters\/builder:7 .* is being written\n/);
  });

  test.each<[string, string[], RegExp]>([
    ["an unknown step", ["builder:9"], /has no transcript of builder:9\. It has letters\/planner:1, letters\/builder:1, letters\/qa:1\./],
    ["an invalid page number", ["builder:1", "--from", "x"], /--from takes a whole number from 1/],
  ])("%s is reported", async (_, more, message) => {
    const project = await lettersToApprove();
    const { code, stderr } = await project.slipway(["transcript", runOf(project), ...more]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  test("a run without transcripts, a missing object, and a changed one", async () => {
    const project = letters();
    expect((await project.slipway(["transcript"])).stderr).toMatch(/^run_not_found: Nothing has run/);
    await project.run();
    project.sql("UPDATE telemetry SET transcript_digest = NULL WHERE role <> 'qa'");
    expect((await project.slipway(["transcript"])).stdout.trim().split("\n")).toHaveLength(2);
    const objects = layoutAt(project.root).objects;
    const digest = String(project.sql("SELECT transcript_digest AS d FROM telemetry WHERE role = 'qa'")[0]?.["d"]);
    const file = join(objects, digest.slice(0, 2), digest.slice(2));
    appendFileSync(file, '{"kind":"raw","line":"x","at":1}\n');
    expect((await project.slipway(["transcript", runOf(project), "qa:1"])).stderr).toMatch(/^object_corrupt: /);
    rmSync(file);
    expect((await project.slipway(["transcript", runOf(project), "qa:1"])).stderr).toMatch(/^object_missing: /);
    project.sql("UPDATE telemetry SET transcript_digest = NULL");
    mkdirSync(folderOf(project), { recursive: true });
    expect((await project.slipway(["transcript"])).stdout).toContain("No agent was called yet.");
  });
});
