import type { DispatchedRole } from "../agents.ts";
import type { DispatchInput } from "../contract/input.ts";
import type { AgentOutput } from "../contract/output.ts";
import type { CommandRun } from "../states/leaving.ts";
import type { TestResults } from "../contract/artifacts.ts";
import type { CrewStatus } from "../session/status.ts";
import type { CrewMode, CrewState, GateState } from "../states/states.ts";

/** What a dispatch is about, besides what is read from the session and from git when it is sent. */
export interface DispatchOrder {
  readonly role: DispatchedRole;
  /** Number of the dispatch among those of its role. */
  readonly number: number;
  readonly state: CrewState;
  readonly mode: CrewMode;
  readonly taskId: string;
  readonly title: string;
  readonly goal: string;
  readonly nonGoals: readonly string[];
  readonly constraints: readonly string[];
  readonly acceptanceChecks: readonly string[];
  readonly riskFlags: readonly string[];
  readonly researchQuestion?: string;
  /** The failed step while the last result of CI is red. */
  readonly failedStep: string | null;
  readonly needsTests: boolean;
  /** Files whose whole text a review gets; for `meta` everything that changed in the session. */
  readonly reviewed: readonly string[];
  /** Facts of the harness for the agent, such as its own run of the tests. */
  readonly facts: readonly { readonly title: string; readonly text: string }[];
  readonly failedSteps: readonly string[];
  readonly taskType: string | null;
  readonly filesExpected: readonly string[] | null;
  readonly behaviourChanged: boolean;
  readonly isSecurityFix: boolean;
  /** The harness's own run of the tests before the dispatch. */
  readonly execution: TestResults | null;
}

/** The answer of an agent, judged by everything that needs no further run. */
export interface CrewAnswer {
  readonly output: AgentOutput;
  /** Its changes of the repository; the session's files are not among them. */
  readonly diff: string;
  /** Paths in the repository. */
  readonly changed: readonly string[];
  /** The session's files that it wrote, by name, without status.json and an edited tasks.yaml. Null for a removed file. */
  readonly texts: Readonly<Record<string, string | null>>;
  /** What counts of its edit of status.json; null if it has not changed the file. */
  readonly status: CrewStatus | null;
  /** The text of the plan after it; null if there is none. */
  readonly tasks: string | null;
  /** Edits that were discarded. */
  readonly violations: readonly string[];
}

/** What came of one attempt of a dispatch. */
export type Attempted =
  | {
      readonly kind: "answered";
      readonly input: DispatchInput;
      readonly answer: CrewAnswer;
      /** Digests of the texts that the agent got, by path. */
      readonly context: Readonly<Record<string, string>>;
    }
  | { readonly kind: "failed"; readonly input: DispatchInput; readonly error: string; readonly transient: boolean }
  /** A stored decision does not hold: nobody was asked. */
  | { readonly kind: "gate"; readonly gate: GateState }
  /** A check before the dispatch failed: nobody was asked. `wrong`: the harness itself made a wrong dispatch. */
  | { readonly kind: "prevented"; readonly problems: readonly [string, ...string[]]; readonly wrong: boolean };

/** The harness's run of commands. */
export interface CommandsRun {
  readonly commands: readonly CommandRun[];
  readonly tests: TestResults;
}
