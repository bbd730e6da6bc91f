import { genericParts, splitAtTopLevel, type TypeShape } from "../tree-sitter/type-shape.ts";

const INTEGER = /^([iu])(?:8|16|32|64|128|size)$/;

/** How a parameter is passed. */
export interface RustParameter {
  readonly by: "value" | "reference" | "mutable";
  /** The type of the value that is generated. */
  readonly owned: string;
  readonly shape: TypeShape;
}

export function rustParameter(type: string): RustParameter | null {
  const reference = /^&\s*(?:'\w+\s+)?(mut\s+)?(.*)$/s.exec(type.trim());
  const inner = reference === null ? type.trim() : (reference[2] ?? "");
  const slice = /^\[([^;]+)\]$/.exec(inner)?.[1];
  const owned = inner === "str" ? "String" : slice === undefined ? inner : `Vec<${slice.trim()}>`;
  if (reference === null && (inner === "str" || slice !== undefined)) return null;
  const shape = rustShape(owned);
  if (shape === null) return null;
  return { by: reference === null ? "value" : reference[1] === undefined ? "reference" : "mutable", owned, shape };
}

export function rustShape(text: string): TypeShape | null {
  const name = text.trim();
  const integer = INTEGER.exec(name);
  if (integer !== null) return { kind: "integer", name, isUnsigned: integer[1] === "u" };
  if (name === "f32" || name === "f64") return { kind: "float", name };
  if (name === "bool") return { kind: "boolean", name };
  if (name === "char") return { kind: "character", name };
  if (name === "String") return { kind: "text", name };
  if (name === "()") return { kind: "none", name };
  if (name.startsWith("(") && name.endsWith(")")) {
    const parts = splitAtTopLevel(name.slice(1, -1), ",").map(rustShape);
    return parts.every((part) => part !== null) ? { kind: "tuple", name, parts } : null;
  }
  const generic = genericParts(name, "<");
  if (generic === null) return /^[A-Z]\w+$/.test(name) ? { kind: "named", name } : null;
  const [first = null, second = null] = generic.args.map(rustShape);
  if (generic.name === "Vec") return first === null ? null : { kind: "list", name, of: first };
  if (generic.name === "Option") return first === null ? null : { kind: "optional", name, of: first };
  if (generic.name === "HashSet" || generic.name === "BTreeSet")
    return first === null ? null : { kind: "set", name: generic.name, of: first };
  if (generic.name === "HashMap" || generic.name === "BTreeMap")
    return first === null || second === null ? null : { kind: "map", name: generic.name, key: first, value: second };
  return /^[A-Z]\w+$/.test(generic.name) ? { kind: "named", name } : null;
}

/** The newtype of a witness: its constructor and the type inside. */
export interface RustWitnessType {
  readonly inner: string;
  readonly constructor: string;
}

/** A strategy of proptest; null if there is none for a type. */
export function rustStrategy(
  shape: TypeShape,
  interesting: { readonly numbers: readonly string[]; readonly texts: readonly string[] },
  witnessOf: (name: string) => RustWitnessType | null,
): string | null {
  const inner = (of: TypeShape) => rustStrategy(of, interesting, witnessOf);
  const built = (of: TypeShape, text: (strategy: string) => string) => {
    const strategy = inner(of);
    return strategy === null ? null : text(strategy);
  };
  switch (shape.kind) {
    case "integer":
      return integers(shape.name, shape.isUnsigned, interesting.numbers);
    case "float":
      return `prop_oneof![-1.0e3${shape.name}..1.0e3${shape.name}${interesting.numbers.map((one) => `, Just(${Number(one)} as ${shape.name})`).join("")}]`;
    case "boolean":
      return "any::<bool>()";
    case "character":
      return "any::<char>()";
    case "text":
      return `prop_oneof!["[ -~]{0,12}"${interesting.texts.map((one) => `, Just(String::from(${one}))`).join("")}]`;
    case "none":
      return "Just(())";
    case "list":
      return built(shape.of, (strategy) => `prop::collection::vec(${strategy}, 0..8)`);
    case "set":
      return built(shape.of, (strategy) => `prop::collection::${shape.name === "HashSet" ? "hash_set" : "btree_set"}(${strategy}, 0..8)`);
    case "optional":
      return built(shape.of, (strategy) => `prop::option::of(${strategy})`);
    case "map":
      return built(
        shape.key,
        (key) =>
          built(
            shape.value,
            (value) => `prop::collection::${shape.name === "HashMap" ? "hash_map" : "btree_map"}(${key}, ${value}, 0..6)`,
          ) ?? "",
      );
    case "tuple": {
      const parts = shape.parts.map(inner);
      return parts.every((part) => part !== null) ? `(${parts.join(", ")},)` : null;
    }
    case "named": {
      const witness = witnessOf(shape.name);
      const of = witness === null ? null : rustShape(witness.inner);
      if (witness === null || of === null) return null;
      return built(
        of,
        (strategy) => `(${strategy}).prop_filter_map("a value with the invariants", |value| ${witness.constructor}(value).ok())`,
      );
    }
    default:
      return null;
  }
}

/** Small numbers, and those beside a number of the contract. Types of eight bits hold no thousand. */
function integers(type: string, isUnsigned: boolean, numbers: readonly string[]): string {
  const isByte = /^[iu]8$/.test(type);
  const most = isByte ? 100 : 1000;
  const low = isUnsigned ? 0 : -most;
  const limit = isByte ? 120 : type.endsWith("16") ? 32_000 : 2_000_000_000;
  const near = [...new Set(numbers.map((text) => Math.trunc(Number(text))).flatMap((value) => [value - 1, value, value + 1]))];
  const special = near.filter((value) => value >= (isUnsigned ? 0 : -limit) && value <= limit);
  const widest = Math.max(most, ...special.map((value) => Math.min(Math.abs(value) * 2, limit)));
  const ranges = [`${low}${type}..=${most}${type}`, ...(widest > most ? [`${isUnsigned ? 0 : -widest}${type}..=${widest}${type}`] : [])];
  return `prop_oneof![${[...ranges, ...special.map((value) => `Just(${value}${type})`)].join(", ")}]`;
}
