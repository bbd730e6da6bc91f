import { nameIn, nodeIn, type AstNode } from "./ast-nodes.ts";

function patternOf(parameter: AstNode): AstNode {
  const inner = parameter.type === "TSParameterProperty" ? nodeIn(parameter, "parameter") : null;
  return inner ?? parameter;
}

/** The name of a parameter; null if it is destructured. */
export function parameterName(parameter: AstNode): string | null {
  const pattern = patternOf(parameter);
  if (pattern.type === "AssignmentPattern") return nameIn(nodeIn(pattern, "left"));
  if (pattern.type === "RestElement") return nameIn(nodeIn(pattern, "argument"));
  return nameIn(pattern);
}

export function isRestParameter(parameter: AstNode): boolean {
  return patternOf(parameter).type === "RestElement";
}

export function isOptionalParameter(parameter: AstNode): boolean {
  const pattern = patternOf(parameter);
  return pattern["optional"] === true || pattern.type === "AssignmentPattern";
}

/** The type as it is written. A parameter with a default and no type has the type of its default, if that is a plain value. */
export function parameterType(parameter: AstNode): AstNode {
  const pattern = patternOf(parameter);
  const annotated = pattern.type === "AssignmentPattern" ? (nodeIn(pattern, "left") ?? pattern) : pattern;
  const annotation = nodeIn(annotated, "typeAnnotation");
  const written = annotation === null ? null : nodeIn(annotation, "typeAnnotation");
  if (written !== null) return written;
  const value = nodeIn(pattern, "right")?.["value"];
  const keyword = { number: "TSNumberKeyword", string: "TSStringKeyword", boolean: "TSBooleanKeyword" }[typeof value as string];
  return { type: keyword ?? "TSUnknownKeyword", start: pattern.start, end: pattern.end };
}
