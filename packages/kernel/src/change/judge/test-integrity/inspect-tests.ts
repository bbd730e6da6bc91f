import type { Policy } from "../../../config/policy.ts";
import type { GatesConfig } from "../../../config/gates.ts";
import { strictAreaMatcher } from "../../../paths/areas.ts";
import { askedFor } from "./spec-mentions.ts";
import { effectFindings, gateFileFindings, ignoredFindings, opaqueTestFindings, profileFindings, protectedFindings } from "./file-rules.ts";
import type { ChangedFile, Finding } from "./finding.ts";
import { languageOf } from "./lexing.ts";
import { doubleFindings, lineFindings, secretFindings } from "./line-rules.ts";
import { manifestFindings } from "./manifest.ts";
import { testFindings } from "./test-rules.ts";

export interface Scrutinised {
  readonly files: readonly ChangedFile[];
  /** New paths that git would not have added by itself. */
  readonly ignored: readonly string[];
  /** The person's own words: only they can ask for what is otherwise suspicious. */
  readonly spec: string;
  readonly policy: Policy;
  readonly gates: GatesConfig;
  readonly profile: string;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
}

/**
 * What somebody who approves this change has to be told: every way in which it may look done without being so that can be seen in
 * the change itself. It decides nothing, and nothing an agent says takes part.
 */
export function scrutinise({ files, ignored, spec, policy, gates, profile, redact }: Scrutinised): Finding[] {
  const asked = askedFor(spec);
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

/** There, but too large or no text. */
function isOpaque({ status, before, after }: ChangedFile): boolean {
  return (status !== "A" && before === null) || (status !== "D" && after === null);
}

/** A file may be protected for two reasons; it is told once. */
function unique(findings: readonly Finding[]): Finding[] {
  const quieter = new Set(["gate_program", "ignored_file"]);
  return findings.filter(
    ({ rule, path }, index) =>
      !quieter.has(rule) || !findings.some((other, at) => at < index && other.path === path && other.rule === "protected_file"),
  );
}
