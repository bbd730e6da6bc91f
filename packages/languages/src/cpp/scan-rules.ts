import type { ScanTable } from "../tree-sitter/scan.ts";

export const CPP_SCAN: ScanTable = {
  importedNames: () => new Map(),
  rules: [
    { rule: "cpp-shell", severity: "critical", call: /^(?:::|std::)?(?:system|popen)$/, message: "runs a shell command" },
    { rule: "cpp-process", severity: "high", call: /^(?:::)?(?:exec[lv]p?e?|fork|vfork|posix_spawnp?)$/, message: "starts a process" },
    {
      rule: "cpp-unbounded",
      severity: "high",
      call: /^(?:::|std::)?(?:gets|strcpy|strcat|sprintf|vsprintf|scanf|sscanf)$/,
      message: "writes without a limit",
    },
    { rule: "cpp-load", severity: "high", call: /^(?:::)?dlopen$/, message: "loads code at run time" },
    { rule: "cpp-assembly", severity: "high", nodes: { kinds: ["gnu_asm_expression", "asm_statement"] }, message: "assembly code" },
    {
      rule: "cpp-reinterpret",
      severity: "medium",
      nodes: { kinds: ["call_expression", "template_function"], text: /^reinterpret_cast\b/ },
      message: "reinterprets memory",
    },
    {
      rule: "cpp-format",
      severity: "medium",
      call: /^(?:std::)?(?:mktemp|tmpnam)$/,
      message: "makes a temporary file that others can replace",
    },
    { rule: "cpp-exit", severity: "low", call: /^(?:::|std::)?(?:_?[eE]xit|abort|quick_exit)$/, message: "ends the process" },
  ],
};
