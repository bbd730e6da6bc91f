import { CannotGenerate, returnTypeOf, type ArbitraryWriter, type TypeBounds, type TypeUse } from "./arbitraries.ts";
import { nameIn, nodeIn, type AstNode } from "./ast-nodes.ts";

/** Members of an interface or a type literal. An optional member is sometimes left out, and always if it would never end. */
export function objectArbitrary(writer: ArbitraryWriter, members: readonly AstNode[], type: TypeUse, bounds: TypeBounds): string {
  const fields: string[] = [];
  const required: string[] = [];
  let others: string | null = null;
  for (const member of members) {
    if (member.type === "TSIndexSignature") {
      others = `fc.dictionary($texts({ minLength: 1, maxLength: 8 }), ${writer.write({ ...type, node: annotationOf(member) })}, { maxKeys: 4, noNullPrototype: true })`;
      continue;
    }
    const key = keyOf(member);
    const text = fieldText(writer, member, type, bounds.members?.(key) ?? {});
    if (text === null) continue;
    fields.push(`${/^[A-Za-z_]\w*$/.test(key) && key !== "__proto__" ? key : JSON.stringify(key)}: ${text}`);
    if (member["optional"] !== true) required.push(JSON.stringify(key));
  }
  const options = required.length === fields.length ? "" : `, { requiredKeys: [${required.join(", ")}] as never }`;
  const record = fields.length === 0 ? "fc.constant({})" : `fc.record({ ${fields.join(", ")} }${options})`;
  return others === null ? record : `fc.tuple(${others}, ${record}).map((parts) => Object.assign({}, ...parts))`;
}

function fieldText(writer: ArbitraryWriter, member: AstNode, type: TypeUse, bounds: TypeBounds): string | null {
  try {
    if (member.type === "TSMethodSignature") return `fc.func(${writer.write({ ...type, node: returnTypeOf(member) })})`;
    return writer.write({ ...type, node: annotationOf(member) }, bounds);
  } catch (error) {
    if (error instanceof CannotGenerate && error.isRecursion && member["optional"] === true) return null;
    throw error;
  }
}

function keyOf(member: AstNode): string {
  const key = nodeIn(member, "key");
  const isPlain = member.type === "TSPropertySignature" || member.type === "TSMethodSignature";
  const name = key?.type === "Literal" ? String(key["value"]) : nameIn(key);
  if (!isPlain || name === null || (member["computed"] === true && key?.type !== "Literal"))
    throw new CannotGenerate("an object with a computed member, a call or a construct signature cannot be generated");
  return name;
}

function annotationOf(member: AstNode): AstNode {
  const annotation = nodeIn(member, "typeAnnotation");
  return (annotation === null ? null : nodeIn(annotation, "typeAnnotation")) ?? { ...member, type: "TSUnknownKeyword" };
}
