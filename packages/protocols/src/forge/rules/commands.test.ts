import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Step } from "../router/state.ts";
import { judgeOrchestratorCommand, judgeReviewerCommand } from "./commands.ts";
import { shellWords } from "./shell-words.ts";

const RUN = "2026-02-26T14:30:00Z";
const judge = (command: string, step: Step = "7") => judgeOrchestratorCommand(command, { step, runId: RUN });
const sql = (text: string, step: Step = "7") => judge(`sqlite3 .slipway/runs/one/verification-ledger.db "${text}"`, step);

describe("[FOR-007] the orchestrator runs", () => {
  test.each([
    "git status",
    "git status --porcelain",
    "git rev-parse --abbrev-ref HEAD",
    "git show pipeline-baseline-2026-02-26T14-30-00Z:src/a.ts",
    "git tag",
    "git tag -l 'pipeline-*'",
    "git tag pipeline-baseline-2026-02-26T14-30-00Z",
  ])("%s in every step", (command) => {
    for (const step of ["0", "5", "9"] as const) expect(judge(command, step)).toEqual({ allowed: true });
  });

  test.each(["git add -A", "git add -- src/a.ts", "git commit -m 'feat(names): pipeline complete' --trailer 'Co-authored-by: pipeline'"])(
    "%s in Step 9 only",
    (command) => {
      expect(judge(command, "9")).toEqual({ allowed: true });
      for (const step of ["0", "5", "8b"] as const) expect(judge(command, step).allowed).toBe(false);
    },
  );

  test.each([
    "SELECT COUNT(*) FROM anvil_checks WHERE run_id='a;b' AND task_id LIKE 'x--y' AND passed=1;",
    "select verdict from anvil_checks where output_snippet = 'DROP TABLE x'",
    "PRAGMA busy_timeout=5000",
    "PRAGMA busy_timeout=5000; SELECT 1",
  ])("%s in every step", (text) => {
    for (const step of ["0", "7"] as const) expect(sql(text, step)).toEqual({ allowed: true });
  });

  test.each([
    "CREATE TABLE IF NOT EXISTS anvil_checks (id INTEGER PRIMARY KEY)",
    "CREATE INDEX IF NOT EXISTS idx_telemetry_step ON pipeline_telemetry(step)",
    "PRAGMA journal_mode=WAL",
    "PRAGMA journal_mode=WAL; PRAGMA busy_timeout=5000; CREATE TABLE a (b); CREATE INDEX c ON a(b);",
  ])("%s in Step 0 only", (text) => {
    expect(sql(text, "0")).toEqual({ allowed: true });
    for (const step of ["1", "7", "9"] as const) expect(sql(text, step).allowed).toBe(false);
  });
});

