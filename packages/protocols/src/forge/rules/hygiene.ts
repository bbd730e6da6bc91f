const MAIN_BRANCHES = ["main", "master"];
const TRIVIAL_WORDS = 20;
const TRIVIAL = /\b(?:typos?|spelling|wording|comments?|readme|changelog|docs?|documentation|whitespace|formatting)\b/i;
const NOT_TRIVIAL =
  /\b(?:implement|feature|endpoint|api|database|schema|migrat\w*|refactor\w*|auth\w*|security|delete|remove|behaviou?r)\b/i;

/** Short, about texts only, and without a word that means code. In doubt a change is not trivial. */
export function isTrivial(request: string): boolean {
  const words = request.split(/\s+/).filter((word) => word !== "");
  return words.length > 0 && words.length <= TRIVIAL_WORDS && TRIVIAL.test(request) && !NOT_TRIVIAL.test(request);
}

export interface Hygiene {
  /** The outputs of the two git commands. */
  readonly status: string;
  readonly branch: string;
  readonly dirty: boolean;
  readonly on_main: boolean;
  readonly warnings: readonly string[];
}

/** From `git status --porcelain` and `git rev-parse --abbrev-ref HEAD`. A warning never blocks a run. */
export function hygieneOf(status: string, branch: string, trivial: boolean): Hygiene {
  const changes = status.split("\n").filter((line) => line.trim() !== "").length;
  const name = branch.trim();
  const dirty = changes > 0;
  const on_main = MAIN_BRANCHES.includes(name);
  const warnings = [
    ...(dirty ? [`The checkout has ${changes} uncommitted ${changes === 1 ? "change" : "changes"}.`] : []),
    ...(on_main ? [`The checkout is on ${name}.`] : []),
  ];
  return { status, branch: name, dirty, on_main, warnings: trivial ? [] : warnings };
}
