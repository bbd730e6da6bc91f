import type { CrewTool } from "../agents.ts";
import type { ExportedToolNames } from "../../forge/export/export-file.ts";

type Names = Readonly<Record<CrewTool | LeaderTool, readonly string[]>>;

/** What the orchestrator needs where it is a model: in a run of Slipway it is code. */
export const LEADER_TOOLS = ["agent", "ask_questions"] as const;
type LeaderTool = (typeof LEADER_TOOLS)[number];

const COPILOT: Names = {
  read_file: ["read"],
  write_file: ["edit"],
  apply_patch: ["edit"],
  run_cmd: ["execute"],
  search_repo: ["search"],
  agent: ["agent"],
  ask_questions: ["vscode/askQuestions"],
};

const CLAUDE: Names = {
  read_file: ["Read"],
  write_file: ["Write"],
  apply_patch: ["Edit"],
  run_cmd: ["Bash"],
  search_repo: ["Glob", "Grep"],
  agent: ["Agent"],
  ask_questions: ["AskUserQuestion"],
};

export const CREW_TOOL_NAMES: ExportedToolNames = { copilot: COPILOT, claude: CLAUDE };
