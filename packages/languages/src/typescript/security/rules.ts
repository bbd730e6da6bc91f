import type { PURITIES } from "../../micro-contracts/contract.ts";
import type { SecurityFinding } from "../../analysis/security.ts";
import { nameIn, nodeIn, nodesIn, type AstNode, type SyntaxTree } from "../ast-nodes.ts";
import { builtText, calledName, isReference, memberPath, moduleOf } from "./matchers.ts";
import { hasNestedQuantifiers } from "./quantifiers.ts";

export interface ScanContext {
  readonly tree: SyntaxTree;
  readonly parents: readonly AstNode[];
  /** Names imported from modules, with the module. */
  readonly system: ReadonlyMap<string, string>;
  /** As the contract of the function states it. */
  readonly purity: (typeof PURITIES)[number] | null;
}

type Severity = SecurityFinding["severity"];

export interface SecurityRule {
  readonly rule: string;
  readonly severity: Severity | ((context: ScanContext) => Severity);
  readonly message: string;
  readonly matches: (node: AstNode, context: ScanContext) => boolean;
}

const FILES_AND_NETWORK = new Set("fs fs/promises net http https http2 tls dgram dns".split(" "));
const PROCESSES = new Set("child_process worker_threads cluster vm inspector v8 module".split(" "));
const SHELL_CALLS = new Set(["exec", "execSync", "spawn", "spawnSync", "execFile", "execFileSync"]);
const CLOCKS = new Set(["Math.random", "Date.now", "performance.now", "crypto.randomUUID", "crypto.getRandomValues"]);
const SQL = /\b(?:select\s[\s\S]*\sfrom|insert\s+into|update\s[\s\S]*\sset|delete\s+from|drop\s+table)\b/i;

/** A function that states `PURITY: io` may use files and the network; a person still sees it. */
const unlessInputOutput = ({ purity }: ScanContext): Severity => (purity === "io" ? "medium" : "high");

export const SECURITY_RULES: readonly SecurityRule[] = [
  {
    rule: "eval",
    severity: "critical",
    message: "eval runs a text as code.",
    matches: (node) => node.type === "CallExpression" && ["eval", "globalThis.eval", "global.eval"].includes(calledName(node)),
  },
  {
    rule: "function-constructor",
    severity: "critical",
    message: "The Function constructor runs a text as code.",
    matches: (node) =>
      (node.type === "NewExpression" || node.type === "CallExpression") &&
      /^(?:globalThis\.)?Function$|\.constructor\.constructor$/.test(calledName(node)),
  },
  {
    rule: "dynamic-import",
    severity: "high",
    message: "A module is chosen at run time.",
    matches: (node) => node.type === "ImportExpression" || (node.type === "CallExpression" && calledName(node) === "require"),
  },
  {
    rule: "process-module",
    severity: "high",
    message: "Code starts processes, threads or other code.",
    matches: (node, context) => PROCESSES.has(moduleOf(node, context.system) ?? "") && isReference(node, context.parents),
  },
  {
    rule: "file-or-network-module",
    severity: unlessInputOutput,
    message: "Code reads or writes files or the network.",
    matches: (node, context) => FILES_AND_NETWORK.has(moduleOf(node, context.system) ?? "") && isReference(node, context.parents),
  },
  {
    rule: "network-call",
    severity: unlessInputOutput,
    message: "Code uses the network.",
    matches: (node) =>
      (node.type === "CallExpression" && calledName(node) === "fetch") ||
      (node.type === "NewExpression" && calledName(node) === "WebSocket"),
  },
  {
    rule: "process-access",
    severity: unlessInputOutput,
    message: "Code reaches the process or the global object.",
    matches: (node, { parents }) =>
      node.type === "Identifier" && ["process", "globalThis", "global"].includes(nameIn(node) ?? "") && isReference(node, parents),
  },
  {
    rule: "impure-in-pure",
    severity: "medium",
    message: "A function that states PURITY: pure uses a clock, randomness or the console.",
    matches: (node, { purity }) =>
      purity === "pure" &&
      ((node.type === "CallExpression" && (CLOCKS.has(calledName(node)) || calledName(node).startsWith("console."))) ||
        (node.type === "NewExpression" && calledName(node) === "Date" && nodesIn(node, "arguments").length === 0)),
  },
  {
    rule: "prototype-write",
    severity: "high",
    message: "Code changes a prototype.",
    matches: writesPrototype,
  },
  {
    rule: "nested-quantifiers",
    severity: "medium",
    message: "A regular expression with nested quantifiers can take exponential time.",
    matches: (node) => {
      const pattern = node.type === "Literal" ? (node["regex"] as { pattern?: string } | undefined)?.pattern : patternText(node);
      return pattern !== undefined && hasNestedQuantifiers(pattern);
    },
  },
  {
    rule: "built-sql",
    severity: "high",
    message: "A value is put into the text of an SQL statement; use a parameter.",
    matches: (node, { tree }) => SQL.test(builtText(node, tree) ?? ""),
  },
  {
    rule: "built-shell-command",
    severity: "critical",
    message: "A value is put into the text of a command.",
    matches: (node, { tree }) => {
      const name = calledName(node).split(".").at(-1) ?? "";
      return (
        node.type === "CallExpression" && SHELL_CALLS.has(name) && nodesIn(node, "arguments").some((one) => builtText(one, tree) !== null)
      );
    },
  },
];

function patternText(node: AstNode): string | undefined {
  const isRegExp = (node.type === "NewExpression" || node.type === "CallExpression") && calledName(node) === "RegExp";
  const [pattern] = isRegExp ? nodesIn(node, "arguments") : [];
  return pattern?.type === "Literal" && typeof pattern["value"] === "string" ? pattern["value"] : undefined;
}

const CHANGES_PROTOTYPE = new Set(["Object.setPrototypeOf", "Reflect.setPrototypeOf"]);
const DEFINES = new Set(["Object.defineProperty", "Object.defineProperties", "Object.assign", "Reflect.defineProperty", "Reflect.set"]);

function writesPrototype(node: AstNode): boolean {
  if (node.type === "AssignmentExpression")
    return /(?:^|\.)(?:prototype\.|prototype$|__proto__(?:\.|$))/.test(memberPath(nodeIn(node, "left")));
  if (node.type !== "CallExpression") return false;
  const [first] = nodesIn(node, "arguments");
  return (
    CHANGES_PROTOTYPE.has(calledName(node)) ||
    (DEFINES.has(calledName(node)) && /\.(?:prototype|__proto__)$/.test(memberPath(first ?? null)))
  );
}
