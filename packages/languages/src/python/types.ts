import { genericParts, splitAtTopLevel, type TypeShape } from "../tree-sitter/type-shape.ts";

const LISTS = new Set(["list", "List", "Sequence", "Iterable", "Collection", "MutableSequence"]);
const MAPS = new Set(["dict", "Dict", "Mapping", "MutableMapping"]);
const SETS = new Set(["set", "Set", "frozenset", "FrozenSet", "AbstractSet"]);
const SIMPLE: Readonly<Record<string, TypeShape["kind"]>> = {
  float: "float",
  bool: "boolean",
  str: "text",
  bytes: "bytes",
  Decimal: "decimal",
  None: "none",
};

/** The shape of an annotation; null if a test cannot generate its values. */
export function pythonShape(annotation: string): TypeShape | null {
  const name = annotation
    .trim()
    .replace(/^(["'])(.*)\1$/, "$2")
    .replaceAll(/\b(?:typing|collections\.abc|t)\./g, "");
  if (name === "") return null;
  if (name === "int") return { kind: "integer", name, isUnsigned: false };
  const simple = SIMPLE[name];
  if (simple !== undefined) return { kind: simple, name } as TypeShape;
  const alternatives = splitAtTopLevel(name, "|");
  if (alternatives.length > 1) return optional(name, alternatives);
  const generic = genericParts(name, "[");
  if (generic === null) return bare(name);
  const args = generic.args.map((arg) => (arg === "..." ? null : pythonShape(arg)));
  const [first = null, second = null] = args;
  if (generic.name === "Optional") return first === null ? null : { kind: "optional", name, of: first };
  if (generic.name === "Union") return optional(name, generic.args);
  if (LISTS.has(generic.name)) return first === null ? null : { kind: "list", name: "list", of: first };
  if (SETS.has(generic.name)) return first === null ? null : { kind: "set", name: generic.name, of: first };
  if (MAPS.has(generic.name)) return first === null || second === null ? null : { kind: "map", name, key: first, value: second };
  if (generic.name !== "tuple" && generic.name !== "Tuple") return bare(generic.name);
  if (generic.args[1] === "...") return first === null ? null : { kind: "list", name: "tuple", of: first };
  return args.every((part) => part !== null) ? { kind: "tuple", name, parts: args } : null;
}

function optional(name: string, alternatives: readonly string[]): TypeShape | null {
  const others = alternatives.filter((one) => one !== "None");
  const [only, ...more] = others;
  const of = only === undefined || more.length > 0 ? null : pythonShape(only);
  if (of === null) return null;
  return others.length === alternatives.length ? of : { kind: "optional", name, of };
}

function bare(name: string): TypeShape | null {
  const integer: TypeShape = { kind: "integer", name: "int", isUnsigned: false };
  if (LISTS.has(name)) return { kind: "list", name: "list", of: integer };
  if (SETS.has(name)) return { kind: "set", name, of: integer };
  if (MAPS.has(name)) return { kind: "map", name, key: { kind: "text", name: "str" }, value: integer };
  return /^[A-Z]\w*$/.test(name) && !/^(?:Any|Callable|T|[A-Z])$/.test(name) ? { kind: "named", name } : null;
}

/** A strategy of hypothesis. `interesting` are numbers and texts of the contract. */
export function strategyOf(
  shape: TypeShape,
  interesting: { readonly numbers: readonly string[]; readonly texts: readonly string[] },
): string {
  const inner = (of: TypeShape) => strategyOf(of, interesting);
  switch (shape.kind) {
    case "integer":
      return `_integers(${integersOf(interesting.numbers)})`;
    case "float":
      return `_floats(${numbersOf(interesting.numbers)})`;
    case "decimal":
      return "st.decimals(min_value=-1000000, max_value=1000000, places=2)";
    case "boolean":
      return "st.booleans()";
    case "text":
    case "character":
      return interesting.texts.length === 0
        ? "st.text(max_size=12)"
        : `st.one_of(st.text(max_size=12), st.sampled_from([${interesting.texts.join(", ")}]))`;
    case "bytes":
      return "st.binary(max_size=12)";
    case "none":
      return "st.none()";
    case "list":
      return `_lists(${inner(shape.of)})${shape.name === "tuple" ? ".map(tuple)" : ""}`;
    case "set":
      return shape.name.toLowerCase() === "frozenset"
        ? `st.frozensets(${inner(shape.of)}, max_size=8)`
        : `st.sets(${inner(shape.of)}, max_size=8)`;
    case "optional":
      return `st.one_of(st.none(), ${inner(shape.of)})`;
    case "map":
      return `st.dictionaries(${inner(shape.key)}, ${inner(shape.value)}, max_size=6)`;
    case "tuple":
      return `st.tuples(${shape.parts.map(inner).join(", ")})`;
    case "named":
      return `_valid(${shape.name})`;
  }
}

function integersOf(numbers: readonly string[]): string {
  return [...new Set(numbers.map((text) => Math.trunc(Number(text))))].filter(Number.isSafeInteger).join(", ");
}

function numbersOf(numbers: readonly string[]): string {
  return numbers.map((text) => String(Number(text))).join(", ");
}

/** The classes that a shape names. */
export function namedTypes(shape: TypeShape): string[] {
  switch (shape.kind) {
    case "named":
      return [shape.name];
    case "list":
    case "set":
    case "optional":
      return namedTypes(shape.of);
    case "map":
      return [...namedTypes(shape.key), ...namedTypes(shape.value)];
    case "tuple":
      return shape.parts.flatMap(namedTypes);
    default:
      return [];
  }
}
