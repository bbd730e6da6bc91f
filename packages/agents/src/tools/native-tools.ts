/** What an agent can do with its folder, whatever a provider calls it. */
export const NATIVE_TOOLS = ["read", "ls", "glob", "grep", "write", "edit", "delete", "run"] as const;
export type NativeTool = (typeof NATIVE_TOOLS)[number];

/**
 * The names that roles use, and what each one grants. A name that is not listed, such as `ask_questions`, grants nothing here: the
 * protocol or another server provides it. `read_file` includes a listing because one of the vocabularies has no name for it.
 */
const GRANTS: Readonly<Record<string, readonly NativeTool[]>> = {
  read: ["read"],
  ls: ["ls"],
  glob: ["glob"],
  grep: ["grep"],
  write: ["write", "delete"],
  edit: ["edit", "delete"],
  delete: ["delete"],
  run: ["run"],

  read_file: ["read", "ls"],
  list_dir: ["ls"],
  grep_search: ["grep"],
  semantic_search: ["grep"],
  list_code_usages: ["grep"],
  file_search: ["glob"],
  create_file: ["write"],
  replace_string_in_file: ["edit"],
  multi_replace_string_in_file: ["edit"],
  run_in_terminal: ["run"],
  get_terminal_output: ["run"],

  search_repo: ["glob", "grep", "ls"],
  write_file: ["write", "edit", "delete"],
  apply_patch: ["edit", "write", "delete"],
  run_cmd: ["run"],
};

/** What a role with these tools can do with its folder, in the order of NATIVE_TOOLS. */
export function nativeToolsOf(tools: readonly string[]): readonly NativeTool[] {
  const granted = new Set(tools.flatMap((name) => (Object.hasOwn(GRANTS, name) ? (GRANTS[name] ?? []) : [])));
  return NATIVE_TOOLS.filter((tool) => granted.has(tool));
}

/** Told to an agent that calls a tool which its role has not. */
export function hasNoTool(role: string, tool: string): string {
  return `the ${role} has no tool ${tool}; the call was not made`;
}

const CHANGING: ReadonlySet<NativeTool> = new Set<NativeTool>(["write", "edit", "delete", "run"]);

/** Whether any of them can change a file; a shell can. */
export function canChange(tools: readonly NativeTool[]): boolean {
  return tools.some((tool) => CHANGING.has(tool));
}
