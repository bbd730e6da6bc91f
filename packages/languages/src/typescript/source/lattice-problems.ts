import { posix } from "node:path";
import type { AccessorProperty, Class, Expression, Node, Program, PropertyDefinition, Span, VariableDeclaration } from "oxc-parser";
import type { ParsedSource, SourceProblem } from "../../adapter.ts";
import { findFunctions, unwrapExport, type FoundFunction } from "./find-functions.ts";
import { inertProblems, isEmptyCollection } from "./inert-values.ts";
import { isHoleBody } from "./hole.ts";
import { positionAt, syntaxOf, walkNodes } from "./program.ts";

/** Something that a skeleton may not hold, and where. */
export interface LatticeFault {
  readonly at: Span;
  readonly message: string;
}

type TopLevel = Program["body"][number];

/** Generated witnesses hold validation. */
const WITNESSES = "src/witnesses/";

/** What keeps a file from being a skeleton: logic in a body, and statements that do something when the file is loaded. */
export function latticeProblems(path: string, source: ParsedSource): SourceProblem[] {
  if (path.startsWith(WITNESSES)) return [];
  const { program, text, comments } = syntaxOf(source);
  const functions = findFunctions(program, text);
  const known = new Set<Node>(functions.map(({ node }) => node));
  const hidden = comments.filter(({ value }) => /@ts-(?:ignore|nocheck|expect-error)/.test(value));
  const faults: LatticeFault[] = [
    ...functions.flatMap(functionFaults),
    ...program.body.flatMap((statement) => statementFaults(path, statement, known)),
    ...hidden.map((at) => ({ at, message: "A comment hides errors from the compiler." })),
  ];
  return faults
    .toSorted((a, b) => a.at.start - b.at.start)
    .map(({ at, message }) => ({ file: path, ...positionAt(text, at.start), message }));
}

function functionFaults({ name, node, declaration, kind, owner, annotation }: FoundFunction): LatticeFault[] {
  const faults: LatticeFault[] = [];
  const isDerivedConstructor = kind === "constructor" && owner?.superClass !== null;
  if (!isHoleBody(node.body, isDerivedConstructor)) {
    faults.push({ at: node.body ?? node, message: `The body of ${name} holds something besides the hole marker.` });
  }
  const needsType = kind !== "constructor" && kind !== "set" && annotation === null;
  if (needsType && !node.returnType) faults.push({ at: declaration, message: `${name} has no explicit return type.` });
  for (const parameter of node.params) {
    if (parameter.type === "TSParameterProperty") faults.push({ at: parameter, message: `${name} declares a field in its parameters.` });
    for (const value of defaultsIn(parameter)) faults.push(...inertProblems(value, new Set()));
  }
  return faults;
}

/** Default values of a parameter, also inside its pattern. */
function defaultsIn(parameter: Node): Expression[] {
  const found: Expression[] = parameter.type === "AssignmentPattern" ? [parameter.right] : [];
  walkNodes(parameter, (node) => void (node.type === "AssignmentPattern" && found.push(node.right)));
  return found;
}

/** Kinds of statements that are erased, with their types. */
const TYPES_ONLY = new Set(["TSInterfaceDeclaration", "TSTypeAliasDeclaration", "EmptyStatement"]);

function statementFaults(path: string, statement: TopLevel, known: ReadonlySet<Node>): LatticeFault[] {
  if ("source" in statement && statement.source !== null) {
    const isType =
      ("importKind" in statement && statement.importKind === "type") || ("exportKind" in statement && statement.exportKind === "type");
    return importFaults(path, String(statement.source.value), isType, statement);
  }
  const { declared } = unwrapExport(statement);
  if (declared === null || TYPES_ONLY.has(declared.type) || known.has(declared)) return [];
  if (declared.type === "ClassDeclaration") return classFaults(declared, known);
  if (declared.type === "VariableDeclaration") return variableFaults(declared, known);
  if (declared.type === "TSDeclareFunction") return declared.declare === true ? [{ at: statement, message: DECLARED }] : [];
  if (statement.type === "ExportDefaultDeclaration") return inertProblems(declared as Parameters<typeof inertProblems>[0], known);
  return [{ at: statement, message: FORBIDDEN[declared.type] ?? "A statement at the top level does something when the file is loaded." }];
}

const DECLARED = "A declaration without a value does not exist at run time.";
const FORBIDDEN: Readonly<Record<string, string>> = {
  TSEnumDeclaration: "An enum is code at run time: use a union of literals.",
  TSModuleDeclaration: "Namespaces and global types are not part of a skeleton: use files.",
  TSImportEqualsDeclaration: "Use import … from.",
  TSExportAssignment: "Use export.",
};

/** Only files of the tree; types may also come from Node. */
function importFaults(path: string, specifier: string, isType: boolean, at: Span): LatticeFault[] {
  if (isType && specifier.startsWith("node:")) return [];
  if (!/^\.\.?\//.test(specifier))
    return [{ at, message: `${JSON.stringify(specifier)} is imported: a skeleton imports relative paths only.` }];
  const target = posix.join(posix.dirname(path), specifier);
  return target.startsWith("../") ? [{ at, message: `${JSON.stringify(specifier)} is outside the tree.` }] : [];
}

function classFaults(node: Class, known: ReadonlySet<Node>): LatticeFault[] {
  const faults: LatticeFault[] = [];
  if (node.declare === true) faults.push({ at: node, message: DECLARED });
  const { superClass } = node;
  if (superClass !== null && !/^(?:Identifier|MemberExpression)$/.test(superClass.type))
    faults.push({ at: superClass, message: "The class extends a computed value." });
  for (const decorator of node.decorators) faults.push({ at: decorator, message: "A decorator runs when the file is loaded." });
  for (const member of node.body.body) {
    if (member.type === "StaticBlock") faults.push({ at: member, message: "A static block runs when the file is loaded." });
    if (member.type === "StaticBlock" || member.type === "TSIndexSignature") continue;
    for (const decorator of member.decorators) faults.push({ at: decorator, message: "A decorator runs when the file is loaded." });
    if (member.computed && member.key.type !== "Literal" && !isWellKnownSymbol(member.key))
      faults.push({ at: member.key, message: "The name of a member is computed." });
    if (member.type === "PropertyDefinition" || member.type === "AccessorProperty")
      faults.push(...(member.value === null || isOwnCollection(member) ? [] : inertProblems(member.value, known)));
  }
  return faults;
}

/** `#items = new Map()`, which runs for each object. */
function isOwnCollection({ value, static: isStatic }: PropertyDefinition | AccessorProperty): boolean {
  return value !== null && !isStatic && isEmptyCollection(value);
}

function isWellKnownSymbol(key: Node): boolean {
  return key.type === "MemberExpression" && !key.computed && key.object.type === "Identifier" && key.object.name === "Symbol";
}

function variableFaults(node: VariableDeclaration, known: ReadonlySet<Node>): LatticeFault[] {
  if (node.kind !== "const") return [{ at: node, message: `A skeleton has no variables: use const, not ${node.kind}.` }];
  return node.declarations.flatMap((one): LatticeFault[] => {
    const annotation = one.id.type === "Identifier" ? one.id.typeAnnotation?.typeAnnotation : null;
    if (one.init === null)
      return node.declare === true && annotation?.type === "TSTypeOperator" && annotation.operator === "unique"
        ? []
        : [{ at: node, message: DECLARED }];
    if (one.id.type !== "Identifier") return [{ at: one, message: "A constant is taken apart when the file is loaded." }];
    return inertProblems(one.init, known);
  });
}
