import type { ParsedSource } from "../adapter.ts";
import type { SecurityFinding } from "../analysis/security.ts";
import type { Grammar } from "./grammar.ts";
import { lineOf, nodesIn, type SyntaxNode } from "./grammars.ts";
import { functionNamed, readSource } from "./source.ts";

/** Something in code that a person should see. */
export interface ScanRule {
  readonly rule: string;
  readonly severity: SecurityFinding["severity"];
  readonly message: string;
  /** Matches the callee of a call, with imported names in full. */
  readonly call?: RegExp;
  /** Matches the text of nodes of these kinds. */
  readonly nodes?: { readonly kinds: readonly string[]; readonly text?: RegExp };
}

export interface ScanTable {
  readonly rules: readonly ScanRule[];
  /** What a name stands for: `run` for `subprocess.run`. */
  importedNames(root: SyntaxNode): ReadonlyMap<string, string>;
}

export function scanSource(grammar: Grammar, table: ScanTable, ast: ParsedSource, name?: string): SecurityFinding[] {
  const { root } = readSource(grammar, ast);
  const scope = name === undefined ? root : functionNamed(grammar, ast, name).definition;
  const imported = table.importedNames(root);
  const findings: SecurityFinding[] = [];
  for (const node of nodesIn(scope)) {
    const callee = grammar.calleeOf(node)?.replaceAll(/\s+/g, "") ?? null;
    const found = table.rules.find(
      ({ call, nodes }) => (callee !== null && call?.test(inFull(callee, imported)) === true) || matches(node, nodes),
    );
    if (found === undefined) continue;
    findings.push({ rule: found.rule, severity: found.severity, line: lineOf(node), message: found.message });
  }
  return findings;
}

function matches(node: SyntaxNode, wanted: ScanRule["nodes"]): boolean {
  return wanted !== undefined && wanted.kinds.includes(node.kind()) && (wanted.text === undefined || wanted.text.test(node.text()));
}

function inFull(callee: string, imported: ReadonlyMap<string, string>): string {
  const [head = "", ...rest] = callee.split(/(?=\.|::)/);
  return [imported.get(head) ?? head, ...rest].join("");
}
