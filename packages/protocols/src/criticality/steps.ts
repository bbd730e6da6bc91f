import type { SourceProblem } from "@slipway/languages/adapter";
import type { ScannerReport } from "@slipway/languages/analysis/security";
import { stepKind } from "../narration/step-kind.ts";
import { narrates, type NarratedStep, type StepLine } from "../narration/step-text.ts";
import type { InjectionFailure } from "./escalation/failures.ts";
import type { FormalVerdict } from "./injection/formal-check.ts";
import type { Lattice } from "./lattice/lattice.ts";
import type { TelemetryEvent } from "./telemetry/events.ts";

/** What a checkpoint records: where the run is, in words. */
export interface CheckpointLine {
  readonly now: string;
  readonly at: string;
  readonly text: string | null;
  readonly good: boolean | null;
  /** What the transition adds to events.jsonl. */
  readonly events: readonly TelemetryEvent[];
}

/** The steps that a person reads about. */
export const CRITICALITY_STEPS = {
  checkpoint: stepKind("state:*").records<CheckpointLine>(),
  lattice: stepKind("lattice:*:*").records<{ readonly lattice: Lattice | null; readonly problems: readonly SourceProblem[] }>(),
  /** What a second run in the same repository keeps. */
  keep: stepKind("keep-plan:*").records<string>(),
  scanners: stepKind("scanners:*").records<ScannerReport>(),
  verify: stepKind("verify:*:*:*").records<InjectionFailure | null>(),
  formal: stepKind("formal:*:*:*").records<FormalVerdict>(),
} as const;

const FAILURE_TEXT: Readonly<Record<InjectionFailure["type"], string>> = {
  syntax: "does not parse",
  type: "does not compile",
  test: "fails its tests",
  timeout: "exceeds its time limit",
  semantic: "breaks its contract",
  complexity: "grows faster than its contract allows",
  security: "has a security finding",
  coherence: "conflicts with other functions",
};

export const CRITICALITY_NARRATION: readonly NarratedStep[] = [
  narrates(CRITICALITY_STEPS.checkpoint, { ends: ({ text, good }) => (text === null ? null : { text, good }) }),
  narrates(CRITICALITY_STEPS.lattice, {
    starts: "checking the skeleton",
    large: "skeleton checked",
    ends: ({ lattice, problems }) =>
      lattice === null
        ? { text: `the skeleton has ${problems.length === 1 ? "1 problem" : `${problems.length} problems`}`, good: false }
        : { text: `the skeleton compiles: ${lattice.functions.length} functions to write`, good: true },
  }),
  narrates(CRITICALITY_STEPS.keep, { ends: (text) => ({ text, good: null }) }),
  narrates(CRITICALITY_STEPS.scanners, { starts: "running security scanners", ends: scannersLine }),
  narrates(CRITICALITY_STEPS.verify, {
    starts: (id) => `checking ${shortName(id)}`,
    ends: (failure, id, _visit, attempt) => ({
      text: failure === null ? `${shortName(id)} accepted` : `${shortName(id)}: attempt ${attempt} ${FAILURE_TEXT[failure.type]}`,
      good: failure === null,
    }),
  }),
  narrates(CRITICALITY_STEPS.formal, {
    starts: (id) => `verifying ${shortName(id)}`,
    ends: ({ verdict, message }, id) => ({
      text: `${shortName(id)} ${VERDICT_TEXT[verdict]}${message === "" ? "" : `: ${message}`}`,
      good: verdict === "inconclusive" ? null : verdict === "pass",
    }),
  }),
];

const VERDICT_TEXT: Readonly<Record<FormalVerdict["verdict"], string>> = {
  pass: "passes formal verification",
  fail: "fails formal verification",
  inconclusive: "has no formal verdict",
};

/** Languages without scanners say nothing. */
function scannersLine({ findings, ran, missing, failed }: ScannerReport): StepLine | null {
  const notRun = [...missing, ...failed].map(({ tool }) => tool);
  const parts = [
    ...(ran.length === 0 ? [] : [`${ran.join(", ")}: ${findings.length} ${findings.length === 1 ? "finding" : "findings"}`]),
    ...(notRun.length === 0 ? [] : [`not run: ${notRun.join(", ")} (see slipway criticality status)`]),
  ];
  return parts.length === 0 ? null : { text: `security scanners, ${parts.join("; ")}`, good: findings.length === 0 ? null : false };
}

/** `src/domain/account.ts#deposit` as `account.deposit`. */
export function shortName(id: string): string {
  return id
    .split("+")
    .map((one) => one.replace(/^.*\/([^/]+)\.[^./#]+#/, "$1."))
    .join(" + ");
}
