import type { Policy } from "../../../config/policy.ts";
import type { GatesConfig } from "../../../config/gates.ts";
import { strictAreaMatcher } from "../../../paths/areas.ts";
import { specMentions } from "./spec-mentions.ts";
import { effectFindings, gateFileFindings, ignoredFindings, opaqueTestFindings, profileFindings, protectedFindings } from "./file-rules.ts";
import type { ChangedFile, TestFinding } from "./finding.ts";
import { languageOf } from "./test-language.ts";
import { doubleFindings, lineFindings, secretFindings } from "./line-rules.ts";
import { hiddenFindings, lookAlikeFindings } from "./reading-rules.ts";
import { manifestFindings } from "./manifest.ts";
import { testFindings } from "./test-rules.ts";

export interface InspectedChange {
  readonly files: readonly ChangedFile[];
  /** The same, also of large files, and of sources with bytes that are no text. */
  readonly whole: readonly ChangedFile[];
  /** New paths that git ignores. */
  readonly ignored: readonly string[];
  /** Every path of the tree that the change leaves. */
  readonly tree: readonly string[];
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
export function inspectTests({ files, whole, ignored, tree, spec, policy, gates, profile, redact }: InspectedChange): TestFinding[] {
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
    ...whole.flatMap((file) => hiddenFindings(file, asked)),
    ...lookAlikeFindings(files, tree, asked),
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

/** Rules that say less about a file than another rule that holds too. */
const LESS: Readonly<Record<string, readonly string[]>> = {
  gate_program: ["protected_file"],
  ignored_file: ["protected_file"],
  self_run_file: ["gate_program"],
};

/** A file may be protected for two reasons; it is reported once. */
function unique(findings: readonly TestFinding[]): TestFinding[] {
  return findings.filter(({ rule, path }) => !findings.some((other) => other.path === path && (LESS[rule] ?? []).includes(other.rule)));
}