describe("[FOR-007] the orchestrator does not run", () => {
  test.each([
    "npm test",
    "make",
    "node -e 1",
    "sh -c 'git status'",
    "rm src/a.ts",
    "",
    "/usr/bin/git status",
    "PATH=. git status",
    "git -c core.pager=x status",
    "git push",
    "git checkout main",
    "git tag -d pipeline-baseline-2026-02-26T14-30-00Z",
    "git tag -f pipeline-baseline-2026-02-26T14-30-00Z",
    "git tag -l -d x",
    "git tag other",
    "git tag pipeline-baseline-2026-02-27T14-30-00Z",
    "git show --output=src/a.ts HEAD",
    "git show --outp=src/a.ts HEAD",
    "git show --ext-diff HEAD",
    "git add -A --intent-to-add",
    "git commit --no-verify -m x",
    "git commit --amend",
    "git commit -m",
    "git commit",
    "git commit -F /etc/hostname",
  ])("%j", (command) => {
    for (const step of ["0", "5", "9"] as const) expect(judge(command, step).allowed).toBe(false);
  });

  test.each([
    "git status; rm -rf src",
    "git status && npm test",
    "git status & npm test",
    "git status || npm test",
    "git status | tee src/a.ts",
    "git status > src/a.ts",
    "git show < /etc/hostname",
    "git show $(npm test)",
    "git show `npm test`",
    'git show "$(npm test)"',
    "(git status)",
    "{ git status }",
    "git status\nnpm test",
    "git status # quiet",
    "git status \\",
    "git show 'open",
    "git show HEAD:~/x",
    "git status \u0000",
    "git status \u001b[2K",
    "git status\rnpm test",
  ])("%j, because a shell would do more", (command) => {
    expect(judge(command, "9").allowed).toBe(false);
  });

  test.each([
    "INSERT INTO anvil_checks (passed) VALUES (1)",
    "UPDATE anvil_checks SET passed=1",
    "DELETE FROM anvil_checks",
    "SELECT 1; DELETE FROM anvil_checks",
    "SELECT 1; SELECT 2",
    "PRAGMA busy_timeout=5000; DELETE FROM anvil_checks",
    "PRAGMA busy_timeout=5000; SELECT 1; SELECT 2",
    "WITH x AS (SELECT 1) DELETE FROM anvil_checks",
    "ATTACH DATABASE 'x.db' AS x",
    "SELECT 1 /* hidden */",
    "SELECT 1 -- hidden",
    "SELECT 1 /* ; */",
    "SELECT 1 -- ' \n; DELETE FROM anvil_checks",
    "SELECT load_extension('x')",
    "SELECT [load_extension]('x')",
    "SELECT writefile('src/a.ts', 'x')",
    "SELECT 'open",
    ".shell npm test",
    "SELECT 1\n.shell npm test",
    "CREATE TRIGGER a AFTER INSERT ON b BEGIN SELECT 1; END",
    "CREATE TEMP TABLE a (b)",
    "CREATE VIRTUAL TABLE a USING x",
    "PRAGMA writable_schema=1",
    "VACUUM INTO 'x.db'",
    "EXPLAIN SELECT 1",
    "",
    ";",
  ])("%j, in no step", (text) => {
    for (const step of ["0", "7", "9"] as const) expect(sql(text, step).allowed).toBe(false);
  });

  test.each([
    "sqlite3 verification-ledger.db",
    "sqlite3 verification-ledger.db 'SELECT 1' 'SELECT 2'",
    "sqlite3 -cmd '.shell x' verification-ledger.db 'SELECT 1'",
    "sqlite3 -init x verification-ledger.db 'SELECT 1'",
    "sqlite3 slipway.db 'SELECT 1'",
    "sqlite3 ../verification-ledger.db 'SELECT 1'",
    "sqlite3 /tmp/verification-ledger.db 'SELECT 1'",
  ])("%j", (command) => {
    expect(judge(command).allowed).toBe(false);
  });

  test("a refusal says what is refused", () => {
    expect(judge("git status; ls")).toEqual({ allowed: false, reason: 'The command is refused: ";" is a second command.' });
    expect(sql("CREATE TABLE a (b)")).toMatchObject({ reason: "The command is refused: CREATE is allowed in Step 0 only." });
  });
});

describe("[FOR-018] a reviewer", () => {
  test("of code runs git diff --staged and nothing else", () => {
    expect(judgeReviewerCommand("git diff --staged", "code")).toEqual({ allowed: true });
    const others = [
      "git diff",
      "git diff HEAD",
      "git diff --staged --output=x",
      "git diff --staged; npm test",
      "git diff --staged && npm test",
      "git diff --staged > x",
      "git diff --staged # x",
      "git 'diff --staged'",
      "git status",
      "npm test",
    ];
    for (const command of others) expect(judgeReviewerCommand(command, "code").allowed, command).toBe(false);
  });

  test("of a design runs nothing", () => {
    expect(judgeReviewerCommand("git diff --staged", "design").allowed).toBe(false);
  });
});

describe("words of a command", () => {
  test("are split as a shell splits them", () => {
    expect(shellWords(` git  commit -m 'a "b" c' "d e"'f' `)).toEqual({ ok: true, words: ["git", "commit", "-m", 'a "b" c', "d ef"] });
    expect(shellWords("a ''")).toEqual({ ok: true, words: ["a", ""] });
  });

  test("come back from single quotes as they were", () => {
    const word = fc.string({ unit: "grapheme-ascii" }).filter((word) => !word.includes("'"));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (words) => {
        expect(shellWords(words.map((word) => `'${word}'`).join(" "))).toEqual({ ok: true, words });
      }),
    );
  });

  test("[FOR-007] a command with a special character outside quotes is never allowed", () => {
    fc.assert(
      fc.property(fc.constantFrom(...";&|<>(){}`$\\#\n"), fc.nat(), (character, place) => {
        const command = "git status --porcelain";
        const at = place % (command.length + 1);
        const text = `${command.slice(0, at)}${character}x${command.slice(at)}`;
        expect(judge(text, "9").allowed).toBe(false);
      }),
    );
  });
});
