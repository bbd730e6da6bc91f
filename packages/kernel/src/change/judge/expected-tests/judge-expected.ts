import { toFailure, type Failure } from "@slipway/durable/errors";
import { SlipwayError } from "../../../schema/errors.ts";
import { GATES_FILE } from "../../../config/gates.ts";
import { readObjects } from "../../../host/git/fast-path/git-queries.ts";
import type { FeatureDependencies } from "../../feature/dependencies.ts";
import type { Feature } from "../../feature/store.ts";
import { testsReport } from "../gates/judge.ts";
import type { PlannedGate } from "../gates/precedence.ts";
import type { GateResult } from "../gates/run.ts";
import { expectedTestsOf, NOT_RUN, type ExpectedTests, type TestWaiver } from "./expect-tests.ts";
import { missingTests, type MissingTests } from "./missing-tests.ts";

/** What a gate says about the expected tests of its feature; for its evidence. */
export interface ExpectedResult {
  readonly declared: number;
  readonly missing: number;
  readonly waived_by: string | null;
}

export interface ExpectedJudgement {
  /** Null if no tests are expected, or another mode decides about them. */
  readonly result: ExpectedResult | null;
  readonly failure: Failure | null;
}

export const NOTHING_EXPECTED: ExpectedJudgement = { result: null, failure: null };

/**
 * Compares the report of a passed gate with the tests that its feature has to run. Only the mode that decides about the merge is judged,
 * because a fast gate may leave tests out. A gate without a report has run none of them.
 */
export async function judgeExpectedTests(
  { db, configuration: { policy }, repository, redactor }: FeatureDependencies,
  { id, tree, gate_profile }: Feature,
  gate: PlannedGate,
  { ran, skips }: Pick<GateResult, "ran" | "skips">,
): Promise<ExpectedJudgement> {
  if (gate.mode !== policy.required_merge_mode || gate.profile !== gate_profile) return NOTHING_EXPECTED;
  const known = await expectedTestsOf(db, id);
  if (known === null) return NOTHING_EXPECTED;
  const paths = known.expected.files.map(({ path }) => path);
  const objects = await readObjects(
    repository,
    paths.map((path) => `${tree}:${path}`),
  );
  const texts = new Map(paths.map((path, index) => [path, objects[index]?.bytes.toString("utf8") ?? ""]));
  // Names in reports are redacted, so the titles must be redacted too.
  const expected = redactor.value(known.expected);
  const missing = missingTests(expected, ran === null ? null : { ran, skips }, (path) => texts.get(path) ?? "");
  const declared = expected.files.flatMap(({ titles }) => titles).length;
  const result = { declared, missing: missing.flatMap(({ titles }) => titles).length, waived_by: known.waived?.by ?? null };
  return { result, failure: known.waived === null ? failureOf(missing, declared, expected, gate, ran === null) : null };
}

const SHOWN_FILES = 10;

function failureOf(
  missing: readonly MissingTests[],
  declared: number,
  { command }: ExpectedTests,
  gate: PlannedGate,
  noReport: boolean,
): Failure | null {
  if (missing.length === 0) return null;
  const count = missing.flatMap(({ titles }) => titles).length;
  const shown = missing.slice(0, SHOWN_FILES).map(({ path, titles, of }) => `${path} (${titles.length} of ${of})`);
  const more = missing.length > SHOWN_FILES ? ` and ${missing.length - SHOWN_FILES} more files` : "";
  const why = noReport ? ` It writes no test report, so nothing shows that they ran.` : "";
  return toFailure(
    new SlipwayError(
      NOT_RUN,
      `The ${gate.mode} gate passed, but did not run ${count} of the ${declared} tests of this change.${why} Not run: ${shown.join(", ")}${more}.`,
      {
        mode: gate.mode,
        missing: missing.slice(0, 50).map(({ path, titles }) => ({ path, titles: titles.slice(0, 50) })),
        suggested_next_actions: repairs(command, gate),
      },
    ),
  );
}

const REPORT = "reports/junit.xml";

/** How to make the gate run the tests and report them. */
function repairs(command: readonly string[], gate: PlannedGate): string[] {
  const { mode } = gate;
  const known = testsReport(gate);
  const path = known?.path ?? REPORT;
  const cmd = JSON.stringify(command.map((part) => part.replaceAll("{report}", path.replace("*", "program"))));
  const step = `{ name: program-tests, cmd: ${cmd} }`;
  const commit = "Commit it on the base branch, then answer retry.";
  if (known === null)
    return [
      `Add the step ${step} to ${mode} in ${GATES_FILE}, and parsers: { tests: { type: junit_xml, path: ${REPORT}, modes: [${mode}] } }. ${commit}`,
    ];
  if (path.includes("*")) return [`Add the step ${step} to ${mode} in ${GATES_FILE}. ${commit}`];
  return [
    `Let the step of ${mode} in ${GATES_FILE} that writes ${path} also run these files; this command runs them alone: ${cmd}. ${commit}`,
    `Or add another step with a report of its own: parsers.tests.path may have a * in the file name.`,
  ];
}

/** For the person who approves a change that a person let pass without its tests. */
export function waiverFlag({ by, comment }: TestWaiver): string {
  return `its own tests did not run in the gates; ${by} decided to merge without them${comment === null ? "" : `: ${comment}`}`;
}
