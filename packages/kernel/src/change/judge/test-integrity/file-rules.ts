import { posix } from "node:path";
import type { Policy } from "../../../config/policy.ts";
import type { GatesConfig } from "../../../config/gates.ts";
import { strictAreaMatcher } from "../../../paths/areas.ts";
import { requiredTests } from "../qa/required-tests.ts";
import { selfRunBy } from "./self-run-files.ts";
import type { SpecMentions } from "./spec-mentions.ts";
import { finding, type ChangedFile, type TestFinding } from "./finding.ts";
import { languageOf, lex } from "./test-language.ts";

const VERBS: Readonly<Record<ChangedFile["status"], string>> = { A: "adds", M: "changes", T: "changes", D: "removes" };

/** Files that the policy protects because they define "done", and files that some program runs by itself. */
export function protectedFindings(files: readonly ChangedFile[], { protected_files }: Policy, asked: SpecMentions): TestFinding[] {
  const patternOf = strictAreaMatcher(protected_files, "glob");
  return files.flatMap(({ path, status }) => {
    const pattern = patternOf(path);
    const told = status === "D" ? null : selfRunBy(path);
    const who = told === null ? "" : `: ${told}`;
    if (pattern !== null)
      return [finding("protected_file", path, `${VERBS[status]} a file protected by ${pattern}${who}`, asked.file(path))];
    return told === null ? [] : [finding("self_run_file", path, `${VERBS[status]} a file that runs by itself${who}`, asked.file(path))];
  });
}

/** Changed tests in a language that cannot be read. */
export function opaqueTestFindings(files: readonly ChangedFile[], asked: SpecMentions): TestFinding[] {
  return files.flatMap(({ path, status }) =>
    status === "A" ? [] : [finding("protected_test", path, `${VERBS[status]} a test that was there before`, asked.file(path))],
  );
}

/** Programs of the repository that a gate starts, and files those programs are known to read. */
export function gateFileFindings(files: readonly ChangedFile[], { profiles }: GatesConfig, asked: SpecMentions): TestFinding[] {
  const steps = Object.values(profiles).flatMap(({ modes }) => Object.values(modes).flatMap((mode) => mode ?? []));
  const started = new Set(steps.flatMap(({ cmd, cwd = "." }) => cmd.map((word) => posix.normalize(posix.join(cwd, word)))));
  const makes = steps.filter(({ cmd: [program = ""] }) => /(?:^|\/)g?make$/.test(program)).map(({ cwd = "." }) => cwd);
  const read = new Set(
    makes.flatMap((cwd) => ["Makefile", "makefile", "GNUmakefile"].map((name) => posix.normalize(posix.join(cwd, name)))),
  );
  return files
    .filter(({ path }) => started.has(path) || read.has(path))
    .map(({ path, status }) => finding("gate_program", path, `${VERBS[status]} a file that a gate uses`, asked.file(path)));
}

export function ignoredFindings(paths: readonly string[], asked: SpecMentions): TestFinding[] {
  return paths.map((path) => finding("ignored_file", path, "adds a file that git ignores", asked.file(path)));
}

/** A planner may choose a profile; a note tells the approver that it is not the default one. */
export function profileFindings(files: readonly ChangedFile[], gates: GatesConfig, profile: string, asked: SpecMentions): TestFinding[] {
  const unseen = files.filter(({ path }) => !isDocument(path) && requiredTests(gates, profile, path).length === 0).map(({ path }) => path);
  const isUsual = profile === USUAL || !Object.hasOwn(gates.profiles, USUAL);
  return [
    ...(isUsual
      ? []
      : [finding("gate_profile", "", `the plan chose the gates of the profile "${profile}" instead of "${USUAL}"`, asked.words(profile))]),
    ...unseen.map((path) => finding("no_gate", path, `no gate of the profile "${profile}" covers it`, asked.file(path))),
  ];
}

const USUAL = "default";
const DOCUMENT = /\.(?:md|mdx|markdown|rst|adoc)$|(?:^|\/)(?:LICENSE|NOTICE|AUTHORS|CHANGELOG)[^/]*$/i;
const ABOUT_WORDS = /\b(?:comment|document|docstring|jsdoc|typo|spelling|wording|formatting|reformat|whitespace|indent)/i;

function isDocument(path: string): boolean {
  return DOCUMENT.test(path);
}

/** Changes of comments, spacing and documents count only if the specification asks for them. */
export function effectFindings(files: readonly ChangedFile[], spec: string, asked: SpecMentions): TestFinding[] {
  if (files.length === 0 || files.some((file) => !isDocument(file.path) && !isSame(file))) return [];
  const sources = files.filter(({ path }) => !isDocument(path));
  const wanted = sources.length > 0 ? ABOUT_WORDS.test(spec) : files.every(({ path }) => asked.file(path) || ABOUT_WORDS.test(spec));
  return [finding("no_effect", "", "the change contains no executable code: only comments, spacing or documents", wanted)];
}

function isSame({ path, before, after }: ChangedFile): boolean {
  const language = languageOf(path);
  if (language === null || before === null || after === null) return false;
  const essence = (text: string) => {
    const { code } = lex(text, language);
    return language === "py"
      ? code
          .replaceAll(/[ \t]+$/gm, "")
          .replaceAll(/\n{2,}/g, "\n")
          .trim()
      : code.replaceAll(/\s+/g, "");
  };
  return essence(before) === essence(after);
}
