import { describe, expect, test } from "vitest";
import { canChange, nativeToolsOf } from "./native-tools.ts";

describe("the tools of a role", () => {
  test.each([
    ["nothing", [], []],
    ["our own reading tools", ["read", "ls", "glob", "grep"], ["read", "ls", "glob", "grep"]],
    ["our own changing tools, which also delete", ["write", "edit"], ["write", "edit", "delete"]],
    [
      "an implementer's",
      ["read_file", "create_file", "multi_replace_string_in_file", "run_in_terminal"],
      ["read", "ls", "write", "edit", "run"],
    ],
    ["a researcher's", ["read_file", "list_dir", "grep_search", "semantic_search", "file_search"], ["read", "ls", "glob", "grep"]],
    ["a reviewer's", ["read_file", "run_cmd", "search_repo"], ["read", "ls", "glob", "grep", "run"]],
    ["a writer's", ["write_file"], ["write", "edit", "delete"]],
    ["a patcher's", ["apply_patch"], ["write", "edit", "delete"]],
    ["those that others provide", ["memory", "ask_questions", "agent/runSubagent", "get_errors", "ide-get_diagnostics", "web_search"], []],
    ["names of JavaScript", ["constructor", "__proto__", "toString"], []],
  ])("%s", (_, tools, native) => expect(nativeToolsOf(tools)).toEqual(native));

  test("change files by writing, editing, deleting or a shell", () => {
    expect((["write", "edit", "delete", "run"] as const).map((tool) => canChange([tool]))).toEqual([true, true, true, true]);
    expect(canChange(["read", "ls", "glob", "grep"])).toBe(false);
  });
});
