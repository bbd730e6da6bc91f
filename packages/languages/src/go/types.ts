const INTEGER = /^(u?)int(?:8|16|32|64)?$/;

interface Interesting {
  readonly numbers: readonly string[];
  readonly texts: readonly string[];
}

/** An expression that makes a random value of a type; null if there is none. `random` is in scope. */
export function goGenerator(type: string, interesting: Interesting): string | null {
  const integer = INTEGER.exec(type);
  if (integer !== null || type === "byte" || type === "rune")
    return integers(type, integer?.[1] === "u" || type === "byte", interesting.numbers);
  if (type === "float64" || type === "float32") return floats(type, interesting.numbers);
  if (type === "bool") return "random.Intn(2) == 0";
  if (type === "string") return strings(interesting.texts);
  const element = /^\[\](.+)$/.exec(type)?.[1];
  if (element !== undefined) return collection(type, element, interesting);
  const [, key, value] = /^map\[([^[\]]+)\](.+)$/.exec(type) ?? [];
  if (key === undefined || value === undefined) return null;
  const [made, held] = [goGenerator(key, interesting), goGenerator(value, interesting)];
  if (made === null || held === null) return null;
  return `func() ${type} { all := ${type}{}; for i := random.Intn(6); i > 0; i-- { all[${made}] = ${held} }; return all }()`;
}

/** Half of the lists are in ascending order: an order is what preconditions of lists are most often about. */
function collection(type: string, element: string, interesting: Interesting): string | null {
  const made = goGenerator(element, interesting);
  if (made === null) return null;
  const isOrdered = INTEGER.test(element) || /^(?:float(?:32|64)|string|byte|rune)$/.test(element);
  const order = isOrdered
    ? " if random.Intn(2) == 0 { for i := range all { for j := i; j > 0 && all[j] < all[j-1]; j-- { all[j], all[j-1] = all[j-1], all[j] } } };"
    : "";
  return `func() ${type} { all := ${type}{}; for i := random.Intn(7); i > 0; i-- { all = append(all, ${made}) };${order} return all }()`;
}

function integers(type: string, isUnsigned: boolean, numbers: readonly string[]): string {
  const small = /8$|^byte$/.test(type);
  const most = small ? 100 : 1000;
  const limit = small ? 120 : 30_000;
  const near = [...new Set(numbers.map((text) => Math.trunc(Number(text))).flatMap((value) => [value - 1, value, value + 1]))].filter(
    (value) => value >= (isUnsigned ? 0 : -limit) && (value <= limit || !small),
  );
  const plain = isUnsigned ? `${type}(random.Intn(${most + 1}))` : `${type}(random.Intn(${2 * most + 1}) - ${most})`;
  if (near.length === 0) return plain;
  return `func() ${type} { if random.Intn(3) == 0 { return []${type}{${near.join(", ")}}[random.Intn(${near.length})] }; return ${plain} }()`;
}

function floats(type: string, numbers: readonly string[]): string {
  const plain = `${type}(random.Float64()*2000 - 1000)`;
  if (numbers.length === 0) return plain;
  return `func() ${type} { if random.Intn(3) == 0 { return []${type}{${numbers.join(", ")}}[random.Intn(${numbers.length})] }; return ${plain} }()`;
}

function strings(texts: readonly string[]): string {
  const letters =
    "func() string { all := []rune{}; for i := random.Intn(9); i > 0; i-- { all = append(all, rune(32+random.Intn(95))) }; return string(all) }()";
  if (texts.length === 0) return letters;
  return `func() string { if random.Intn(3) == 0 { return []string{${texts.join(", ")}}[random.Intn(${texts.length})] }; return ${letters} }()`;
}
