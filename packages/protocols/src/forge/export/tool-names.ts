import type { FORGE_AGENTS, ForgeRole } from "../agents.ts";
import type { ExportedToolNames } from "./export-file.ts";

type ForgeTool = (typeof FORGE_AGENTS)[ForgeRole]["tools"][number];
type Names = Readonly<Record<ForgeTool, readonly string[]>>;

/** VS Code ignores names it does not know, and a tool set such as `search` would grant more than the role has. */
const COPILOT: Names = {
  agent: ["agent"],
  "agent/runSubagent": ["agent/runSubagent"],
  memory: ["vscode/memory"],
  ask_questions: ["vscode/askQuestions"],
  read_file: ["read/readFile"],
  list_dir: ["search/listDirectory"],
  grep_search: ["search/textSearch"],
  semantic_search: ["search/codebase"],
  file_search: ["search/fileSearch"],
  list_code_usages: ["search/usages"],
  create_file: ["edit/createFile"],
  replace_string_in_file: ["edit/editFiles"],
  multi_replace_string_in_file: ["edit/editFiles"],
  run_in_terminal: ["execute/runInTerminal"],
  get_terminal_output: ["execute/getTerminalOutput"],
  get_errors: ["read/problems"],
  "ide-get_diagnostics": ["read/problems"],
};

/** `memory` and terminal output have no tool of their own there: Bash returns its output. */
const CLAUDE: Names = {
  agent: ["Agent"],
  "agent/runSubagent": ["Agent"],
  memory: [],
  ask_questions: ["AskUserQuestion"],
  read_file: ["Read"],
  list_dir: ["Glob"],
  grep_search: ["Grep"],
  semantic_search: ["Grep"],
  file_search: ["Glob"],
  list_code_usages: ["LSP"],
  create_file: ["Write"],
  replace_string_in_file: ["Edit"],
  multi_replace_string_in_file: ["Edit"],
  run_in_terminal: ["Bash"],
  get_terminal_output: ["Bash"],
  get_errors: ["LSP"],
  "ide-get_diagnostics": ["mcp__ide__getDiagnostics"],
};

export const FORGE_TOOL_NAMES: ExportedToolNames = { copilot: COPILOT, claude: CLAUDE };
