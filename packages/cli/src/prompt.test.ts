import { note, select, text } from "@clack/prompts";
import { afterEach, describe, expect, test, vi } from "vitest";
import { answersFor, letters, lettersToApprove, patchOf } from "./testing/project.ts";

const CANCEL = vi.hoisted(() => Symbol("cancel"));
vi.mock("@clack/prompts", () => ({ isCancel: (value: unknown) => value === CANCEL, note: vi.fn(), select: vi.fn(), text: vi.fn() }));
afterEach(() => void vi.resetAllMocks());

const AT_TERMINAL = { interactive: true };

/** The person's choices and texts, in order. */
function person(...answers: readonly (string | typeof CANCEL)[]): void {
  for (const answer of answers) {
    vi.mocked(select).mockImplementationOnce(async () => answer);
  }
}
const writes = (...comments: readonly (string | typeof CANCEL)[]) => {
  for (const comment of comments) vi.mocked(text).mockImplementationOnce(async () => comment as string);
};

describe("at a terminal", () => {
  test("an approval merges at once", async () => {
    const project = letters();
    person("approve");
    const { code, stdout } = await project.slipway(["run", "letters.spec.md", "--cassette", project.cassette], AT_TERMINAL);
    expect(code).toBe(0);
    expect(stdout).toContain("letters is merged into main");
    expect(note).toHaveBeenCalledWith(expect.stringContaining("src/a.txt"), "Merge letters into main?");
    expect(vi.mocked(select).mock.calls[0]?.[0].options.map(({ value }) => value)).toEqual([
      "approve",
      "changes",
      "reject",
      "again",
      "diff",
      "later",
    ]);
    expect(vi.mocked(select).mock.calls[0]?.[0].initialValue).toBe("later");
    expect(text).not.toHaveBeenCalled();
    expect(project.sql("SELECT answered_by FROM questions")).toEqual([{ answered_by: "person:kim" }]);
  });

  test("every line can be shown first", async () => {
    const project = letters();
    person("diff", "later");
    const { stdout } = await project.slipway(["run", "letters.spec.md", "--cassette", project.cassette], AT_TERMINAL);
    expect(stdout).toMatch(/^-one\n\+two$/m);
  });

  test.each([["later" as const], [CANCEL]])("%s leaves the question open and exits 23", async (choice) => {
    const project = letters();
    person(choice);
    const { code, stdout } = await project.slipway(["run", "letters.spec.md", "--cassette", project.cassette], AT_TERMINAL);
    expect(code).toBe(23);
    expect(stdout).toContain("slipway approve letters");
    expect(project.sql("SELECT status FROM questions")).toEqual([{ status: "open" }]);
  });

  test("cancelling at the comment leaves it open too", async () => {
    const project = letters();
    person("reject");
    writes(CANCEL);
    expect((await project.slipway(["run", "letters.spec.md", "--cassette", project.cassette], AT_TERMINAL)).code).toBe(23);
    expect(project.sql("SELECT status FROM questions")).toEqual([{ status: "open" }]);
  });

  test("an invalid answer is explained and asked for again", async () => {
    const project = letters();
    person("changes", "reject");
    writes("", "not wanted");
    const { code } = await project.slipway(["run", "letters.spec.md", "--cassette", project.cassette], AT_TERMINAL);
    expect(code).toBe(3);
    expect(note).toHaveBeenCalledWith(expect.stringContaining("/comment"), "Invalid answer");
    expect(text).toHaveBeenCalledWith(expect.objectContaining({ message: "A comment (may be empty)" }));
    expect(project.sql("SELECT answer FROM questions")).toEqual([{ answer: '{"comment":"not wanted","decision":"reject"}' }]);
  });

  test("any other error ends the command", async () => {
    const project = letters();
    vi.mocked(select).mockImplementationOnce(async () => {
      project.sql("UPDATE questions SET status = 'withdrawn'");
      return "approve";
    });
    const { code, stderr } = await project.slipway(["run", "letters.spec.md", "--cassette", project.cassette], AT_TERMINAL);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^question_closed: /);
  });

  test("a question without options asks for text only; every open question is asked in turn", async () => {
    const project = letters({ "other.md": "# Other\n" });
    answersFor(project, "other", "src/b.txt");
    project.record("builder", "1", { type: "REQUEST", request: "more_context", text: "which\u001b[2J?" });
    project.record("builder", "2", patchOf("src/a.txt", "one", "two"));
    writes("the first");
    person("approve", "approve");
    const { code } = await project.slipway(["run", "letters.spec.md", "other.md", "--cassette", project.cassette], AT_TERMINAL);
    expect(code).toBe(0);
    expect(note).toHaveBeenCalledWith("which<U+001B>[2J?", "The builder of letters asks for more context");
    expect(text).toHaveBeenCalledWith(expect.objectContaining({ message: "Your answer" }));
    expect(project.git("show", "main:src/a.txt", "main:src/b.txt")).toBe("two\ntwo\n");
  });

  test("with --json the person is not asked", async () => {
    const project = letters();
    expect((await project.slipway(["run", "letters.spec.md", "--cassette", project.cassette, "--json"], AT_TERMINAL)).code).toBe(23);
    expect(select).not.toHaveBeenCalled();
  });

  test("`slipway merge` asks for the approval instead of refusing", async () => {
    const project = await lettersToApprove();
    person("approve");
    expect((await project.slipway(["merge"], AT_TERMINAL)).code).toBe(0);
  });
});
