import { nodesIn, type SyntaxNode, textOf, textOrNull } from "../tree-sitter/grammars.ts";
import type { ScanTable } from "../tree-sitter/scan.ts";

/** Packages by the name they have in the file. */
function importedNames(root: SyntaxNode): Map<string, string> {
  const names = new Map<string, string>();
  for (const node of nodesIn(root)) {
    if (node.kind() !== "import_spec") continue;
    const path = textOf(node.field("path")).replaceAll(/["`]/g, "");
    names.set(textOrNull(node.field("name")) ?? path.replace(/^.*\//, ""), path);
  }
  return names;
}

export const GO_SCAN: ScanTable = {
  importedNames,
  rules: [
    { rule: "go-process", severity: "high", call: /^(?:os\/exec\.|os\.StartProcess$|exec\.Command)/, message: "starts a process" },
    {
      rule: "go-syscall",
      severity: "high",
      call: /^(?:syscall|golang\.org\/x\/sys\/unix)\./,
      message: "calls the operating system directly",
    },
    { rule: "go-unsafe", severity: "high", nodes: { kinds: ["import_spec"], text: /"unsafe"/ }, message: "unsafe memory access" },
    { rule: "go-cgo", severity: "high", nodes: { kinds: ["import_spec"], text: /"C"/ }, message: "calls code of another language" },
    { rule: "go-plugin", severity: "high", call: /^plugin\.Open$/, message: "loads code at run time" },
    {
      rule: "go-template",
      severity: "medium",
      call: /^html\/template\.(?:HTML|JS|URL)$/,
      message: "marks text as safe without checking it",
    },
    { rule: "go-network", severity: "medium", call: /^(?:net\/http|net)\./, message: "uses the network" },
    { rule: "go-weak-hash", severity: "low", call: /^crypto\/(?:md5|sha1)\./, message: "uses a broken hash function" },
    { rule: "go-exit", severity: "low", call: /^os\.Exit$/, message: "ends the process" },
  ],
};
