import type { ParsedSource } from "../../adapter.ts";
import { findFunctions, type FoundFunction } from "./find-functions.ts";
import { syntaxOf } from "./program.ts";

/** What stands around a body in the smallest text that parses like the file: `async function* f() ` and nothing behind. */
export interface BodyFrame {
  readonly before: string;
  readonly after: string;
  readonly isDerivedConstructor: boolean;
}

const frames = new WeakMap<ParsedSource, ReadonlyMap<string, BodyFrame>>();

/** Frames of all functions of a file, by name. */
export function framesOf(source: ParsedSource): ReadonlyMap<string, BodyFrame> {
  const tree = frames.has(source) ? null : syntaxOf(source);
  const known =
    frames.get(source) ?? new Map(tree === null ? [] : findFunctions(tree.program, tree.text).map((found) => [found.name, frameOf(found)]));
  frames.set(source, known);
  return known;
}

/** A changed body changes no frame. */
export function rememberFrames(source: ParsedSource, known: ReadonlyMap<string, BodyFrame>): void {
  frames.set(source, known);
}

function frameOf({ node, owner, isInObject, kind }: FoundFunction): BodyFrame {
  const [async, star] = [node.async ? "async " : "", node.generator ? "*" : ""];
  const isDerivedConstructor = kind === "constructor" && owner !== null && owner.superClass !== null;
  if (node.type === "ArrowFunctionExpression") return { before: `(${async}() => `, after: ");", isDerivedConstructor };
  if (kind === "function") return { before: `(${async}function${star} () `, after: ");", isDerivedConstructor };
  const member = `${async}${star}m() `;
  if (isInObject) return { before: `({ ${member}`, after: " });", isDerivedConstructor };
  return { before: `class C extends B { ${kind === "constructor" ? "constructor() " : member}`, after: " }", isDerivedConstructor };
}
