export const COMPLETION_STATUSES = ["DONE", "NEEDS_REVISION", "ERROR"] as const;
export type CompletionStatus = (typeof COMPLETION_STATUSES)[number];

/** One of the nine definitions: what the runtime enforces, and what `slipway export` writes. */
export interface ForgeAgent {
  /** As a person reads it. */
  readonly title: string;
  readonly steps: readonly string[];
  readonly inputs: readonly string[];
  /** Its own files in the run folder. It writes no others there. */
  readonly outputs: readonly string[];
  readonly statuses: readonly CompletionStatus[];
  readonly tools: readonly string[];
  /** Whether it may change files of the repository, within its task. */
  readonly changesSources: boolean;
}

const DONE_OR_ERROR = ["DONE", "ERROR"] as const;
const READING = ["read_file", "list_dir", "grep_search", "semantic_search", "file_search"] as const;
const AUTHORING = [...READING, "create_file", "replace_string_in_file"] as const;

export const FORGE_AGENTS = {
  orchestrator: {
    title: "Orchestrator",
    steps: ["0", "1", "1a", "2", "3", "3b", "4", "4a", "5", "6", "7", "8", "8b", "9"],
    inputs: ["initial-request.md", "every typed output"],
    outputs: [],
    statuses: DONE_OR_ERROR,
    tools: ["agent", "agent/runSubagent", "memory", "read_file", "list_dir", "run_in_terminal", "get_terminal_output", "ask_questions"],
    changesSources: false,
  },
  researcher: {
    title: "Researcher",
    steps: ["1"],
    inputs: ["initial-request.md", "the repository"],
    outputs: ["research/<focus>.yaml", "research/<focus>.md"],
    statuses: DONE_OR_ERROR,
    tools: READING,
    changesSources: false,
  },
  spec: {
    title: "Spec",
    steps: ["2"],
    inputs: ["initial-request.md", "research/*.yaml"],
    outputs: ["spec-output.yaml", "feature.md"],
    statuses: DONE_OR_ERROR,
    tools: [...AUTHORING, "ask_questions"],
    changesSources: false,
  },
  designer: {
    title: "Designer",
    steps: ["3"],
    inputs: ["initial-request.md", "spec-output.yaml", "research/*.yaml", "review-verdicts/design.yaml (in a revision)"],
    outputs: ["design-output.yaml", "design.md"],
    statuses: DONE_OR_ERROR,
    tools: AUTHORING,
    changesSources: false,
  },
  planner: {
    title: "Planner",
    steps: ["4"],
    inputs: ["design-output.yaml", "spec-output.yaml", "review-verdicts/design.yaml"],
    outputs: ["plan-output.yaml", "plan.md", "tasks/<task-id>.yaml"],
    statuses: COMPLETION_STATUSES,
    tools: AUTHORING,
    changesSources: false,
  },
  implementer: {
    title: "Implementer",
    steps: ["5"],
    inputs: ["tasks/<task-id>.yaml", "the sections of design-output.yaml and spec-output.yaml that the task names"],
    outputs: ["implementation-reports/<task-id>.yaml"],
    statuses: DONE_OR_ERROR,
    tools: [...AUTHORING, "multi_replace_string_in_file", "run_in_terminal", "get_terminal_output", "get_errors", "list_code_usages"],
    changesSources: true,
  },
  verifier: {
    title: "Verifier",
    steps: ["6"],
    inputs: ["implementation-reports/<task-id>.yaml", "the task's parts of plan-output.yaml and spec-output.yaml", "the ledger"],
    outputs: ["verification-reports/<task-id>.yaml"],
    statuses: COMPLETION_STATUSES,
    tools: [
      "read_file",
      "list_dir",
      "grep_search",
      "file_search",
      "run_in_terminal",
      "get_terminal_output",
      "get_errors",
      "ide-get_diagnostics",
    ],
    changesSources: false,
  },
  "adversarial-reviewer": {
    title: "Adversarial Reviewer",
    steps: ["3b", "7"],
    inputs: ["the artifacts under review", "verification evidence (code scope)"],
    outputs: ["review-findings/<scope>-<model>.md", "review-verdicts/<scope>.yaml"],
    statuses: DONE_OR_ERROR,
    tools: [...READING, "run_in_terminal", "create_file"],
    changesSources: false,
  },
  "knowledge-agent": {
    title: "Knowledge Agent",
    steps: ["8", "8b"],
    inputs: ["every typed output", "implementation and verification reports", "review verdicts", "telemetry", "the diff"],
    outputs: ["knowledge-output.yaml", "decisions.yaml", "evidence-bundle.md"],
    statuses: DONE_OR_ERROR,
    tools: [...AUTHORING, "memory"],
    changesSources: false,
  },
} as const satisfies Readonly<Record<string, ForgeAgent>>;

export type ForgeRole = keyof typeof FORGE_AGENTS;
/** The roles that a model plays. The orchestrator is code. */
export type PlayedForgeRole = Exclude<ForgeRole, "orchestrator">;
