import { nodesIn, type SyntaxNode, textOf } from "../tree-sitter/grammars.ts";
import type { ScanTable } from "../tree-sitter/scan.ts";

/** `import os as o` and `from subprocess import run as r`. */
function importedNames(root: SyntaxNode): Map<string, string> {
  const names = new Map<string, string>();
  for (const node of nodesIn(root)) {
    if (node.kind() !== "import_statement" && node.kind() !== "import_from_statement") continue;
    const from = node.field("module_name")?.text();
    for (const imported of node.fieldChildren("name")) {
      const isAlias = imported.kind() === "aliased_import";
      const original = textOf(isAlias ? imported.field("name") : imported);
      const local = isAlias ? (imported.field("alias")?.text() ?? original) : original;
      names.set(local, from === undefined ? original : `${from}.${original}`);
    }
  }
  return names;
}

export const PYTHON_SCAN: ScanTable = {
  importedNames,
  rules: [
    { rule: "python-eval", severity: "critical", call: /^(?:builtins\.)?(?:eval|exec|compile)$/, message: "runs text as code" },
    {
      rule: "python-shell",
      severity: "critical",
      call: /^(?:os\.(?:system|popen)|subprocess\.(?:getoutput|getstatusoutput)|commands\.)/,
      message: "runs a shell command",
    },
    {
      rule: "python-process",
      severity: "high",
      call: /^(?:subprocess\.|os\.(?:exec|spawn|fork|posix_spawn)|pty\.spawn|multiprocessing\.)/,
      message: "starts a process",
    },
    {
      rule: "python-unpickle",
      severity: "high",
      call: /^(?:c?[pP]ickle|marshal|shelve|dill)\.(?:loads?|open|Unpickler)$/,
      message: "reads data that can run code",
    },
    {
      rule: "python-yaml-load",
      severity: "high",
      call: /^yaml\.(?:unsafe_)?load$/,
      message: "reads YAML that can run code; use safe_load",
    },
    {
      rule: "python-dynamic-import",
      severity: "medium",
      call: /^(?:__import__|importlib\.import_module|ctypes\.\w+)$/,
      message: "loads code by name",
    },
    {
      rule: "python-network",
      severity: "medium",
      call: /^(?:socket\.|urllib\.request\.|requests\.|http\.client\.)/,
      message: "uses the network",
    },
    { rule: "python-weak-hash", severity: "low", call: /^hashlib\.(?:md5|sha1)$/, message: "uses a broken hash function" },
    {
      rule: "python-insecure-temp",
      severity: "medium",
      call: /^(?:tempfile\.mktemp|os\.tempnam)$/,
      message: "makes a temporary file that others can replace",
    },
  ],
};
