import type { Checklist } from "../checklists/qualify.ts";
import type { TestResults } from "./artifacts.ts";

/** What the harness knows about a dispatch and what came of it. An output is judged against it, never by its own word. */
export interface OutputFacts {
  readonly taskId: string;
  /** `type` of the task in tasks.yaml; null for `meta` and in lean mode. */
  readonly taskType: string | null;
  /** In tasks.yaml after the dispatch; null for `meta`. */
  readonly taskStatus: string | null;
  /** Of the task; null where the plan names none. */
  readonly filesExpected: readonly string[] | null;
  /** Listed context files of which the agent did not get the whole. */
  readonly unreadContext: readonly string[];
  readonly designSpecs: readonly string[];
  /** Files in whose changed lines the harness found a secret. */
  readonly secretsIn: readonly string[];
  /** Ids of acceptance.json. */
  readonly criteria: readonly string[];
  /** The harness's own run of QA's commands; null if none ran. */
  readonly execution: TestResults | null;
  /** Whether the change under test changes logic or behaviour. */
  readonly behaviourChanged: boolean;
  /** Test files among everything changed in the session. */
  readonly changedTests: readonly string[];
  /** Steps of build or CI that failed since the dispatch began. */
  readonly failedSteps: readonly string[];
  /** Of the role, qualified for the project; null for roles without one. */
  readonly checklist: Checklist | null;
  /** Path of the session's folder, with a slash at its end. */
  readonly sessionPath: string;
}
