import type { Policy } from "../../../config/policy.ts";
import type { GatesConfig } from "../../../config/gates.ts";
import { strictAreaMatcher } from "../../../paths/areas.ts";
import { specMentions } from "./spec-mentions.ts";
import { effectFindings, gateFileFindings, ignoredFindings, opaqueTestFindings, profileFindings, protectedFindings } from "./file-rules.ts";
import type { ChangedFile, TestFinding } from "./finding.ts";
import { languageOf } from "./test-language.ts";
import { doubleFindings, lineFindings, secretFindings } from "./line-rules.ts";
import { manifestFindings } from "./manifest.ts";
import { testFindings } from "./test-rules.ts";

export interface InspectedChange {
  readonly files: readonly ChangedFile[];
  /** New paths that git ignores. */
  readonly ignored: readonly string[];
  /** The person's specification: only it can justify a change that is otherwise suspicious. */
  readonly spec: string;
  readonly policy: Policy;
  readonly gates: GatesConfig;
  readonly profile: string;
  /** Removes secrets from a text. */
  readonly redact: (text: string) => string;
}

/**
 * Lists every sign in the change itself that it may seem done without being done. For the approver: it decides nothing, and ignores
 * everything an agent says.
 */
export function inspectTests({ files, ignored, spec, policy, gates, profile, redact }: InspectedChange): TestFinding[] {
  const asked = specMentions(spec);
  const testPattern = strictAreaMatcher(policy.protected_tests, "glob");
  const tests = files.filter(({ path }) => testPattern(path) !== null);
  const known = new Set(tests);
  const isTest = (file: ChangedFile) => known.has(file);
  const others = files.filter((file) => !isTest(file));
  const sources = others.filter(({ path }) => languageOf(path) !== null).map(({ path }) => path);
  return unique([
    ...protectedFindings(files, policy, asked),
    ...gateFileFindings(others, gates, asked),
    ...ignoredFindings(ignored, asked),
    ...testFindings(tests.filter(isReadable), asked),
    ...opaqueTestFindings(
      tests.filter((file) => !isReadable(file)),
      asked,
    ),
    ...tests.flatMap((file) => doubleFindings(file, sources)),
    ...files.flatMap((file) => lineFindings(file, isTest(file), asked)),
    ...files.flatMap((file) => secretFindings(file, redact)),
    ...others.flatMap((file) => manifestFindings(file, asked)),
    ...profileFindings(files, gates, profile, asked),
    ...effectFindings(files, spec, asked),
  ]);
}

function isReadable(file: ChangedFile): boolean {
  return languageOf(file.path) !== null && file.status !== "T" && !isOpaque(file);
}

/** The file exists, but is too large or not text. */
function isOpaque({ status, before, after }: ChangedFile): boolean {
  return (status !== "A" && before === null) || (status !== "D" && after === null);
}

/** A file may be protected for two reasons; it is reported once. */
function unique(findings: readonly TestFinding[]): TestFinding[] {
  const quieter = new Set(["gate_program", "ignored_file"]);
  return findings.filter(
    ({ rule, path }, index) =>
      !quieter.has(rule) || !findings.some((other, at) => at < index && other.path === path && other.rule === "protected_file"),
  );
}
