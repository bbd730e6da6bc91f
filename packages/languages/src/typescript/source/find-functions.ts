import type { Class, Expression, Node, ObjectExpression, Program, PropertyKey, Statement, TSType } from "oxc-parser";
import type { AnyFunction } from "./hole.ts";

/** A function that a file declares where a name leads to it. Functions inside bodies are part of these bodies. */
export interface FoundFunction {
  /** Unique in the file. */
  readonly name: string;
  readonly node: AnyFunction;
  /** The whole declaration, with `export`, `const` and modifiers. */
  readonly declaration: Node;
  readonly kind: "function" | "method" | "constructor" | "get" | "set";
  readonly owner: Class | null;
  readonly isInObject: boolean;
  readonly isExported: boolean;
  /** The type of the constant or field that holds it, if it is written. */
  readonly annotation: TSType | null;
  /** Overloads, which come before it. */
  readonly overloads: readonly Node[];
}

type Found = Omit<FoundFunction, "overloads">;

export function findFunctions({ body }: Program, text: string): FoundFunction[] {
  const exported = exportedNames(body);
  const overloads: Node[] = [];
  const names = new Map<string, number>();
  const found: FoundFunction[] = [];
  const push = (one: Found) => {
    const count = (names.get(one.name) ?? 0) + 1;
    names.set(one.name, count);
    found.push({ ...one, name: count === 1 ? one.name : `${one.name}~${count}`, overloads: overloads.splice(0) });
  };
  for (const statement of body) {
    const { declared, isExported } = unwrapExport(statement);
    if (declared === null) continue;
    if (declared.type === "TSDeclareFunction") {
      overloads.push(statement);
      continue;
    }
    for (const one of declaredFunctions(statement, declared, text)) {
      const [root = ""] = one.name.split(".");
      push({ ...one, isExported: (isExported || exported.has(root)) && one.isExported });
    }
    overloads.length = 0;
  }
  return found;
}

/** What a statement declares or exports; `default` has no name of its own. */
export function unwrapExport(statement: Statement | Program["body"][number]): { declared: Node | null; isExported: boolean } {
  if (statement.type === "ExportNamedDeclaration") return { declared: statement.declaration, isExported: true };
  if (statement.type === "ExportDefaultDeclaration") return { declared: statement.declaration, isExported: true };
  return { declared: statement, isExported: false };
}

function exportedNames(body: Program["body"]): Set<string> {
  const names = body.flatMap((statement) => {
    if (statement.type === "ExportDefaultDeclaration" && statement.declaration.type === "Identifier") return [statement.declaration.name];
    if (statement.type !== "ExportNamedDeclaration" || statement.source !== null) return [];
    return statement.specifiers.map(({ local }) => ("name" in local ? local.name : ""));
  });
  return new Set(names);
}

function declaredFunctions(declaration: Node, declared: Node, text: string): Found[] {
  if (declared.type === "FunctionDeclaration") return [named(declared.id?.name ?? "default", declared, declaration)];
  if (declared.type === "ClassDeclaration") return ofClass(declared.id?.name ?? "default", declared, text);
  if (declared.type !== "VariableDeclaration") return ofValue("default", declared as Expression, declaration, null, text);
  return declared.declarations.flatMap(({ id, init }, index) => {
    if (id.type !== "Identifier" || init === null) return [];
    const from = index === 0 ? declaration : declared.declarations[index];
    return ofValue(id.name, init, from ?? declaration, id.typeAnnotation?.typeAnnotation ?? null, text);
  });
}

function named(name: string, node: AnyFunction, declaration: Node, annotation: TSType | null = null): Found {
  return { name, node, declaration, kind: "function", owner: null, isInObject: false, isExported: true, annotation };
}

function ofValue(name: string, value: Expression, declaration: Node, annotation: TSType | null, text: string): Found[] {
  const plain = withoutTypes(value);
  if (isFunction(plain)) return [named(name, plain, declaration, annotation)];
  if (plain.type === "ClassExpression") return ofClass(name, plain, text);
  return plain.type === "ObjectExpression" ? ofObject(name, plain, text) : [];
}

function ofObject(name: string, { properties }: ObjectExpression, text: string): Found[] {
  return properties.flatMap((property): Found[] => {
    if (property.type !== "Property") return [];
    const own = `${name}.${keyText(property.key, text)}`;
    if (!property.method && property.kind === "init") {
      return ofValue(own, property.value, property, null, text);
    }
    if (!isFunction(property.value)) return [];
    const kind = property.kind === "init" ? "method" : property.kind;
    return [{ ...named(kind === "set" ? `${own}.set` : own, property.value, property), kind, isInObject: true }];
  });
}

function ofClass(name: string, owner: Class, text: string): Found[] {
  return owner.body.body.flatMap((member): Found[] => {
    if (member.type === "StaticBlock" || member.type === "TSIndexSignature" || member.value === null) return [];
    const plain = withoutTypes(member.value as Expression);
    if (!isFunction(plain) || plain.body === null) return [];
    const own = `${name}.${keyText(member.key, text)}`;
    const isOpen = member.key.type !== "PrivateIdentifier" && member.accessibility !== "private";
    const kind = "kind" in member ? member.kind : "function";
    const annotation = "typeAnnotation" in member ? (member.typeAnnotation?.typeAnnotation ?? null) : null;
    return [{ ...named(kind === "set" ? `${own}.set` : own, plain, member, annotation), kind, owner, isExported: isOpen }];
  });
}

/** `#` is left out: it separates a path from a name. */
export function keyText(key: PropertyKey, text: string): string {
  if (key.type === "PrivateIdentifier" || key.type === "Identifier") return key.name;
  return key.type === "Literal" ? text.slice(key.start, key.end) : `[${text.slice(key.start, key.end)}]`;
}

export function isFunction(node: Node): node is AnyFunction {
  return node.type === "FunctionDeclaration" || node.type === "FunctionExpression" || node.type === "ArrowFunctionExpression";
}

/** The expression below `as`, `satisfies`, `!` and `<T>`. */
export function withoutTypes(node: Expression): Expression {
  const isTyped = node.type === "TSAsExpression" || node.type === "TSSatisfiesExpression" || node.type === "TSNonNullExpression";
  return isTyped || node.type === "TSTypeAssertion" ? withoutTypes(node.expression) : node;
}
