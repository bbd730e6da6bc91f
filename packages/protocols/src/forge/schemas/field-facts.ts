import { z } from "zod";

/** One field of a schema, for people. */
export interface FieldFacts {
  /** `findings[].title`: inside each entry of a list. */
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  /** Null: any value of the type. */
  readonly allowed: readonly unknown[] | null;
  /** Null: not a list. */
  readonly minEntries: number | null;
}

interface Node {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Node[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly items?: Node;
  readonly minItems?: number;
}

/** Every field below a schema, in its order, from the schema itself. */
export function fieldsOf(schema: z.ZodType): FieldFacts[] {
  return below("", z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Node);
}

function below(prefix: string, { properties = {}, required = [] }: Node): FieldFacts[] {
  return Object.entries(properties).flatMap(([name, field]) => described(`${prefix}${name}`, field, required.includes(name)));
}

function described(path: string, field: Node, required: boolean): FieldFacts[] {
  const { node, nullable } = withoutNull(field);
  const item = node.type === "array" ? withoutNull(node.items ?? {}).node : null;
  const shown = typeName(node);
  const facts = {
    path,
    type: nullable ? `${shown} or null` : shown,
    required,
    allowed: allowedBy(item ?? node),
    minEntries: item === null ? null : (node.minItems ?? 0),
  };
  return [facts, ...below(item === null ? `${path}.` : `${path}[].`, item ?? node)];
}

function withoutNull(node: Node): { node: Node; nullable: boolean } {
  const others = node.anyOf?.filter(({ type }) => type !== "null") ?? [];
  const [only] = others;
  return only !== undefined && others.length === 1 ? { node: only, nullable: true } : { node, nullable: false };
}

function allowedBy({ enum: values, const: only }: Node): readonly unknown[] | null {
  return values ?? (only === undefined ? null : [only]);
}

const TYPE_NAMES: Readonly<Record<string, string>> = { string: "text", integer: "whole number", boolean: "true or false", object: "map" };

function typeName(node: Node): string {
  if (node.type === "array") return `list of ${typeName(withoutNull(node.items ?? {}).node)}`;
  return TYPE_NAMES[node.type ?? ""] ?? "value";
}
