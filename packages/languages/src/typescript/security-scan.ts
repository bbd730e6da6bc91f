import type { ParsedSource } from "../adapter.ts";
import type { SecurityFinding } from "../analysis/security.ts";
import { parseContract } from "../micro-contracts/parse.ts";
import { isNode, lineAt, nodeIn, nodesIn, visit, type AstNode, type SyntaxTree } from "./ast-nodes.ts";
import { functionSyntax, syntaxOf } from "./function-node.ts";
import { SECURITY_RULES, type ScanContext } from "./security/rules.ts";

/** Findings of the rules in one function, or in the whole file. */
export function scanSource(ast: ParsedSource, functionName?: string): readonly SecurityFinding[] {
  const tree = syntaxOf(ast);
  const root = functionName === undefined ? tree.program : functionSyntax(ast, functionName).node;
  const system = systemNames(tree);
  const purities = puritiesOf(ast);
  const findings: SecurityFinding[] = [];
  visit(root, (node, parents) => {
    const purity = purities.find(({ start, end }) => node.start >= start && node.end <= end)?.purity ?? null;
    const context: ScanContext = { tree, parents, system, purity };
    for (const { rule, severity, message, matches } of SECURITY_RULES) {
      if (!matches(node, context)) continue;
      findings.push({
        rule,
        severity: typeof severity === "string" ? severity : severity(context),
        line: lineAt(ast.text, node.start),
        message,
      });
    }
  });
  return findings.filter((one, at) => findings.findIndex(({ rule, line }) => rule === one.rule && line === one.line) === at);
}

/** The purity that each function states. */
function puritiesOf({ functions }: ParsedSource): { start: number; end: number; purity: ScanContext["purity"] }[] {
  return functions.map(({ body, doc }) => {
    const clause = doc === null ? undefined : parseContract(doc, 1, null).clauses.find(({ kind }) => kind === "PURITY");
    return { ...body, purity: clause?.kind === "PURITY" ? clause.purity : null };
  });
}

/** Names that the file imports from modules of the system, with the module. */
function systemNames({ program }: SyntaxTree): Map<string, string> {
  const names = new Map<string, string>();
  for (const statement of nodesIn(program, "body")) {
    const source = statement.type === "ImportDeclaration" && statement["importKind"] !== "type" ? nodeIn(statement, "source") : null;
    if (source === null) continue;
    const module = String(source["value"]).replace(/^node:/, "");
    for (const local of nodesIn(statement, "specifiers").map((one): unknown => one["local"]))
      if (isNode(local)) names.set(String((local as AstNode)["name"]), module);
  }
  return names;
}
