export const CREW_TOOLS = ["read_file", "write_file", "apply_patch", "run_cmd", "search_repo"] as const;
export type CrewTool = (typeof CREW_TOOLS)[number];

/** One of the twelve roles: its two names, and the tools of its dispatches. */
export interface CrewAgent {
  /** In definition files and agents.yaml. */
  readonly file: string;
  readonly tools: readonly CrewTool[];
}

const ALL_TOOLS = CREW_TOOLS;
const ARTIFACT_TOOLS = ["read_file", "write_file", "apply_patch", "search_repo"] as const;
const REVIEW_TOOLS = ["read_file", "run_cmd", "search_repo"] as const;

/** By the name that dispatches and recommendations use. */
export const CREW_AGENTS = {
  SpecAgent: { file: "spec-agent", tools: ARTIFACT_TOOLS },
  Architect: { file: "architect", tools: ARTIFACT_TOOLS },
  Planner: { file: "planner", tools: ARTIFACT_TOOLS },
  Designer: { file: "designer", tools: ARTIFACT_TOOLS },
  Researcher: { file: "researcher", tools: ARTIFACT_TOOLS },
  Coder: { file: "coder", tools: ALL_TOOLS },
  Reviewer: { file: "reviewer", tools: REVIEW_TOOLS },
  QA: { file: "qa", tools: ALL_TOOLS },
  Security: { file: "security", tools: REVIEW_TOOLS },
  Integrator: { file: "integrator", tools: ALL_TOOLS },
  Docs: { file: "docs", tools: ARTIFACT_TOOLS },
  Orchestrator: { file: "orchestrator", tools: ["read_file", "write_file", "search_repo"] },
} as const satisfies Readonly<Record<string, CrewAgent>>;

export type CrewRole = keyof typeof CREW_AGENTS;
/** The roles that are dispatched. The orchestrator is code. */
export type DispatchedRole = Exclude<CrewRole, "Orchestrator">;

export const CREW_ROLES = Object.keys(CREW_AGENTS) as readonly CrewRole[];
