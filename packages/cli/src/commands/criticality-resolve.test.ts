import { autocomplete, text } from "@clack/prompts";
import { BLOCK_KIND } from "@slipway/protocols/criticality/phases/resolve-phase";
import { BLOCK_QUESTION } from "@slipway/protocols/criticality/commands/answer-command";
import { afterEach, describe, expect, test, vi } from "vitest";
import { blockedInLattice } from "../testing/criticality-project.ts";
import { letters, type Project } from "../testing/project.ts";

const CANCEL = vi.hoisted(() => Symbol("cancel"));
vi.mock("@clack/prompts", () => ({
  isCancel: (value: unknown) => value === CANCEL,
  note: vi.fn(),
  select: vi.fn(async () => "later"),
  autocomplete: vi.fn(),
  text: vi.fn(),
}));
afterEach(() => void vi.clearAllMocks());

const AT_TERMINAL = { interactive: true };
const QUESTIONS = "SELECT kind, status, answer, answered_by FROM questions ORDER BY asked_at";

const chooses = (answer: string | typeof CANCEL) => vi.mocked(autocomplete).mockImplementationOnce(async () => answer);
const writes = (answer: string | typeof CANCEL) => vi.mocked(text).mockImplementationOnce(async () => answer as string);

function resolve(project: Project, ...args: string[]) {
  return project.slipway(["criticality", "resolve", ...args, "--cassette", project.cassette]);
}

test("the kind of a block's question is the same in the entry and in the phase", () => expect(BLOCK_QUESTION).toBe(BLOCK_KIND));

describe("[CRI-181] slipway criticality resolve", () => {
  test("shows the query with numbered options and their implications, and names itself as the way to answer", async () => {
    const project = await blockedInLattice();
    const { code, stdout } = await resolve(project);
    expect(code).toBe(23);
    expect(stdout).toMatch(/^Blocked by structural_defect_001:\n {2}The structure does not compile after 5 repairs\./);
    expect(stdout).toContain("  1. Generate the structure again (retry)\n     The repairs are counted from 1 again.\n");
    expect(stdout).toContain("  3. End the run (give_up)\n     Nothing is delivered; what is recorded stays.\n");
    expect((await resolve(project, "--json")).json()).toMatchObject([
      { blocked: true, query: { id: "structural_defect_001", severity: "blocking", options: [{ id: "retry" }, {}, { id: "give_up" }] } },
    ]);
    expect((await project.slipway(["status"])).stdout).toContain("→ slipway criticality resolve");
    expect(project.sql(QUESTIONS)).toMatchObject([{ status: "open" }]);
  });

  test("records the option of a number and continues the run: up to the next block, or to its end", async () => {
    const project = await blockedInLattice();
    const again = await resolve(project, "1", "--comment", "the folder was renamed");
    expect([again.code, again.stderr]).toEqual([23, ""]);
    expect(again.stdout).toContain("structural_defect_001: retry\n");
    expect((await project.slipway(["criticality", "status"])).stdout).toContain("Blocked by structural_defect_002:");
    expect((await project.slipway(["criticality", "ledger"])).stdout).toContain("structural_defect_001: Generate the structure again");
    expect(project.sql(QUESTIONS)).toMatchObject([
      { status: "answered", answer: '{"comment":"the folder was renamed","decision":"retry"}', answered_by: "person:kim" },
      { status: "open" },
    ]);
    const end = await resolve(project, "give_up", "--json");
    expect(end.code).toBe(3);
    expect(end.json().at(-1)).toMatchObject({ status: "completed", value: { status: "given_up" } });
  });

  test("refuses a number that no option has where nobody can be asked, and changes nothing", async () => {
    const project = await blockedInLattice(1);
    for (const wrong of ["0", "4", "-1", "1.5", "keep_a"]) {
      const { code, stderr } = await project.slipway(["criticality", "resolve", "--", wrong]);
      expect([wrong, code]).toEqual([wrong, 2]);
      expect(stderr).toContain("give a number from 1 to 3");
    }
    expect(project.sql(QUESTIONS)).toMatchObject([{ status: "open" }]);
  });

  test("on a terminal asks, and continues the run with the answer", async () => {
    const project = await blockedInLattice(1);
    chooses("give_up");
    writes("not needed");
    const { code, stdout } = await project.slipway(["criticality", "resolve", "--cassette", project.cassette], AT_TERMINAL);
    expect(code).toBe(3);
    expect(stdout).toContain("  1. Generate the structure again (retry)\n");
    expect(vi.mocked(autocomplete).mock.calls[0]?.[0]).toMatchObject({ initialValue: "later" });
    expect(project.sql(QUESTIONS)).toMatchObject([{ status: "answered", answer: '{"comment":"not needed","decision":"give_up"}' }]);
  });

  test.each([["later" as const], [CANCEL]])("on a terminal, %s leaves it blocked", async (answer) => {
    const project = await blockedInLattice(1);
    chooses(answer);
    expect((await project.slipway(["criticality", "resolve"], AT_TERMINAL)).code).toBe(23);
    chooses("give_up");
    writes(CANCEL);
    expect((await project.slipway(["criticality", "resolve"], AT_TERMINAL)).code).toBe(23);
    expect(project.sql(QUESTIONS)).toMatchObject([{ status: "open" }]);
  });

  test("continues a run whose block was answered elsewhere", async () => {
    const project = await blockedInLattice(1);
    await project.slipway(["answer", "Q1", "give_up"]);
    expect((await project.slipway(["criticality", "status"])).stdout).toContain("next: slipway resume (it is answered)");
    const { code, stdout } = await resolve(project);
    expect(code).toBe(3);
    expect(stdout).toMatch(/^structural_defect_001 is answered already; the run continues\.\n/);
  });

  test("with nothing blocked says so and changes nothing, also while a question of the interview waits", async () => {
    const project = letters();
    await project.slipway(["criticality", "tides", "--cassette", project.cassette]);
    const before = project.sql(QUESTIONS);
    const { code, stdout } = await resolve(project, "1");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Nothing is blocked\.\n {2}a question waits: What problem does the system solve, and for whom\?\n/);
    expect((await resolve(project, "--json")).json()).toEqual([{ blocked: false }]);
    expect(project.sql(QUESTIONS)).toEqual(before);
    expect(project.sql("SELECT status FROM runs")).toEqual([{ status: "waiting" }]);
  });
});

test("a model without a usable answer blocks a run, too", async () => {
  const project = await blockedInLattice(0);
  const { stdout } = await resolve(project);
  expect(stdout).toMatch(/^Blocked by /);
  expect(stdout).toContain("1. ");
  expect((await resolve(project, "2")).code).toBe(3);
});
