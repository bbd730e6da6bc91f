import { genericParts } from "../tree-sitter/type-shape.ts";

interface Interesting {
  readonly numbers: readonly string[];
  readonly texts: readonly string[];
}

const INTEGER = /^(?:(?:un)?signed )?(?:short|int|long|long long|(?:short|long|long long) int|u?int(?:8|16|32|64)_t|size_t)$|^unsigned$/;

/** The type of a value that is generated for a parameter: without `const` and references. */
export function cppValueType(type: string): string | null {
  const plain = type
    .replaceAll(/\bconst\b/g, "")
    .replaceAll(/\s+/g, " ")
    .replace(/\s*&+$/, "")
    .trim();
  return plain.includes("*") || plain === "" ? null : plain;
}

/** A generator of rapidcheck; null if there is none for a type. */
export function cppGenerator(type: string, interesting: Interesting): string | null {
  const plain = type.replaceAll(/\bstd::/g, "").trim();
  if (INTEGER.test(plain)) return integers(type, /^(?:u|size_t)/.test(plain), interesting.numbers);
  if (plain === "float" || plain === "double") return floats(type, interesting.numbers);
  if (plain === "bool") return "rc::gen::arbitrary<bool>()";
  if (plain === "char") return "rc::gen::inRange<char>(32, 127)";
  if (plain === "string") return strings(interesting.texts);
  const generic = genericParts(plain, "<");
  const [first] = genericParts(type.trim(), "<")?.args ?? [];
  const made = first === undefined ? null : cppGenerator(first, interesting);
  if (generic === null || made === null) return null;
  if (["vector", "set", "list", "deque"].includes(generic.name)) return `rc::gen::container<${type}>(${made})`;
  return generic.name === "optional" ? `rc::gen::map(${made}, [](${first} value) { return ${type}(value); })` : null;
}

function integers(type: string, isUnsigned: boolean, numbers: readonly string[]): string {
  const near = [...new Set(numbers.map((text) => Math.trunc(Number(text))).flatMap((value) => [value - 1, value, value + 1]))].filter(
    (value) => value >= (isUnsigned ? 0 : -1e9) && value <= 1e9,
  );
  const plain = `rc::gen::inRange<${type}>(${isUnsigned ? 0 : -1000}, 1001)`;
  return near.length === 0 ? plain : `rc::gen::oneOf(${plain}, rc::gen::elementOf(std::vector<${type}>{${near.join(", ")}}))`;
}

function floats(type: string, numbers: readonly string[]): string {
  const plain = `rc::gen::map(rc::gen::inRange<int>(-1000000, 1000001), [](int value) { return static_cast<${type}>(value) / 1000; })`;
  if (numbers.length === 0) return plain;
  return `rc::gen::oneOf(${plain}, rc::gen::elementOf(std::vector<${type}>{${numbers.map((one) => `static_cast<${type}>(${one})`).join(", ")}}))`;
}

function strings(texts: readonly string[]): string {
  const plain = "rc::gen::container<std::string>(rc::gen::inRange<char>(32, 127))";
  return texts.length === 0 ? plain : `rc::gen::oneOf(${plain}, rc::gen::elementOf(std::vector<std::string>{${texts.join(", ")}}))`;
}
