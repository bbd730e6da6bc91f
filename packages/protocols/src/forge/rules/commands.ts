import { canonicalPath } from "@slipway/kernel/paths/paths";
import type { Step } from "../router/state.ts";
import type { ReviewScope } from "../schemas/enums.ts";
import { baselineTag } from "./run-id.ts";
import { shellWords } from "./shell-words.ts";
import { judgeSql } from "./sql.ts";

export type JudgedCommand = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

const ALLOWED: JudgedCommand = { allowed: true };
const refused = (reason: string): JudgedCommand => ({ allowed: false, reason: `The command is refused: ${reason}.` });

/** The only commands of the orchestrator; a refusal is recorded. */
export function judgeOrchestratorCommand(command: string, { step, runId }: { readonly step: Step; readonly runId: string }): JudgedCommand {
  const parsed = shellWords(command);
  if (!parsed.ok) return refused(parsed.reason);
  const [program = "", ...words] = parsed.words;
  if (program === "sqlite3") return judgeSqlite(words, step === "0");
  if (program === "git") return judgeGit(words, step, runId);
  return refused(`${program === "" ? "an empty command" : program} is neither git nor sqlite3`);
}

/** A reviewer of code sees the change, and runs nothing else. */
export function judgeReviewerCommand(command: string, scope: ReviewScope): JudgedCommand {
  const parsed = shellWords(command);
  if (!parsed.ok) return refused(parsed.reason);
  if (scope !== "code") return refused("a design review has no commands");
  return parsed.words.join(" ") === "git diff --staged" && parsed.words.length === 3
    ? ALLOWED
    : refused("only git diff --staged is allowed");
}

const LEDGER = "verification-ledger.db";
const SQLITE_OPTIONS = new Set(["-readonly", "-json", "-csv", "-header", "-column", "-line"]);

function judgeSqlite(words: readonly string[], isSetup: boolean): JudgedCommand {
  const options = words.filter((word) => word.startsWith("-"));
  const unknown = options.find((option) => !SQLITE_OPTIONS.has(option));
  if (unknown !== undefined) return refused(`sqlite3 with ${unknown} is not allowed`);
  const [file = "", sql, ...more] = words.filter((word) => !word.startsWith("-"));
  const path = canonicalPath(file);
  if (!path.ok || path.path.split("/").at(-1) !== LEDGER) return refused(`sqlite3 opens ${LEDGER} only`);
  if (sql === undefined || more.length > 0) return refused("sqlite3 needs exactly one text of SQL");
  const judged = judgeSql(sql, isSetup);
  return judged.allowed ? ALLOWED : refused(judged.reason);
}

/** Options that neither write a file nor start a program. Git accepts shortened options, so all others are refused. */
const GIT_OPTIONS: Readonly<Record<string, RegExp>> = {
  status: /^(?:--porcelain(?:=v[12])?|--short|-s|--branch|-b|-z|-u(?:no|normal|all)?|--untracked-files(?:=(?:no|normal|all))?)$/,
  "rev-parse": /^(?:--abbrev-ref|--verify|--short(?:=\d+)?|--quiet|-q|--show-toplevel|--is-inside-work-tree)$/,
  show: /^(?:--stat|--name-only|--name-status|--no-patch|-s|--oneline|--format=[\w%: -]*)$/,
};
const LISTING = /^(?:-l|--list|-n\d*)$/;

function judgeGit([command = "", ...words]: readonly string[], step: Step, runId: string): JudgedCommand {
  const options = words.filter((word) => word.startsWith("-"));
  const allowed = Object.hasOwn(GIT_OPTIONS, command) ? GIT_OPTIONS[command] : undefined;
  if (allowed !== undefined) {
    const unknown = options.find((option) => !allowed.test(option) && option !== "--");
    return unknown === undefined ? ALLOWED : refused(`git ${command} with ${unknown} is not allowed`);
  }
  if (command === "tag") return judgeTag(words, runId);
  if (command !== "add" && command !== "commit") return refused(`git ${command} is not allowed`);
  if (step !== "9") return refused(`git ${command} is allowed in Step 9 only`);
  return command === "add" ? judgeAdd(options) : judgeCommit(words);
}

/** Tags are listed; the one that is created is the baseline of this run. */
function judgeTag(words: readonly string[], runId: string): JudgedCommand {
  if (words.length === 0 || LISTING.test(words[0] ?? "")) {
    const unknown = words.find((word) => word.startsWith("-") && !LISTING.test(word));
    return unknown === undefined ? ALLOWED : refused(`git tag with ${unknown} is not allowed`);
  }
  return words.length === 1 && words[0] === baselineTag(runId) ? ALLOWED : refused(`git tag creates ${baselineTag(runId)} only`);
}

function judgeAdd(options: readonly string[]): JudgedCommand {
  const unknown = options.find((option) => !["-A", "--all", "--"].includes(option));
  return unknown === undefined ? ALLOWED : refused(`git add with ${unknown} is not allowed`);
}

/** Only messages and trailers. */
function judgeCommit(words: readonly string[]): JudgedCommand {
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (/^--(?:message|trailer)=[^]/.test(word)) continue;
    if (!["-m", "--message", "--trailer"].includes(word)) return refused(`git commit with ${word} is not allowed`);
    if (words[++at] === undefined) return refused(`git commit ${word} has no text`);
  }
  return words.length === 0 ? refused("git commit needs a message") : ALLOWED;
}
