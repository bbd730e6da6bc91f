import { SlipwayError } from "../schema/errors.ts";
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit, type Document, type Node } from "yaml";
import type { z } from "zod";
import { UNSAFE_KEYS } from "../schema/json.ts";
import { decodeText } from "../schema/text.ts";
import { checkSchema, pathOf, type SchemaViolation } from "../schema/violations.ts";

export interface ConfigViolation extends SchemaViolation {
  readonly line: number;
  readonly column: number;
}

const MAX_ALIASES = 100;
const LISTED = 50;

/** Reads one YAML file strictly; throws one error that lists everything wrong with it. */
export function parseYamlConfig<S extends z.ZodType>(file: string, input: string | Uint8Array, schema: S): z.output<S> {
  const text = decodeText(file, input);
  const lines = new LineCounter();
  // Duplicate keys are checked below: the library's own check is quadratic.
  const document = parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: false,
    stringKeys: true,
    resolveKnownTags: false,
    prettyErrors: false,
  });
  const unreadable = [...syntaxProblems(document, lines), ...structureProblems(document, lines)];
  if (unreadable.length > 0) throw configError(file, unreadable);
  const result = checkSchema(schema, plainValue(file, document, lines));
  if (result.ok) return result.value;
  throw configError(
    file,
    result.violations.map((violation) => ({ ...violation, ...positionOf(document, violation, lines) })),
  );
}

function syntaxProblems(document: Document.Parsed, lines: LineCounter): ConfigViolation[] {
  return [...document.errors, ...document.warnings].map((problem) =>
    structural(problem.code.toLowerCase(), problem.message, problem.pos[0], lines),
  );
}

function structureProblems(document: Document.Parsed, lines: LineCounter): ConfigViolation[] {
  const found: ConfigViolation[] = [];
  const report = (rule: string, message: string, node: unknown) => found.push(structural(rule, message, offsetOf(node), lines));
  let aliases = 0;
  visit(document, {
    Map(_, map) {
      const seen = new Set<string>();
      for (const { key } of map.items) {
        const name = keyName(key);
        if (UNSAFE_KEYS.has(name)) report("unsafe_key", `the key ${JSON.stringify(name)} is not allowed`, key);
        if (seen.has(name)) report("duplicate_key", `the key ${JSON.stringify(name)} is given twice`, key);
        seen.add(name);
      }
    },
    Scalar(_, { value, range }) {
      if (typeof value === "string" && !value.isWellFormed()) report("unicode", "the text is not valid Unicode", { range });
    },
    Alias(_, alias, ancestors) {
      if (++aliases > MAX_ALIASES) {
        report("alias_limit", `more than ${MAX_ALIASES} aliases`, alias);
        return visit.BREAK;
      }
      const target = alias.resolve(document);
      if (target === undefined) report("unknown_alias", `the alias *${alias.source} names no anchor before it`, alias);
      else if (ancestors.some((ancestor) => ancestor === target))
        report("circular_alias", `the alias *${alias.source} contains itself`, alias);
      return undefined;
    },
  });
  return found;
}

/** The library limits the expansion of nested aliases, and throws a ReferenceError. */
function plainValue(file: string, document: Document.Parsed, lines: LineCounter): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {};
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    throw configError(file, [structural("alias_limit", "aliases of aliases expand too far", 0, lines)]);
  }
}

function structural(rule: string, message: string, offset: number, lines: LineCounter): ConfigViolation {
  return { pointer: "", rule, expected: "well-formed YAML", message, ...position(offset, lines) };
}

/** The position of the field; for a missing field, that of the nearest value around it. */
function positionOf(document: Document.Parsed, violation: SchemaViolation, lines: LineCounter): { line: number; column: number } {
  const path = pathOf(violation.pointer);
  let offset = offsetOf(document.contents);
  let node: unknown = document.contents;
  for (const key of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find((item) => keyName(item.key) === key);
      if (pair === undefined) break;
      offset = offsetOf(pair.key);
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(key)];
      offset = offsetOf(node);
    }
  }
  return position(offset, lines);
}

function position(offset: number, lines: LineCounter): { line: number; column: number } {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

function keyName(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}

function offsetOf(node: unknown): number {
  return (node as Partial<Node> | null)?.range?.[0] ?? 0;
}

function configError(file: string, violations: readonly ConfigViolation[]): SlipwayError {
  const code = violations.find((violation) => violation.code !== undefined)?.code ?? "config_invalid";
  const lines = violations.slice(0, LISTED).map(describe);
  if (violations.length > LISTED) lines.push(`  … and ${violations.length - LISTED} more`);
  const first = violations[0];
  return new SlipwayError(code, `${file} is not valid:\n${lines.join("\n")}`, {
    file,
    field: first?.pointer,
    line: first?.line,
    column: first?.column,
    violations: violations.slice(0, LISTED),
    suggested_next_actions: [`Correct ${file} at line ${first?.line}, then run the command again.`],
  });
}

function describe(violation: ConfigViolation): string {
  const where = `  line ${violation.line}, column ${violation.column}`;
  return violation.pointer === "" ? `${where}: ${violation.message}` : `${where}: ${violation.pointer}: ${violation.message}`;
}
