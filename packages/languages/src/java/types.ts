import { genericParts } from "../tree-sitter/type-shape.ts";

interface Interesting {
  readonly numbers: readonly string[];
  readonly texts: readonly string[];
}

const BOXED: Readonly<Record<string, string>> = {
  Integer: "int",
  Long: "long",
  Double: "double",
  Float: "float",
  Boolean: "boolean",
  Character: "char",
  Short: "short",
  Byte: "byte",
};

/** An expression that makes a random value of a type; null if there is none. `random` and the helpers of the test class are in scope. */
export function javaGenerator(type: string, interesting: Interesting): string | null {
  const plain = BOXED[type] ?? type;
  if (/^(?:int|long|short|byte)$/.test(plain)) return integers(plain, interesting.numbers);
  if (plain === "double" || plain === "float") return floats(plain, interesting.numbers);
  if (plain === "boolean") return "random.nextBoolean()";
  if (plain === "char") return "(char) (32 + random.nextInt(95))";
  if (plain === "String") return interesting.texts.length === 0 ? "text()" : `pick(text(), ${interesting.texts.join(", ")})`;
  const element = /^(int|long|double)\[\]$/.exec(plain)?.[1];
  if (element !== undefined) return array(element, interesting);
  const generic = genericParts(plain, "<");
  const [first = "", second = ""] = generic?.args ?? [];
  if (/^(?:List|ArrayList|Collection)$/.test(generic?.name ?? "")) return built(first, interesting, (made) => `list(() -> ${made})`);
  if (generic?.name === "Set") return built(first, interesting, (made) => `new HashSet<>(list(() -> ${made}))`);
  if (generic?.name === "Optional")
    return built(first, interesting, (made) => `(random.nextInt(3) == 0 ? Optional.<${first}>empty() : Optional.of(${made}))`);
  if (generic?.name !== "Map") return null;
  return built(first, interesting, (key) => built(second, interesting, (value) => `map(() -> ${key}, () -> ${value})`) ?? "");
}

function built(type: string, interesting: Interesting, text: (made: string) => string): string | null {
  const made = javaGenerator(type, interesting);
  return made === null ? null : text(made);
}

function array(element: string, interesting: Interesting): string {
  const boxed = { int: "Integer", long: "Long", double: "Double" }[element] ?? "Integer";
  return `list(() -> ${javaGenerator(boxed, interesting) ?? "0"}).stream().mapTo${boxed === "Integer" ? "Int" : boxed}(one -> one).toArray()`;
}

function integers(type: string, numbers: readonly string[]): string {
  const isSmall = type === "byte";
  const most = isSmall ? 100 : 1000;
  const near = [...new Set(numbers.map((text) => Math.trunc(Number(text))).flatMap((value) => [value - 1, value, value + 1]))].filter(
    (value) => Math.abs(value) <= (isSmall ? 120 : 30_000),
  );
  const plain = `(${type}) (random.nextInt(${2 * most + 1}) - ${most})`;
  return near.length === 0 ? plain : `(random.nextInt(3) == 0 ? pick(${near.map((value) => `(${type}) ${value}`).join(", ")}) : ${plain})`;
}

function floats(type: string, numbers: readonly string[]): string {
  const plain = `(${type}) (random.nextDouble() * 2000 - 1000)`;
  return numbers.length === 0
    ? plain
    : `(random.nextInt(3) == 0 ? pick(${numbers.map((value) => `(${type}) ${value}`).join(", ")}) : ${plain})`;
}
