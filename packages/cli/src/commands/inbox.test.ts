import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { answersFor, letters, lettersToApprove, type Project } from "../testing/project.ts";

/** `letters` is blocked, `other` waits for its approval: two questions, in the order they were asked. */
async function twoQuestions(): Promise<Project> {
  const project = letters({ "other.md": "# Other\n" });
  rmSync(join(project.cassette, "builder"), { recursive: true });
  await project.run();
  answersFor(project, "other", "src/b.txt");
  await project.slipway(["run", "other.md", "--cassette", project.cassette]);
  return project;
}

const answered = (project: Project) => project.sql("SELECT status, answer, answered_by FROM questions ORDER BY asked_at");

describe("slipway inbox", () => {
  test("before any run it says what to do", async () => {
    expect(await letters().slipway(["inbox"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("next: Start with `slipway run SPEC.md`"),
    });
  });

  test("a question keeps its number when another one is answered", async () => {
    const project = await twoQuestions();
    expect((await project.slipway(["answer", "Q1", "give_up"])).code).toBe(0);
    expect((await project.slipway(["inbox"])).stdout).toMatch(/^Q2 {2}Merge other into main\?/);
    expect((await project.slipway(["answer", "Q1", "retry"])).code).toBe(2);
    expect((await project.slipway(["inbox", "Q2"])).stdout).toContain("Merge other into main?");
  });

  test("numbers the open questions in the order they were asked, with text, options and the command", async () => {
    const project = await twoQuestions();
    const { code, stdout } = await project.slipway(["inbox"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Q1 {2}letters is blocked in building\n {5}No attempt passed\..*cassette_answer_missing.*\n {5}next: .*\n {5}retry: .*\n {5}give_up: .*\n {5}→ slipway answer Q1 retry --comment '…'\n/,
    );
    expect(stdout).toMatch(/^Q2 {2}Merge other into main\?\n {5}change the letters\n {5} src\/b\.txt.*\n[^]*→ slipway approve other\n/m);
    const one = await project.slipway(["inbox", "Q2"]);
    expect(one.stdout).toMatch(/^Q2 {2}Merge other into main\?/);
    expect(one.stdout).not.toContain("letters is blocked");
    const listed = (await project.slipway(["inbox", "--json"])).json<{ id: string; kind: string; command: string }[]>()[0] ?? [];
    expect(listed.map(({ kind }) => kind)).toEqual(["blocked", "approval"]);
    expect(listed[0]?.command).toBe(`slipway answer '${listed[0]?.id}' retry --comment '…'`);
    expect((await project.slipway(["inbox", listed[1]?.id ?? ""])).stdout).toContain("Merge other into main?");
  });

  test("--all shows closed ones too, without a number, and who closed them", async () => {
    const project = await lettersToApprove();
    await project.slipway(["approve"]);
    expect((await project.slipway(["inbox"])).stdout).toBe("Nothing waits for you.\n");
    expect((await project.slipway(["inbox", "--all"])).stdout).toBe("    Merge letters into main? (answered by person:kim)\n");
    expect((await project.slipway(["inbox", "--all", "--json"])).json<object[][]>()[0]).toMatchObject([{ status: "answered" }]);
    expect((await project.slipway(["inbox", "--json"])).json()).toEqual([[]]);
    const cancelled = letters();
    await cancelled.run();
    await cancelled.slipway(["stop", "--cancel", "--yes"]);
    expect((await cancelled.slipway(["inbox", "--all"])).stdout).toBe("    Merge letters into main? (withdrawn)\n");
  });

  test("an agent's text cannot move the cursor or forge a line", async () => {
    const project = letters();
    const text = "which?\u001b[2J\u001b]0;title\u0007\r\n+ letters: full gates passed\u202E";
    project.record("builder", "1", { type: "REQUEST", request: "more_context", text });
    const { stdout } = await project.run();
    expect(stdout).not.toMatch(/^\+ letters: full gates passed/m);
    const inbox = (await project.slipway(["inbox"])).stdout;
    expect(inbox).toContain("     which?");
    for (const control of ["\u001b", "\u0007", "\r", "\u202e"]) expect(inbox).not.toContain(control);
    expect(inbox).not.toMatch(/^\+ letters/m);
  });
});

describe("slipway answer", () => {
  test("takes an option by number, with a comment; the run continues with it", async () => {
    const project = await twoQuestions();
    const { code, stdout } = await project.slipway(["answer", "Q1", "give_up", "--comment", "not worth it"]);
    expect(code).toBe(0);
    expect(stdout).toBe(
      "Answered: letters is blocked in building\n  give_up: end this feature; its work stays reachable\n  next: slipway resume\n",
    );
    expect(answered(project)[0]).toEqual({
      status: "answered",
      answer: '{"comment":"not worth it","decision":"give_up"}',
      answered_by: "person:kim",
    });
    const run = String(project.sql("SELECT run_id FROM runs WHERE run_id LIKE '%_letters'")[0]?.["run_id"]);
    expect((await project.slipway(["resume", run])).code).toBe(3);
    expect((await project.slipway(["status"])).stdout).toContain("letters: not worth it");
  });

  test("a bare number, an id, the beginning of an id, JSON, and --json", async () => {
    for (const name of ["1", "q1", "id", "prefix"]) {
      const project = letters();
      rmSync(join(project.cassette, "planner"), { recursive: true });
      await project.run();
      const id = String(project.sql("SELECT id FROM questions")[0]?.["id"]);
      const given = name === "id" ? id : name === "prefix" ? id.slice(0, -2) : name;
      const ended = await project.slipway(["answer", given, '{"decision":"give_up","comment":"so be it"}', "--json"]);
      expect(ended.json()).toEqual([{ ok: true, question: id, next: "slipway resume" }]);
      expect(answered(project)[0]?.["answer"]).toBe('{"comment":"so be it","decision":"give_up"}');
    }
  });

  test("a question without options takes a comment", async () => {
    const project = letters();
    project.record("builder", "1", { type: "REQUEST", request: "more_context", text: "which letters?" });
    expect((await project.run()).stdout).toContain("slipway answer Q1 --comment '…'");
    const missing = await project.slipway(["answer", "Q1"]);
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining("next: Give one with --comment TEXT.") });
    expect((await project.slipway(["answer", "Q1", "--comment", "the first"])).code).toBe(0);
    expect(answered(project)[0]).toMatchObject({ answer: '{"comment":"the first"}' });
  });

  test("an invalid answer changes nothing, and the message lists the valid ones", async () => {
    const project = await twoQuestions();
    const before = answered(project);
    const refused: [string[], string, string][] = [
      [["Q1"], "answer_invalid", "next: Give one of: retry, give_up."],
      [["Q1", "perhaps"], "answer_invalid", "retry | give_up"],
      [["Q1", "{not json"], "answer_invalid", "not valid JSON"],
      [["Q1", '{"decision":"retry","more":1}'], "answer_invalid", "next: Run `slipway inbox "],
      [["Q2", "changes"], "answer_invalid", "/comment"],
      [["Q9", "retry"], "question_not_found", "next: Run `slipway inbox` to see the open questions."],
      [["nonsense", "retry"], "question_not_found", "nonsense"],
    ];
    for (const [argv, code, text] of refused) {
      const ended = await project.slipway(["answer", ...argv]);
      expect(ended.code, argv.join(" ")).toBe(2);
      expect(ended.stderr, argv.join(" ")).toMatch(new RegExp(`^${code}: `));
      expect(ended.stderr, argv.join(" ")).toContain(text);
      expect(answered(project)).toEqual(before);
    }
  });

  test("an answered question stays answered", async () => {
    const project = await lettersToApprove();
    const id = String(project.sql("SELECT id FROM questions")[0]?.["id"]);
    expect((await project.slipway(["answer", id, "reject", "--comment", "no"])).code).toBe(0);
    const again = await project.slipway(["answer", id, "approve"]);
    expect(again.code).toBe(2);
    expect(again.stderr).toMatch(/^question_closed: .*was answered by person:kim/);
  });

  test("`approve` as answer to an approval signs it, like `slipway approve`; a made-up token does not merge", async () => {
    const project = await lettersToApprove();
    expect((await project.slipway(["answer", "Q1", "approve"])).code).toBe(0);
    expect(String(answered(project)[0]?.["answer"])).toContain('"token":');
    expect((await project.slipway(["resume"])).code).toBe(0);
    const forged = letters();
    await forged.run();
    await forged.slipway(["answer", "Q1", '{"decision":"approve","token":"forged"}']);
    const base = forged.git("rev-parse", "main");
    expect((await forged.slipway(["resume"])).code).not.toBe(0);
    expect(forged.git("rev-parse", "main")).toBe(base);
  });

  test("requested changes go back to the builder with the comment", async () => {
    const project = await lettersToApprove();
    await project.slipway(["answer", "Q1", "changes", "--comment", "three, please"]);
    const { code, stdout } = await project.slipway(["resume", "--cassette", project.cassette]);
    expect(code).toBe(23);
    expect(stdout).toContain("answered by person:kim");
    expect((await project.slipway(["status"])).stdout).toMatch(/^letters +blocked/m);
  });
});
