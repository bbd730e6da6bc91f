import { nodesIn, type SyntaxNode, childrenOf, textOf } from "../tree-sitter/grammars.ts";
import type { ScanTable } from "../tree-sitter/scan.ts";

/** `use std::process::Command;`, also in lists and with `as`. */
function importedNames(root: SyntaxNode): Map<string, string> {
  const names = new Map<string, string>();
  const add = (node: SyntaxNode, prefix: string) => {
    if (node.kind() === "scoped_use_list") {
      const path = `${prefix}${textOf(node.field("path"))}::`;
      for (const child of childrenOf(node.field("list"))) add(child, path);
    } else if (node.kind() === "use_as_clause") {
      names.set(textOf(node.field("alias")), `${prefix}${textOf(node.field("path"))}`);
    } else if (node.isNamed()) {
      const path = `${prefix}${node.text()}`;
      names.set(path.replace(/^.*::/, ""), path);
    }
  };
  for (const node of nodesIn(root)) if (node.kind() === "use_declaration") for (const child of node.children()) add(child, "");
  return names;
}

export const RUST_SCAN: ScanTable = {
  importedNames,
  rules: [
    { rule: "rust-process", severity: "high", call: /^(?:std::)?process::Command::|^Command::new$/, message: "starts a process" },
    { rule: "rust-transmute", severity: "high", call: /\btransmute(?:_copy)?(?:::<.*>)?$/, message: "reinterprets memory" },
    { rule: "rust-unsafe", severity: "high", nodes: { kinds: ["unsafe_block"] }, message: "unsafe code that the compiler does not check" },
    {
      rule: "rust-unsafe-fn",
      severity: "medium",
      nodes: { kinds: ["function_modifiers"], text: /\bunsafe\b/ },
      message: "an unsafe function",
    },
    {
      rule: "rust-foreign",
      severity: "high",
      nodes: { kinds: ["foreign_mod_item", "extern_modifier"] },
      message: "calls code of another language",
    },
    { rule: "rust-include", severity: "medium", call: /^include(?:_str|_bytes)?!$/, message: "reads a file while compiling" },
    {
      rule: "rust-network",
      severity: "medium",
      call: /^(?:std::)?net::|^(?:TcpStream|TcpListener|UdpSocket)::/,
      message: "uses the network",
    },
    { rule: "rust-exit", severity: "low", call: /^(?:std::)?process::(?:exit|abort)$/, message: "ends the process" },
  ],
};
